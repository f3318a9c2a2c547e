package io.farheap.memory;

import java.util.Arrays;

/** Which pages of an image a checkpoint has to write: a bit for each. Guarded by its owner. */
final class DirtyPages {
    static final int PAGE_SHIFT = 12;

    private long[] bits;
    private long count;

    DirtyPages(long imageBytes) {
        bits = new long[words(imageBytes)];
    }

    private static int words(long imageBytes) {
        long pages = (imageBytes + (1L << PAGE_SHIFT) - 1) >>> PAGE_SHIFT;
        return Math.toIntExact((pages + Long.SIZE - 1) / Long.SIZE);
    }

    /** The image has become longer. */
    void grow(long imageBytes) {
        bits = Arrays.copyOf(bits, words(imageBytes));
    }

    void add(long offset, long length) {
        for (long page = offset >> PAGE_SHIFT;
                page <= (offset + length - 1) >> PAGE_SHIFT;
                page++) {
            long bit = 1L << page;
            int word = (int) (page >> 6);
            count += (bits[word] & bit) == 0 ? 1 : 0;
            bits[word] |= bit;
        }
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** How many. */
    long count() {
        return count;
    }

    void clear() {
        Arrays.fill(bits, 0);
        count = 0;
    }

    /** The first page from {@code from} on; -1: none. */
    long next(long from) {
        int word = (int) (from >> 6);
        if (word >= bits.length) {
            return -1;
        }
        long left = bits[word] & (-1L << from);
        while (left == 0) {
            if (++word == bits.length) {
                return -1;
            }
            left = bits[word];
        }
        return ((long) word << 6) + Long.numberOfTrailingZeros(left);
    }
}
