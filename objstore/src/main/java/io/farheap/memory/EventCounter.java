package io.farheap.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How often something happened, for figures: threads count side by side in cells of their own.
 *
 * <p>Not a LongAdder, because this counts flushes: a locked instruction waits for every write-back
 * under way, as a fence does, and would make one fence of each flush. So two threads of one cell
 * that count at the same instant may lose a count; one thread never does.
 */
final class EventCounter {
    private static final int CELLS = 64;

    /** One cell per cache line. */
    private static final int STRIDE = 8;

    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] cells = new long[CELLS * STRIDE];

    void increment() {
        int cell = (int) (Thread.currentThread().threadId() % CELLS) * STRIDE;
        CELL.setOpaque(cells, cell, (long) CELL.getOpaque(cells, cell) + 1);
    }

    long sum() {
        long sum = 0;
        for (int cell = 0; cell < cells.length; cell += STRIDE) {
            sum += (long) CELL.getOpaque(cells, cell);
        }
        return sum;
    }
}
