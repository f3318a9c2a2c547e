package io.farheap.layout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The Fletcher-64 variant that protects headers, descriptor, heap header and logs: two running
 * 32-bit sums over little-endian 32-bit words (docs/format.md#checksum).
 *
 * <p>Lengths and offsets are in bytes and multiples of 4; a checksum's own 8 bytes count as zero.
 * Nothing allocates; thread-safe.
 */
public final class Checksum {
    /** For {@code checksumOffset}: the range holds no checksum of its own. */
    public static final long NO_HOLE = -1;

    /** For {@code skipOffset}: the whole range counts. */
    public static final long NO_SKIP = 0;

    private static final ValueLayout.OfInt WORD =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong TWO_WORDS =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final int FOUR_WORDS = 16;

    /** So many are summed in one go: a loop that counts them is compiled better. */
    private static final int MOST_FOURS = 1 << 16;

    private Checksum() {}

    /**
     * The checksum of a structure.
     *
     * @param offset where the structure starts in {@code data}
     * @param length its size in bytes, a multiple of 4
     * @param checksumOffset where in the structure its checksum lies (these 8 bytes count as zero),
     *     or {@link #NO_HOLE}
     * @param skipOffset from where on in the structure every byte counts as zero, or {@link
     *     #NO_SKIP}
     */
    public static long of(
            MemorySegment data, long offset, long length, long checksumOffset, long skipOffset) {
        long end = skipOffset == NO_SKIP ? length : skipOffset;
        int lo = 0;
        int hi = 0;
        long at = 0;
        while (at < length) {
            if (at == checksumOffset || at >= end) {
                hi += lo;
                hi += lo;
                at += 8;
            } else {
                lo += data.get(WORD, offset + at);
                hi += lo;
                at += 4;
            }
        }
        return result(hi, lo);
    }

    /** {@link #wrongWord}: more than one word could be it. */
    static final long AMBIGUOUS = -2;

    /** {@link #wrongWord}: it is no single word. */
    static final long NONE = -1;

    /**
     * The word by which alone a structure differs from what its checksum was made of: the sums tell
     * by how much a word is wrong, and where, as far as 32 bits can.
     *
     * @param stored the checksum it had
     * @param ranges where in the structure to look: pairs of start and end, in bytes
     * @return the word's offset in the structure, {@link #NONE} or {@link #AMBIGUOUS}
     */
    static long wrongWord(
            MemorySegment data,
            long offset,
            long length,
            long checksumOffset,
            long skipOffset,
            long stored,
            long... ranges) {
        long computed = of(data, offset, length, checksumOffset, skipOffset);
        int wrongBy = (int) stored - (int) computed;
        int high = (int) (stored >>> 32) - (int) (computed >>> 32);
        long found = NONE;
        for (int range = 0; wrongBy != 0 && range < ranges.length; range += 2) {
            for (long at = ranges[range]; at < ranges[range + 1]; at += Integer.BYTES) {
                // A word counts in the upper sum once for itself and once for each word behind it.
                int times = (int) ((length - at) / Integer.BYTES);
                if (wrongBy * times == high) {
                    if (found != NONE) {
                        return AMBIGUOUS;
                    }
                    found = at;
                }
            }
        }
        // One half of the stored checksum may itself be what is wrong.
        return found != NONE && high == 0 ? AMBIGUOUS : found;
    }

    /** Goes with {@link #wrongWord}: adds what the word there lacks. */
    static void correct(MemorySegment data, long at, long stored, long computed) {
        data.set(WORD, at, data.get(WORD, at) + (int) stored - (int) computed);
    }

    /**
     * Goes on from an earlier checksum over {@code length} more bytes: log entries are summed in
     * pieces that do not lie side by side.
     */
    public static long continued(long previous, MemorySegment data, long offset, long length) {
        long sum = previous;
        long at = 0;
        while (length - at >= FOUR_WORDS) {
            int fours = (int) Math.min(MOST_FOURS, (length - at) / FOUR_WORDS);
            sum = fours(sum, data, offset + at, fours);
            at += (long) fours * FOUR_WORDS;
        }
        for (; at < length; at += Integer.BYTES) {
            int lo = (int) sum + data.get(WORD, offset + at);
            sum = result((int) (sum >>> 32) + lo, lo);
        }
        return sum;
    }

    /**
     * Sums every fourth word by itself, so that no addition waits for that of the word before. The
     * upper sum counts a word once for itself and once for each word behind it, which is four times
     * what it does among those, less its place among the four.
     */
    private static long fours(long previous, MemorySegment data, long offset, int count) {
        int lo0 = 0;
        int lo1 = 0;
        int lo2 = 0;
        int lo3 = 0;
        int hi0 = 0;
        int hi1 = 0;
        int hi2 = 0;
        int hi3 = 0;
        for (int i = 0; i < count; i++) {
            long first = data.get(TWO_WORDS, offset + (long) i * FOUR_WORDS);
            long second = data.get(TWO_WORDS, offset + (long) i * FOUR_WORDS + Long.BYTES);
            lo0 += (int) first;
            hi0 += lo0;
            lo1 += (int) (first >>> 32);
            hi1 += lo1;
            lo2 += (int) second;
            hi2 += lo2;
            lo3 += (int) (second >>> 32);
            hi3 += lo3;
        }
        int before = (int) previous;
        int own = 4 * (hi0 + hi1 + hi2 + hi3) - lo1 - 2 * lo2 - 3 * lo3;
        int hi = (int) (previous >>> 32) + 4 * count * before + own;
        return result(hi, before + lo0 + lo1 + lo2 + lo3);
    }

    /** Goes on from an earlier checksum over one 8-byte word, as it would lie on the medium. */
    public static long continued(long previous, long word) {
        int lo = (int) previous;
        int hi = (int) (previous >>> 32);
        lo += (int) word;
        hi += lo;
        lo += (int) (word >>> 32);
        hi += lo;
        return result(hi, lo);
    }

    private static long result(int hi, int lo) {
        return ((long) hi << 32) | (lo & 0xFFFFFFFFL);
    }
}
