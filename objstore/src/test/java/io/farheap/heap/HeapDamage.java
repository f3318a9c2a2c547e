package io.farheap.heap;

/** Where a heap has what a damaged log may hit. */
public final class HeapDamage {
    private HeapDamage() {}

    public static long zoneHeader(long heapOffset) {
        return HeapLayout.zone(heapOffset, 0);
    }

    public static long chunkHeader(long heapOffset, int chunk) {
        return HeapLayout.chunkHeader(zoneHeader(heapOffset), chunk);
    }
}
