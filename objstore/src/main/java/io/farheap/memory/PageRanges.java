package io.farheap.memory;

import java.util.Arrays;

/** What one thread flushed since its last fence, or all of a generation, in whole pages. */
final class PageRanges {
    /**
     * Pages between two ranges that are synced along rather than with a call of their own: so many
     * of them, dirty or not, cost less than one more trip to the medium.
     */
    static final long BRIDGED_GAP_BYTES = 256 << 10;

    private long[] starts = new long[16];
    private long[] ends = new long[16];
    private int count;

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

    /** Adds a range of whole pages. */
    void add(long start, long end) {
        int last = count - 1;
        if (count > 0 && start <= ends[last] && end >= starts[last]) {
            starts[last] = Math.min(starts[last], start);
            ends[last] = Math.max(ends[last], end);
            return;
        }
        if (count == starts.length) {
            merge();
            grow();
        }
        starts[count] = start;
        ends[count] = end;
        count++;
    }

    void addAll(PageRanges others) {
        for (int i = 0; i < others.count; i++) {
            add(others.starts[i], others.ends[i]);
        }
    }

    private void grow() {
        if (count > starts.length / 2) {
            starts = Arrays.copyOf(starts, 2 * starts.length);
            ends = Arrays.copyOf(ends, 2 * ends.length);
        }
    }

    /** Sorts the ranges (few, nearly sorted) and joins those that are near each other. */
    void merge() {
        for (int i = 1; i < count; i++) {
            long start = starts[i];
            long end = ends[i];
            int at = i;
            for (; at > 0 && starts[at - 1] > start; at--) {
                starts[at] = starts[at - 1];
                ends[at] = ends[at - 1];
            }
            starts[at] = start;
            ends[at] = end;
        }
        int merged = 0;
        for (int i = 1; i < count; i++) {
            if (starts[i] - ends[merged] <= BRIDGED_GAP_BYTES) {
                ends[merged] = Math.max(ends[merged], ends[i]);
            } else {
                merged++;
                starts[merged] = starts[i];
                ends[merged] = ends[i];
            }
        }
        count = Math.min(count, merged + 1);
    }
}
