package io.farheap.layout;

import io.farheap.memory.PoolMemory;

/**
 * One lane: three logs that one thread at a time uses (docs/format.md#lanes). Offsets in the lane,
 * in bytes:
 *
 * <pre>
 *     0 +-----------+------------------------------+
 *       | header 64 | internal redo log data   192 |  the allocator's own operations on extensions
 *   256 +-----------+------------------------------+
 *       | header 64 | external redo log data   640 |  commits; can be extended
 *   960 +-----------+------------------------------+
 *       | header 64 | undo log data           2048 |  snapshots; can be extended
 *  3072 +-----------+------------------------------+
 * </pre>
 *
 * <p>Headers and entries: {@link LogLayout}. Where the lanes lie and how many there are: {@link
 * Descriptor}. The capacities are constants: a redo log's capacity field says how much of it is in
 * use, not how much there is.
 */
public final class LaneLayout {
    public static final long SIZE = Descriptor.LANE_SIZE;

    public static final long INTERNAL_REDO = 0;
    public static final long EXTERNAL_REDO = 256;
    public static final long UNDO = 960;

    public static final long INTERNAL_REDO_CAPACITY = 192;
    public static final long EXTERNAL_REDO_CAPACITY = 640;
    public static final long UNDO_CAPACITY = 2048;

    private LaneLayout() {}

    /**
     * Writes the lanes of a new pool, all logs empty; durable with the next fence, which the heap's
     * formatting makes. The descriptor names them already (docs/format.md#creation).
     *
     * @throws io.farheap.base.FarheapException BAD_DATA when they do not fit the image
     */
    public static void format(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        long start = descriptor.lanesOffset();
        long bytes = descriptor.laneCount() * SIZE;
        memory.fill(start, bytes, (byte) 0);
        for (long lane = start; lane < start + bytes; lane += SIZE) {
            memory.putLong(lane + INTERNAL_REDO + LogLayout.CAPACITY, INTERNAL_REDO_CAPACITY);
            memory.putLong(lane + EXTERNAL_REDO + LogLayout.CAPACITY, EXTERNAL_REDO_CAPACITY);
            memory.putLong(lane + UNDO + LogLayout.CAPACITY, UNDO_CAPACITY);
        }
        memory.flush(start, bytes);
    }
}
