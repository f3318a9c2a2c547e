package io.farheap.heap;

import io.farheap.AllocationClassDescriptor;
import io.farheap.AllocationClassDescriptor.HeaderType;

/**
 * One way of cutting chunks for objects (spec: heap, 11). All have flexible bitmaps.
 *
 * @param id 0 is the huge class: whole chunks
 * @param unit bytes
 * @param alignment of user data in bytes; 0: none
 * @param headerType of its objects
 * @param chunks of a run; 0 for the huge class
 * @param units of a run; 0 for the huge class
 */
record AllocationClass(
        int id, long unit, long alignment, HeaderType headerType, int chunks, int units) {
    /** Chunk flags of the runs of every default class. */
    static final int RUN_FLAGS = ChunkHeader.COMPACT_HEADER | ChunkHeader.FLEX_BITMAP;

    /** The largest id. */
    static final int MAX_ID = 254;

    static final AllocationClass HUGE =
            new AllocationClass(0, HeapLayout.CHUNK_BYTES, 0, HeaderType.COMPACT, 0, 0);

    /**
     * A class of runs.
     *
     * @throws io.farheap.FarheapException BAD_DATA when no unit fits the chunks
     */
    static AllocationClass ofRuns(
            int id, long unit, long alignment, HeaderType headerType, int chunks) {
        AllocationClass wanted = new AllocationClass(id, unit, alignment, headerType, chunks, 0);
        int units = wanted.runAt(0).units;
        return new AllocationClass(id, unit, alignment, headerType, chunks, units);
    }

    boolean huge() {
        return id == 0;
    }

    /** The chunk flags of its runs. */
    int runFlags() {
        int header =
                switch (headerType) {
                    case LEGACY -> 0;
                    case COMPACT -> ChunkHeader.COMPACT_HEADER;
                    case NONE -> ChunkHeader.HEADER_NONE;
                };
        return header | ChunkHeader.FLEX_BITMAP | (alignment == 0 ? 0 : ChunkHeader.ALIGNED);
    }

    /** How a new run of the class at this offset is divided. */
    RunGeometry runAt(long offset) {
        return RunGeometry.ofNew(offset, chunks, runFlags(), unit, alignment);
    }

    /** How many units an object of {@code size} usable bytes takes. */
    long unitsFor(long size) {
        return (size + headerType.bytes() + unit - 1) / unit;
    }

    AllocationClassDescriptor descriptor() {
        return new AllocationClassDescriptor(id, unit, alignment, units, headerType);
    }
}
