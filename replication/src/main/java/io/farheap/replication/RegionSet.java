package io.farheap.replication;

import io.farheap.replication.control.ByteRange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Regions of an image that are to be copied; the regions of {@link DirtyMap}. The last one is all
 * that lies beyond it. Thread-safe; marking allocates nothing.
 */
final class RegionSet {
    private static final int SHIFT = DirtyMap.REGION_SHIFT;

    private final AtomicLongArray bits;
    private final long regions;

    /** An empty set, for an image of that size. */
    RegionSet(long imageBytes) {
        regions = Math.max(1, (imageBytes + (1L << SHIFT) - 1) >> SHIFT);
        bits = new AtomicLongArray(Math.toIntExact((regions + 63) / 64));
    }

    /** Adds every region that the range touches. */
    void mark(long offset, long length) {
        long last = Math.min((offset + length - 1) >> SHIFT, regions - 1);
        for (long region = Math.min(offset >> SHIFT, regions - 1); region <= last; region++) {
            int word = (int) (region >> 6);
            long mask = 1L << (region & 63);
            if ((bits.get(word) & mask) == 0) {
                long unused = bits.getAndUpdate(word, now -> now | mask);
            }
        }
    }

    /**
     * Adds 64 regions by their bits; those that an image of this size has not count as the last.
     */
    void addWord(int word, long mask) {
        if (mask == 0) {
            return;
        }
        for (long left = mask; left != 0; left &= left - 1) {
            mark((((long) word << 6) + Long.numberOfTrailingZeros(left)) << SHIFT, 1);
        }
    }

    /** Adds all regions. */
    void markAll() {
        markFrom(0);
    }

    /** Adds all regions from an offset on. */
    void markFrom(long offset) {
        mark(offset, Math.max(1, (regions << SHIFT) - offset));
    }

    /** Whether the region of this byte is in it. */
    boolean isMarked(long offset) {
        long region = Math.min(offset >> SHIFT, regions - 1);
        return (bits.get((int) (region >> 6)) >>> (region & 63) & 1) != 0;
    }

    boolean isEmpty() {
        for (int word = 0; word < bits.length(); word++) {
            if (bits.get(word) != 0) {
                return false;
            }
        }
        return true;
    }

    /** How many bytes the regions have. */
    long bytes() {
        long count = 0;
        for (int word = 0; word < bits.length(); word++) {
            count += Long.bitCount(bits.get(word));
        }
        return count << SHIFT;
    }

    /**
     * Empties the set.
     *
     * @param imageBytes where the image ends now
     * @return what was in it: ascending, disjoint
     */
    List<ByteRange> take(long imageBytes) {
        List<ByteRange> ranges = new ArrayList<>();
        long from = -1;
        for (int word = 0; word < bits.length(); word++) {
            long taken = bits.getAndSet(word, 0);
            for (int bit = 0; bit < 64; bit++) {
                long region = ((long) word << 6) + bit;
                boolean in = (taken >>> bit & 1) != 0;
                if (in && from < 0) {
                    from = region;
                } else if (!in && from >= 0) {
                    ranges.add(range(from, region, imageBytes));
                    from = -1;
                }
            }
        }
        if (from >= 0) {
            ranges.add(range(from, regions, imageBytes));
        }
        return ranges;
    }

    private ByteRange range(long from, long end, long imageBytes) {
        long to = end >= regions ? imageBytes : end << SHIFT;
        return new ByteRange(from << SHIFT, to - (from << SHIFT));
    }
}
