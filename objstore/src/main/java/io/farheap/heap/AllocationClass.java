package io.farheap.heap;

/**
 * One way of cutting chunks for objects (spec: heap, 11). All have compact headers and flexible
 * bitmaps, none an alignment.
 *
 * @param id 0 is the huge class: whole chunks
 * @param unit bytes
 * @param chunks of a run; 0 for the huge class
 * @param units of a run; 0 for the huge class
 */
record AllocationClass(int id, long unit, int chunks, int units) {
    static final int RUN_FLAGS = ChunkHeader.COMPACT_HEADER | ChunkHeader.FLEX_BITMAP;

    boolean huge() {
        return id == 0;
    }

    /** How many units an object of {@code size} usable bytes takes. */
    int unitsFor(long size) {
        return (int) ((size + ObjectHeader.COMPACT_BYTES + unit - 1) / unit);
    }
}
