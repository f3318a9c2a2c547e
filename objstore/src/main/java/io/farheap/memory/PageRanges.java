package io.farheap.memory;

/** What one thread flushed since its last fence, or all of a generation, in whole pages. */
final class PageRanges extends RangeList {
    /**
     * Pages between two ranges that are synced along rather than with a call of their own: so many
     * of them, dirty or not, cost less than one more trip to the medium.
     */
    static final long BRIDGED_GAP_BYTES = 256 << 10;

    PageRanges() {
        super(16);
    }

    void addAll(PageRanges others) {
        for (int i = 0; i < others.count; i++) {
            add(others.starts[i], others.ends[i]);
        }
    }

    /** Where enough of them can be joined, they are. */
    @Override
    void makeRoom() {
        merge();
        if (count > starts.length / 2) {
            super.makeRoom();
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
