package io.farheap.replication.dirty;

import io.farheap.replication.control.ByteRange;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * Regions of an image that are to be copied, in memory. The last one is all that lies beyond it.
 * Thread-safe; marking allocates nothing.
 */
public final class RegionSet {
    private static final int FINE_SHIFT = 4;
    private static final int PAGE_SHIFT = 12;

    /** 8 MiB of bits. */
    private static final long MOST_REGIONS = 1L << 26;

    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final int shift;
    private final long regions;
    private final long[] bits;

    private RegionSet(long imageBytes, int shift) {
        this.shift = shift;
        this.regions = regions(imageBytes, shift);
        this.bits = new long[words(regions)];
    }

    /** An empty set of 16 bytes each; of images beyond 1 GiB of more, so that 8 MiB do. */
    public static RegionSet fine(long imageBytes) {
        int shift = FINE_SHIFT;
        while (imageBytes >> shift > MOST_REGIONS) {
            shift++;
        }
        return new RegionSet(imageBytes, shift);
    }

    /** An empty set of pages, 4096 bytes. */
    public static RegionSet ofPages(long imageBytes) {
        return new RegionSet(imageBytes, PAGE_SHIFT);
    }

    /** How many regions of {@code 1 << shift} bytes an image has. */
    static long regions(long imageBytes, int shift) {
        return Math.max(1, (imageBytes + (1L << shift) - 1) >> shift);
    }

    /** How many words of 64 bits so many regions take. */
    static int words(long regions) {
        return Math.toIntExact((regions + 63) / 64);
    }

    /** The bits of a word that stand for regions from {@code first} to {@code last}. */
    static long mask(long word, long first, long last) {
        long low = word == first >> 6 ? -1L << (first & 63) : -1L;
        long high = word == last >> 6 ? -1L >>> (63 - (last & 63)) : -1L;
        return low & high;
    }

    /** Adds every region that the range touches. */
    public void mark(long offset, long length) {
        long first = region(offset);
        long last = region(offset + length - 1);
        for (int word = (int) (first >> 6); word <= last >> 6; word++) {
            long mask = mask(word, first, last);
            if (((long) WORD.getVolatile(bits, word) & mask) != mask) {
                long unused = (long) WORD.getAndBitwiseOr(bits, word, mask);
            }
        }
    }

    private long region(long offset) {
        return Math.min(offset >> shift, regions - 1);
    }

    private long word(int word) {
        return (long) WORD.getVolatile(bits, word);
    }

    /** Adds what is in this one to a set for an image that may have grown since. */
    void addTo(RegionSet other) {
        for (int word = 0; word < bits.length; word++) {
            addTo(other, word, word(word), shift);
        }
        if ((word(bits.length - 1) >>> ((regions - 1) & 63) & 1) != 0) {
            other.markFrom((regions - 1) << shift);
        }
    }

    /** Adds 64 regions of {@code 1 << shift} bytes to a set by their bits. */
    static void addTo(RegionSet set, int word, long bits, int shift) {
        for (long left = bits; left != 0; left &= left - 1) {
            long region = ((long) word << 6) + Long.numberOfTrailingZeros(left);
            set.mark(region << shift, 1L << shift);
        }
    }

    /** Adds all regions. */
    public void markAll() {
        markFrom(0);
    }

    /** Adds all regions from an offset on. */
    void markFrom(long offset) {
        mark(offset, Math.max(1, (regions << shift) - offset));
    }

    /** Whether the region of this byte is in it. */
    public boolean isMarked(long offset) {
        long region = region(offset);
        return (word((int) (region >> 6)) >>> (region & 63) & 1) != 0;
    }

    public boolean isEmpty() {
        for (int word = 0; word < bits.length; word++) {
            if (word(word) != 0) {
                return false;
            }
        }
        return true;
    }

    /** How many bytes the regions have. */
    public long bytes() {
        long count = 0;
        for (int word = 0; word < bits.length; word++) {
            count += Long.bitCount(word(word));
        }
        return count << shift;
    }

    /**
     * Empties the set.
     *
     * @param imageBytes where the image ends now
     * @return what was in it: ascending, disjoint
     */
    public List<ByteRange> take(long imageBytes) {
        return take(imageBytes, Integer.MAX_VALUE);
    }

    /**
     * The same, of the first ranges only; the others stay in it.
     *
     * @param most how many
     */
    public List<ByteRange> take(long imageBytes, int most) {
        List<ByteRange> ranges = new ArrayList<>();
        long from = -1;
        for (int word = 0; word < bits.length; word++) {
            long taken = word(word) == 0 ? 0 : (long) WORD.getAndSet(bits, word, 0L);
            if (taken == 0 && from < 0) {
                continue;
            }
            for (int bit = 0; bit < 64; bit++) {
                long region = ((long) word << 6) + bit;
                boolean in = (taken >>> bit & 1) != 0;
                if (in && from < 0) {
                    from = region;
                } else if (!in && from >= 0) {
                    ranges.add(range(from, region, imageBytes));
                    from = -1;
                    if (ranges.size() == most) {
                        long unused = (long) WORD.getAndBitwiseOr(bits, word, taken & -1L << bit);
                        return ranges;
                    }
                }
            }
        }
        if (from >= 0) {
            ranges.add(range(from, regions, imageBytes));
        }
        return ranges;
    }

    private ByteRange range(long from, long end, long imageBytes) {
        long to = end >= regions ? imageBytes : end << shift;
        return new ByteRange(from << shift, to - (from << shift));
    }
}
