package io.farheap.memory;

import java.util.Arrays;

/** Which pages of an image a checkpoint has to write: a bit for each. Guarded by its owner. */
final class DirtyPages {
    static final int PAGE_SHIFT = 12;

    private long[] bits;
    private boolean any;

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
            bits[(int) (page >> 6)] |= 1L << page;
        }
        any = true;
    }

    boolean isEmpty() {
        return !any;
    }

    void clear() {
        Arrays.fill(bits, 0);
        any = false;
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
