package io.farheap.layout;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * {@link Checksum} of long ranges, by pieces copied to the Java heap: fast from the first MiB on,
 * where a process has just started and a load from a segment is still many calls. For one thread;
 * allocates nothing but an array for the first long range.
 */
public final class BulkChecksum {
    private static final ValueLayout.OfInt WORD =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final int LANES = 4;

    /** Words that stay in the processor's nearest cache. */
    private static final int PIECE = 2048;

    /** Shorter ranges are summed where they are. */
    private static final int LEAST = 1024;

    private int[] piece;

    /** As {@link Checksum#continued(long, MemorySegment, long, long)}. */
    public long continued(long previous, MemorySegment data, long offset, long length) {
        if (length < LEAST) {
            return Checksum.continued(previous, data, offset, length);
        }
        if (piece == null) {
            piece = new int[PIECE];
        }
        long sum = previous;
        long at = 0;
        while (length - at >= LANES * Integer.BYTES) {
            int words = (int) Math.min(PIECE, (length - at) / Integer.BYTES) & -LANES;
            MemorySegment.copy(data, WORD, offset + at, piece, 0, words);
            sum = sum(sum, piece, words);
            at += (long) words * Integer.BYTES;
        }
        return Checksum.continued(sum, data, offset + at, length - at);
    }

    /**
     * Each lane sums every fourth word by itself, so that no addition waits for that of the word
     * before. The upper sum counts a word once for itself and once for each word behind it, which
     * is four times what its lane does, less its place among the four.
     */
    private static long sum(long previous, int[] words, int count) {
        int lo0 = 0;
        int lo1 = 0;
        int lo2 = 0;
        int lo3 = 0;
        int hi0 = 0;
        int hi1 = 0;
        int hi2 = 0;
        int hi3 = 0;
        for (int i = 0; i < count; i += LANES) {
            lo0 += words[i];
            hi0 += lo0;
            lo1 += words[i + 1];
            hi1 += lo1;
            lo2 += words[i + 2];
            hi2 += lo2;
            lo3 += words[i + 3];
            hi3 += lo3;
        }
        int before = (int) previous;
        int lo = before + lo0 + lo1 + lo2 + lo3;
        int own = LANES * (hi0 + hi1 + hi2 + hi3) - lo1 - 2 * lo2 - 3 * lo3;
        int hi = (int) (previous >>> 32) + count * before + own;
        return ((long) hi << 32) | (lo & 0xFFFFFFFFL);
    }
}
