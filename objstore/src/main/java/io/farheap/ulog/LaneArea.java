package io.farheap.ulog;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;

/**
 * The lanes of one pool: where they lie, as the pool's descriptor says, and what their logs may
 * lead to. Thread-safe.
 */
public final class LaneArea {
    private final PoolMemory memory;
    private final long start;
    private final int count;
    private final long heapStart;
    private final long heapEnd;

    /** What one extension of an undo log takes (libpmemobj: tx.cache.size). */
    private volatile long undoExtensionBytes = 32768;

    /**
     * The lanes of a pool whose descriptor is valid.
     *
     * @throws FarheapException BAD_DATA when lanes and heap do not fit the image
     */
    public LaneArea(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        long lanes = descriptor.laneCount();
        long heapSize = descriptor.heapSize();
        this.memory = memory;
        start = descriptor.lanesOffset();
        heapStart = descriptor.heapOffset();
        // A heap size of 0 is a creation cut short: the heap will be the rest of the pool.
        heapEnd = heapSize == 0 ? memory.size() : heapStart + heapSize;
        boolean fits =
                start >= Descriptor.END
                        && start % 8 == 0
                        && lanes > 0
                        && lanes <= Integer.MAX_VALUE
                        && heapStart <= memory.size()
                        && lanes * LaneLayout.SIZE <= heapStart - start
                        && heapEnd >= heapStart
                        && heapEnd <= memory.size();
        if (!fits) {
            throw FarheapException.badData(
                    "the descriptor's lanes (offset %s, %s of them) and heap (offset %s,"
                            + " size %s) do not fit the pool of %s bytes: restore it from another"
                            + " copy",
                    start, lanes, heapStart, heapSize, memory.size());
        }
        count = (int) lanes;
    }

    /** How many lanes there are. */
    public int count() {
        return count;
    }

    /**
     * A lane for use, after recovery; one object per lane and run of the pool.
     *
     * @param index from 0
     * @param space where its logs get extensions from
     * @throws FarheapException BAD_DATA when the lane's links lead nowhere
     */
    public Lane lane(int index, LogSpace space) {
        return new Lane(this, index, space);
    }

    /** Bytes that extensions of undo logs take, unless a range needs more. */
    public long undoExtensionBytes() {
        return undoExtensionBytes;
    }

    /** For extensions linked from now on. */
    public void setUndoExtensionBytes(long bytes) {
        undoExtensionBytes = bytes;
    }

    PoolMemory memory() {
        return memory;
    }

    /** Image offset of a lane. */
    long offset(int index) {
        return start + index * LaneLayout.SIZE;
    }

    /** Whether all of a range lies in the heap. */
    boolean inHeap(long offset, long length) {
        return contains(heapStart, heapEnd, offset, length);
    }

    /** More extensions than this are a chain that bites its tail. */
    long mostExtensions() {
        return (heapEnd - heapStart) / (2 * LogLayout.HEADER_SIZE);
    }

    /**
     * Whether a log may change a range: in the heap, the lanes, or one of the root's two fields.
     */
    boolean isTarget(long offset, long length) {
        return inHeap(offset, length)
                || contains(start, offset(count), offset, length)
                || contains(
                        Descriptor.ROOT_OFFSET, Descriptor.ROOT_OFFSET + Long.BYTES, offset, length)
                || contains(
                        Descriptor.ROOT_SIZE, Descriptor.ROOT_SIZE + Long.BYTES, offset, length);
    }

    private static boolean contains(long from, long to, long offset, long length) {
        return offset >= from && offset <= to && length >= 0 && length <= to - offset;
    }
}
