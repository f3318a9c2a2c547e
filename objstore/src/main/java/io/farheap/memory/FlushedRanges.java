package io.farheap.memory;

import java.util.Arrays;

/**
 * What one thread flushed since it last ordered, in whole words, and its place among those who wait
 * for the disk. Grows to what its thread needs, and allocates nothing after that.
 */
final class FlushedRanges {
    private long[] starts = new long[64];
    private long[] ends = new long[64];
    private int count;

    // ---- while it waits; see DiskJournal
    Thread thread;
    FlushedRanges next;
    long wanted;
    volatile boolean done = true;

    void add(long start, long end) {
        int last = count - 1;
        if (count > 0 && start <= ends[last] && end >= starts[last]) {
            starts[last] = Math.min(starts[last], start);
            ends[last] = Math.max(ends[last], end);
            return;
        }
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, 2 * count);
            ends = Arrays.copyOf(ends, 2 * count);
        }
        starts[count] = start;
        ends[count] = end;
        count++;
    }

    int count() {
        return count;
    }

    long start(int i) {
        return starts[i];
    }

    long end(int i) {
        return ends[i];
    }

    void clear() {
        count = 0;
    }
}
