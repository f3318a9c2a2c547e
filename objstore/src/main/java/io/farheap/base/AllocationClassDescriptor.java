package io.farheap.base;

import java.util.Objects;

/**
 * One way of cutting memory for objects: what libpmemobj calls an allocation class and describes by
 * {@code struct pobj_alloc_class_desc} (ctl {@code heap.alloc_class.[id].desc};
 * docs/format.md#allocation-classes).
 *
 * <p>Objects of a class lie in runs: blocks of the heap divided into units of one size, of which an
 * object takes as many as it needs, at most 64. Class 0 is another one: its objects have blocks of
 * their own.
 *
 * @param id 0 to 254
 * @param unitSize bytes of a unit, the objects' headers included
 * @param alignment bytes, a power of two: each object's user data starts at a multiple of it; 0:
 *     none is asked for
 * @param unitsPerBlock how many units a run has; 0 of class 0
 * @param headerType what stands before the user data of each object
 */
public record AllocationClassDescriptor(
        int id, long unitSize, long alignment, int unitsPerBlock, HeaderType headerType) {
    public AllocationClassDescriptor {
        Objects.requireNonNull(headerType, "headerType");
    }

    /** What stands before the user data of each object, and costs part of its units. */
    public enum HeaderType {
        /** 64 bytes, of which 16 are used: as libpmemobj before 1.3 had it. */
        LEGACY(64),
        /** 16 bytes: size, type number. What every default class has. */
        COMPACT(16),
        /** Nothing: an object takes exactly one unit, and its type number is always 0. */
        NONE(0);

        private final int bytes;

        HeaderType(int bytes) {
            this.bytes = bytes;
        }

        /** Bytes of the header. */
        public int bytes() {
            return bytes;
        }
    }
}
