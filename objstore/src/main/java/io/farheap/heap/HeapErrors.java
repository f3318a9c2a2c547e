package io.farheap.heap;

import io.farheap.base.FarheapException;
import io.farheap.ulog.NoRoomException;

/** The heap's complaints, worded in one place. */
final class HeapErrors {
    private HeapErrors() {}

    /** Bytes of the heap that cannot be right. */
    static FarheapException bad(long offset, String what) {
        return FarheapException.badData(
                "%s (at offset %s of the pool); restore the pool from a replica or a backup",
                what, Long.toUnsignedString(offset));
    }

    static FarheapException notAnObject(long userOffset) {
        return FarheapException.wrongUse(
                "no allocated object starts at offset 0x%s: the reference is wrong, or"
                        + " the object was freed",
                Long.toHexString(userOffset));
    }

    static FarheapException internal(long userOffset) {
        return FarheapException.wrongUse(
                "The object at 0x%s is the pool's own; the one that was freed before it took its"
                        + " place can't be freed again.",
                Long.toHexString(userOffset));
    }

    static FarheapException impossibleSize(long size) {
        return FarheapException.wrongUse(
                "an object of %s bytes is impossible: ask for 1 to %s bytes",
                size, Heap.MAX_REQUEST);
    }

    static FarheapException impossibleClass(int id) {
        return FarheapException.wrongUse(
                "no allocation class can have the id %s: ids are 0 to %s",
                id, AllocationClass.MAX_ID);
    }

    static FarheapException cannotGrow() {
        return FarheapException.wrongUse(
                "extending the pool by appending parts with headers is not supported:"
                        + " only a pool whose poolset file names directories grows");
    }

    static FarheapException badClass(String why) {
        return FarheapException.wrongUse("there can't be such an allocation class: %s", why);
    }

    static FarheapException noClass(int id) {
        return FarheapException.wrongUse(
                "there is no allocation class %s: make it first, in each program that"
                        + " opens the pool",
                id);
    }

    static FarheapException unsuitable(AllocationClass wanted, long size) {
        return FarheapException.wrongUse(
                "allocation class not suitable for size %s bytes: class %s has units"
                        + " of %s bytes, headers of %s and %s units in a block; an object takes"
                        + " at most 64 of them, and 1 without header",
                size, wanted.id(), wanted.unit(), wanted.headerType().bytes(), wanted.units());
    }

    /**
     * @param leavesPlaces whether there is room, which is left to larger objects
     */
    static NoRoomException exhausted(
            long size, long largest, long free, long kept, long total, boolean leavesPlaces) {
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
                        + (leavesPlaces
                                ? ", and what is left of units for larger objects is kept for those"
                                        + " while no more than half of the heap is free"
                                : "")
                        + "; free objects or make a larger pool");
    }
}
