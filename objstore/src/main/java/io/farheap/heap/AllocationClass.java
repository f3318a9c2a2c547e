package io.farheap.heap;

import io.farheap.base.AllocationClassDescriptor;
import io.farheap.base.AllocationClassDescriptor.HeaderType;

/**
 * One way of cutting chunks for objects (docs/format.md#allocation-classes). All have flexible
 * bitmaps.
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

    /** A run has at most as many chunks. */
    private static final int MAX_CHUNKS = 65_535;

    static final AllocationClass HUGE =
            new AllocationClass(0, HeapLayout.CHUNK_BYTES, 0, HeaderType.COMPACT, 0, 0);

    /**
     * A class of runs.
     *
     * @throws io.farheap.base.FarheapException BAD_DATA when no unit fits the chunks
     */
    static AllocationClass ofRuns(
            int id, long unit, long alignment, HeaderType headerType, int chunks) {
        AllocationClass wanted = new AllocationClass(id, unit, alignment, headerType, chunks, 0);
        int units = wanted.runAt(0).units;
        return new AllocationClass(id, unit, alignment, headerType, chunks, units);
    }

    /** Refuses what no class can have. */
    static void checkCustom(long unit, long alignment, int units) {
        if (unit < 1 || unit > Heap.MAX_REQUEST) {
            throw HeapErrors.badClass(
                    "the unit size is " + unit + " bytes, not 1 to " + Heap.MAX_REQUEST);
        }
        if (units < 1) {
            throw HeapErrors.badClass("a block has " + units + " units, not at least 1");
        }
        if (alignment < 0
                || alignment > RunGeometry.MAX_ALIGNMENT
                || Long.bitCount(alignment) > 1) {
            throw HeapErrors.badClass(
                    "the alignment is "
                            + alignment
                            + ", not 0 or a power of two up to "
                            + RunGeometry.MAX_ALIGNMENT);
        }
        if (alignment > 0 && unit % alignment != 0) {
            throw HeapErrors.badClass(
                    "the unit size " + unit + " is not a multiple of the alignment " + alignment);
        }
    }

    /**
     * A class of runs of about so many units (docs/format.md#allocation-classes).
     *
     * @throws io.farheap.base.FarheapException WRONG_USE when it would have no unit
     */
    static AllocationClass custom(
            int id, long unit, long alignment, int wantedUnits, HeaderType headerType) {
        long most = MAX_CHUNKS * HeapLayout.CHUNK_BYTES;
        long bytes = most;
        if (wantedUnits <= (most - RunGeometry.RUN_HEADER_BYTES) / unit) {
            long needed = wantedUnits * unit + RunGeometry.RUN_HEADER_BYTES;
            bytes = RunGeometry.up(needed, HeapLayout.CHUNK_BYTES) + alignment;
        }
        int chunks = (int) Math.min(MAX_CHUNKS, bytes / HeapLayout.CHUNK_BYTES);
        AllocationClass made = new AllocationClass(id, unit, alignment, headerType, chunks, 0);
        if (!RunGeometry.isPossible(chunks, made.runFlags(), unit, alignment)) {
            throw HeapErrors.badClass(
                    "a block of "
                            + chunks
                            + " chunks has no place for a unit of "
                            + unit
                            + " bytes: ask for more units per block");
        }
        return ofRuns(id, unit, alignment, headerType, chunks);
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

    /** Whether the run looks like one of the class. */
    boolean matches(RunGeometry run) {
        return unit == run.unit
                && chunks == run.chunks
                && runFlags() == run.flags
                && alignment == run.alignment;
    }

    /**
     * Whether the C library could not tell the runs of the two apart
     * (docs/format.md#allocation-classes): units of the same 16-byte step, the same chunks and
     * flags.
     */
    boolean looksLike(AllocationClass other) {
        return (unit - 1) / 16 == (other.unit - 1) / 16
                && chunks == other.chunks
                && runFlags() == other.runFlags();
    }

    /** Whether an object of {@code size} usable bytes can be in a run of the class. */
    boolean serves(long size) {
        long taken = unitsFor(size);
        long most = headerType == HeaderType.NONE ? 1 : Math.min(Long.SIZE, units);
        return !huge() && taken <= most;
    }

    AllocationClassDescriptor descriptor() {
        return new AllocationClassDescriptor(id, unit, alignment, units, headerType);
    }
}
