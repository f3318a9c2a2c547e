package io.farheap.heap;

import io.farheap.layout.Descriptor;
import io.farheap.memory.NoPersistence;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What of an image means nothing, by the heap's own metadata: free memory, the gaps between what is
 * used, and a number in the descriptor that may drift. All else is equal in all copies of a pool
 * that have the same commits: the content of an allocated block goes to replicas whole, written or
 * not. Needs no booted heap; the metadata may change while it is read, and then what is told is of
 * some instant in between. Allocates.
 */
public final class UnusedSpace {
    private final PoolMemory memory;
    private final Correction extensions;

    /** Puts something right in a copy of a range. */
    @FunctionalInterface
    public interface Correction {
        /**
         * @param offset where the copy begins in the image
         */
        void apply(long offset, MemorySegment copy, long length);
    }

    /** What is told of. */
    @FunctionalInterface
    public interface Ranges {
        void range(long offset, long end);
    }

    /**
     * @param extensions makes the memory of log extensions free: no other copy has it
     */
    public UnusedSpace(PoolMemory memory, Correction extensions) {
        this.memory = memory;
        this.extensions = extensions;
    }

    /**
     * Tells of every range that means nothing and meets this one; it may reach beyond it.
     *
     * @throws io.farheap.base.FarheapException BAD_DATA when the metadata can't be right
     */
    public void each(long offset, long length, Ranges use) {
        long end = offset + length;
        use.range(Descriptor.CURR_ALLOCATED, Descriptor.CURR_ALLOCATED + Long.BYTES);
        Descriptor descriptor = new Descriptor(memory);
        long heap = descriptor.heapOffset();
        long size = descriptor.heapSize();
        for (int i = 0; i < HeapLayout.zones(size); i++) {
            long zone = HeapLayout.zone(heap, i);
            if (zone < end && offset < zone + HeapLayout.ZONE_BYTES) {
                zone(zone, HeapLayout.chunks(i, size), offset, end, use);
            }
        }
        // Behind the last chunk nothing was ever used.
        int last = HeapLayout.zones(size) - 1;
        if (last >= 0) {
            long used =
                    HeapLayout.chunk(HeapLayout.zone(heap, last), HeapLayout.chunks(last, size));
            use.range(used, memory.size());
        }
    }

    private void zone(long zone, int possible, long offset, long end, Ranges use) {
        int chunks = HeapHeader.zoneChunks(memory, zone, possible);
        use.range(HeapLayout.chunkHeader(zone, chunks), HeapLayout.chunk(zone, 0));
        use.range(HeapLayout.chunk(zone, chunks), HeapLayout.chunk(zone, possible));
        if (chunks == 0) {
            return;
        }
        long bytes = HeapLayout.chunkHeader(0, chunks);
        try (Arena arena = Arena.ofConfined()) {
            PoolMemory headers = copy(zone, bytes, arena);
            BlockCursor blocks = new BlockCursor(headers, 0, chunks);
            while (blocks.advance()) {
                innerHeaders(zone, blocks, use);
                long from = HeapLayout.chunk(zone, blocks.chunk());
                long to = HeapLayout.chunk(zone, blocks.chunk() + blocks.chunks());
                if (from < end && offset < to) {
                    block(blocks, from, to, use, arena);
                }
            }
        }
    }

    /** Of a block that is no run only the first header counts. */
    private static void innerHeaders(long zone, BlockCursor block, Ranges use) {
        if (block.type() != ChunkHeader.RUN && block.chunks() > 1) {
            use.range(
                    HeapLayout.chunkHeader(zone, block.chunk() + 1),
                    HeapLayout.chunkHeader(zone, block.chunk() + block.chunks()));
        }
    }

    private void block(BlockCursor block, long from, long to, Ranges use, Arena arena) {
        if (block.type() == ChunkHeader.FREE) {
            use.range(from, to);
        } else if (block.type() == ChunkHeader.RUN) {
            run(RunGeometry.read(memory, from, block.chunks(), block.flags()), to, use, arena);
        }
    }

    private void run(RunGeometry run, long to, Ranges use, Arena arena) {
        long bitmap = run.runOffset + RunGeometry.RUN_HEADER_BYTES;
        PoolMemory bits = copy(bitmap, run.bitmapBytes, arena);
        use.range(bitmap + run.bitmapBytes, run.dataOffset);
        int freeFrom = -1;
        for (int unit = 0; unit < run.units; unit++) {
            boolean used = (bits.getLong(8L * (unit >> 6)) >>> (unit & 63) & 1) != 0;
            if (used && freeFrom >= 0) {
                use.range(run.dataOffset + freeFrom * run.unit, run.dataOffset + unit * run.unit);
                freeFrom = -1;
            } else if (!used && freeFrom < 0) {
                freeFrom = unit;
            }
        }
        long rest = freeFrom < 0 ? run.units : freeFrom;
        use.range(run.dataOffset + rest * run.unit, to);
    }

    private PoolMemory copy(long offset, long bytes, Arena arena) {
        MemorySegment copy = arena.allocate(bytes, Long.BYTES);
        MemorySegment.copy(memory.image(), offset, copy, 0, bytes);
        extensions.apply(offset, copy, bytes);
        return new PoolMemory(copy, new NoPersistence());
    }
}
