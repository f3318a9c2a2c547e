package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;

/**
 * A sum in cells of which each thread uses one, so that threads that count don't conflict.
 *
 * <pre>
 * shared object, 1,024 bytes
 *     0  cell 0, 8 bytes       64  cell 1      ...     960  cell 15
 * </pre>
 */
final class CountCells {
    static final long TYPE = 0x4648_0001;

    private static final int CELLS = 16;
    private static final long STRIDE = 64;

    private CountCells() {}

    static long create(HeapTransaction tx) {
        return tx.allocate(CELLS * STRIDE, TYPE);
    }

    /** Adds to the cell of the calling thread. */
    static void add(HeapTransaction tx, long cells, long amount) {
        long cell = (Thread.currentThread().threadId() & CELLS - 1) * STRIDE;
        tx.setSharedLong(cells, cell, tx.getSharedLong(cells, cell) + amount);
    }

    static long sum(HeapTransaction tx, long cells) {
        long sum = 0;
        for (int cell = 0; cell < CELLS; cell++) {
            sum += tx.getSharedLong(cells, cell * STRIDE);
        }
        return sum;
    }
}
