package io.farheap.base;

/**
 * How full a pool's heap is ({@link io.farheap.pmemobj.HeapControl#space}). While others allocate
 * and free, the figures may be of slightly different moments.
 *
 * @param usedBytes of objects with their headers, of what they leave of the units or chunks they
 *     got, of logs that lie in the heap, and of the headers of runs
 * @param freeBytes that are left; those between small objects fit other small ones only
 * @param largestFreeBytes of the longest stretch of whole free chunks, which the largest object,
 *     with its header, can get; 0: there is room in runs at most. Where the heap can grow, what it
 *     would get is not in it
 */
public record HeapSpace(long usedBytes, long freeBytes, long largestFreeBytes) {}
