package io.farheap.heap;

import io.farheap.memory.PoolMemory;

/**
 * The words of a heap that say which of its memory is in use: the headers of heap, zones and
 * chunks, and the header and bitmap of each run (docs/format.md#heap).
 */
public final class HeapMetadata {
    private HeapMetadata() {}

    /**
     * Makes all of them durable as they are: with local replicas, the same in every copy. With them
     * whatever this thread flushed before. The heap's own header needs nothing: it was durable in
     * every copy before there was a pool, and never changes.
     *
     * <p>A pool with local replicas needs that when it is opened after a crash. What a log covers
     * recovery stores to every copy; but a single word that commits by itself, and the stores that
     * no log covers, may have reached one copy and not the other.
     *
     * @param memory the master's image; its heap must be valid
     * @throws io.farheap.base.FarheapException BAD_DATA, with the offset, when it is not
     */
    public static void persist(PoolMemory memory, long heapOffset, long heapSize) {
        for (int i = 0; i < HeapLayout.zones(heapSize); i++) {
            long zone = HeapLayout.zone(heapOffset, i);
            int possible = HeapLayout.chunks(i, heapSize);
            int chunks = HeapHeader.zoneChunks(memory, zone, possible);
            memory.flush(zone, HeapLayout.chunkHeader(zone, chunks) - zone);
            BlockCursor blocks = new BlockCursor(memory, zone, chunks);
            while (blocks.advance()) {
                if (blocks.type() == ChunkHeader.RUN) {
                    flushRun(memory, HeapLayout.chunk(zone, blocks.chunk()), blocks);
                }
            }
        }
        memory.fence();
    }

    private static void flushRun(PoolMemory memory, long offset, BlockCursor block) {
        RunGeometry run = RunGeometry.read(memory, offset, block.chunks(), block.flags());
        memory.flush(offset, RunGeometry.RUN_HEADER_BYTES + run.bitmapBytes);
    }
}
