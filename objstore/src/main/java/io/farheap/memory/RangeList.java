package io.farheap.memory;

import java.util.Arrays;

/** Ranges of one thread; grows to what it needs, and allocates nothing after that. */
class RangeList {
    long[] starts;
    long[] ends;
    int count;

    /**
     * @param room for so many at first
     */
    RangeList(int room) {
        starts = new long[room];
        ends = new long[room];
    }

    /** Adds a range, or joins it to the one before if they touch. */
    final void add(long start, long end) {
        int last = count - 1;
        if (count > 0 && start <= ends[last] && end >= starts[last]) {
            starts[last] = Math.min(starts[last], start);
            ends[last] = Math.max(ends[last], end);
            return;
        }
        if (count == starts.length) {
            makeRoom();
        }
        starts[count] = start;
        ends[count] = end;
        count++;
    }

    /** Called when there is no room for one more. */
    void makeRoom() {
        starts = Arrays.copyOf(starts, 2 * starts.length);
        ends = Arrays.copyOf(ends, 2 * ends.length);
    }

    final int count() {
        return count;
    }

    final long start(int i) {
        return starts[i];
    }

    final long end(int i) {
        return ends[i];
    }

    final void clear() {
        count = 0;
    }
}
