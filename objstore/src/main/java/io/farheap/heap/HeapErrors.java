package io.farheap.heap;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.ulog.NoRoomException;

/** The heap's complaints, worded in one place. */
final class HeapErrors {
    private HeapErrors() {}

    /** Bytes of the heap that cannot be right. */
    static FarheapException bad(long offset, String what) {
        return new FarheapException(
                Category.BAD_DATA,
                what
                        + " (at offset "
                        + Long.toUnsignedString(offset)
                        + " of the pool); restore the pool from a replica or a backup");
    }

    static FarheapException notAnObject(long userOffset) {
        return new FarheapException(
                Category.WRONG_USE,
                "no allocated object starts at offset 0x"
                        + Long.toHexString(userOffset)
                        + ": the reference is wrong, or the object was freed");
    }

    static FarheapException impossibleSize(long size) {
        return new FarheapException(
                Category.WRONG_USE,
                "an object of "
                        + size
                        + " bytes is impossible: ask for 1 to "
                        + Heap.MAX_REQUEST
                        + " bytes");
    }

    static FarheapException impossibleClass(int id) {
        return new FarheapException(
                Category.WRONG_USE,
                "no allocation class can have the id "
                        + id
                        + ": ids are 0 to "
                        + AllocationClass.MAX_ID);
    }

    static FarheapException cannotGrow() {
        return new FarheapException(
                Category.WRONG_USE,
                "extending the pool by appending parts with headers is not supported: only a pool"
                        + " whose poolset file names directories grows");
    }

    static FarheapException badClass(String why) {
        return new FarheapException(
                Category.WRONG_USE, "there can't be such an allocation class: " + why);
    }

    static FarheapException noClass(int id) {
        return new FarheapException(
                Category.WRONG_USE,
                "there is no allocation class "
                        + id
                        + ": make it first, in each program that opens the pool");
    }

    static FarheapException unsuitable(AllocationClass wanted, long size) {
        return new FarheapException(
                Category.WRONG_USE,
                "allocation class not suitable for size "
                        + size
                        + " bytes: class "
                        + wanted.id()
                        + " has units of "
                        + wanted.unit()
                        + " bytes, headers of "
                        + wanted.headerType().bytes()
                        + " and "
                        + wanted.units()
                        + " units in a block; an object takes at most 64 of them, and 1 without"
                        + " header");
    }

    static NoRoomException exhausted(long size, long largest, long free, long kept, long total) {
        return new NoRoomException(
                "the pool has no room for an object of "
                        + size
                        + " bytes: its largest free block takes "
                        + largest
                        + " bytes, "
                        + free
                        + " of "
                        + total
                        + " bytes are free in all"
                        + (kept == 0
                                ? ""
                                : ", "
                                        + kept
                                        + " of them kept for the logs of transactions that free")
                        + "; free objects or make a larger pool");
    }
}
