package io.farheap.it.interop;

import io.farheap.memory.Persistence;

/** Counts what a pool asks of its medium, which loses nothing. */
final class FlushCounts implements Persistence {
    private static final int LINE_SHIFT = 6;

    private long flushes;
    private long lines;
    private long fences;

    /**
     * What one operation took.
     *
     * @param flushes ranges written back
     * @param lines cache lines of 64 bytes in them
     * @param fences waits for what was written back
     */
    record Count(long flushes, long lines, long fences) {}

    @Override
    public void flush(long offset, long length) {
        if (length > 0) {
            flushes++;
            lines += (offset + length - 1 >> LINE_SHIFT) - (offset >> LINE_SHIFT) + 1;
        }
    }

    @Override
    public void fence() {
        fences++;
    }

    /** What {@code operation} takes. */
    Count of(Runnable operation) {
        flushes = 0;
        lines = 0;
        fences = 0;
        operation.run();
        return new Count(flushes, lines, fences);
    }
}
