package io.farheap.heap;

import io.farheap.memory.PoolMemory;

/**
 * What one walk over the headers of a whole heap has found: that they are valid, and how many
 * chunks each zone has. It holds until something is stored to a header of the heap, a zone or a
 * chunk; who knows that nothing was need not walk again (docs/architecture.md#the-life-of-an-open).
 */
public final class HeapShape {
    private final long heapOffset;
    private final long heapSize;
    private final int[] chunks;

    private HeapShape(long heapOffset, long heapSize, int[] chunks) {
        this.heapOffset = heapOffset;
        this.heapSize = heapSize;
        this.chunks = chunks;
    }

    /**
     * Walks over the heap. Makes no store.
     *
     * @throws io.farheap.base.FarheapException BAD_DATA, with the offset, when the heap is not
     *     valid (docs/format.md#consistency)
     */
    public static HeapShape of(PoolMemory memory, long heapOffset, long heapSize) {
        HeapHeader.validate(memory, heapOffset, heapSize);
        int[] chunks = new int[HeapLayout.zones(heapSize)];
        for (int i = 0; i < chunks.length; i++) {
            long zone = HeapLayout.zone(heapOffset, i);
            chunks[i] = HeapHeader.zoneChunks(memory, zone, HeapLayout.chunks(i, heapSize));
            BlockCursor blocks = new BlockCursor(memory, zone, chunks[i]);
            while (blocks.advance()) {
                // the cursor checks that the blocks tile the zone
            }
        }
        return new HeapShape(heapOffset, heapSize, chunks);
    }

    long heapOffset() {
        return heapOffset;
    }

    long heapSize() {
        return heapSize;
    }

    /** 0 of a zone that is not initialised, or that the heap has not grown to. */
    int chunks(int zone) {
        return zone < chunks.length ? chunks[zone] : 0;
    }
}
