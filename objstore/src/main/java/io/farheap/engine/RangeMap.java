package io.farheap.engine;

import java.util.Arrays;

/**
 * Disjoint ranges of the image, sorted by offset, each with one word that belongs to the owner.
 * Plain arrays that only ever grow: no garbage once warm. Appending in rising order is O(1),
 * inserting elsewhere moves what lies behind.
 */
final class RangeMap {
    private static final int FIRST_CAPACITY = 16;

    private long[] starts = new long[FIRST_CAPACITY];
    private long[] ends = new long[FIRST_CAPACITY];
    private long[] tags = new long[FIRST_CAPACITY];
    private int size;

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    long start(int index) {
        return starts[index];
    }

    /** The first offset behind the range. */
    long end(int index) {
        return ends[index];
    }

    long length(int index) {
        return ends[index] - starts[index];
    }

    long tag(int index) {
        return tags[index];
    }

    /**
     * The first range that ends at {@code offset} or behind it; {@link #size} when there is none.
     */
    int firstReaching(long offset) {
        if (size == 0 || ends[size - 1] < offset) {
            return size;
        }
        int low = 0;
        int high = size - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ends[middle] < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Inserts a range before {@code index}; the caller keeps order and disjointness. */
    void insert(int index, long start, long end, long tag) {
        if (size == starts.length) {
            long[] moreTags = Arrays.copyOf(tags, 2 * size);
            long[] moreEnds = Arrays.copyOf(ends, 2 * size);
            starts = Arrays.copyOf(starts, 2 * size);
            ends = moreEnds;
            tags = moreTags;
        }
        if (index < size) {
            System.arraycopy(starts, index, starts, index + 1, size - index);
            System.arraycopy(ends, index, ends, index + 1, size - index);
            System.arraycopy(tags, index, tags, index + 1, size - index);
        }
        starts[index] = start;
        ends[index] = end;
        tags[index] = tag;
        size++;
    }

    /** Whether a byte of [start, end) is in one of them. */
    boolean meet(long start, long end) {
        int index = firstReaching(start + 1);
        return index < size && starts[index] < end;
    }

    void setEnd(int index, long end) {
        ends[index] = end;
    }

    /**
     * Replaces the ranges {@code from} (inclusive) to {@code to} (exclusive, at least one) by one.
     */
    void replace(int from, int to, long start, long end, long tag) {
        starts[from] = start;
        ends[from] = end;
        tags[from] = tag;
        int gone = to - from - 1;
        if (gone > 0) {
            System.arraycopy(starts, to, starts, from + 1, size - to);
            System.arraycopy(ends, to, ends, from + 1, size - to);
            System.arraycopy(tags, to, tags, from + 1, size - to);
            size -= gone;
        }
    }

    /**
     * Adds [start, end), merging with all it overlaps or touches; tags of merged ranges are lost.
     */
    void cover(long start, long end) {
        int from = firstReaching(start);
        int to = from;
        long unionStart = start;
        long unionEnd = end;
        while (to < size && starts[to] <= end) {
            unionStart = Math.min(unionStart, starts[to]);
            unionEnd = Math.max(unionEnd, ends[to]);
            to++;
        }
        if (to == from) {
            insert(from, start, end, 0);
        } else {
            replace(from, to, unionStart, unionEnd, 0);
        }
    }

    void clear() {
        size = 0;
    }
}
