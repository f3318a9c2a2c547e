package io.farheap.tools.verify;

import io.farheap.replication.session.ImageSums;
import java.lang.foreign.MemorySegment;
import java.util.stream.LongStream;

/**
 * The image of a copy that is mapped here: two of them are compared byte for byte.
 *
 * @param image readable by all threads
 */
record LocalBytes(MemorySegment image) implements Copy {
    /** Bytes that one thread compares at a time. */
    private static final long TOGETHER = 1 << 20;

    @Override
    public int[] sums(long from, long length, long chunk) {
        return ImageSums.of(image, from, length, chunk);
    }

    @Override
    public boolean isSame(Copy other, long from, long length) {
        return other instanceof LocalBytes local
                && mismatch(image, local.image, from, from + length) < 0;
    }

    /**
     * Where a piece begins in which two images differ, between two offsets of both; -1: they are
     * the same there.
     */
    static long mismatch(MemorySegment a, MemorySegment b, long from, long end) {
        return LongStream.range(0, (end - from + TOGETHER - 1) / TOGETHER)
                .parallel()
                .map(piece -> from + piece * TOGETHER)
                .filter(at -> differs(a, b, at, Math.min(at + TOGETHER, end)))
                .min()
                .orElse(-1);
    }

    private static boolean differs(MemorySegment a, MemorySegment b, long from, long end) {
        return MemorySegment.mismatch(a, from, end, b, from, end) >= 0;
    }
}
