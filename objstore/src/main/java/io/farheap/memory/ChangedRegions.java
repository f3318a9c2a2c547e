package io.farheap.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which regions of an image were flushed since they were taken: for who copies it while it is
 * stored to. Stores come before their mark, and a region is taken before it is read: so what a copy
 * has missed is marked when the stores are over. Thread-safe; marking allocates nothing.
 */
public final class ChangedRegions {
    /** Half a KiB: many small commits make little to be copied again. */
    private static final int SMALLEST_SHIFT = 9;

    private static final int MOST_WORDS = 1 << 20;
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private final long imageBytes;
    private final int shift;
    private final long[] words;

    /** Takes a range of the image. */
    @FunctionalInterface
    public interface Visitor {
        void range(long offset, long length);
    }

    /** None is marked. */
    public ChangedRegions(long imageBytes) {
        this.imageBytes = imageBytes;
        int fitting = SMALLEST_SHIFT;
        while (words(imageBytes, fitting) > MOST_WORDS) {
            fitting++;
        }
        shift = fitting;
        words = new long[(int) words(imageBytes, shift)];
    }

    private static long words(long bytes, int shift) {
        return ((bytes - 1 >>> shift) >>> 6) + 1;
    }

    /** Marks a range; what lies behind the image's end, because it has grown, is passed over. */
    public void mark(long offset, long length) {
        long end = Math.min(offset + length, imageBytes);
        if (offset >= end) {
            return;
        }
        long last = end - 1 >>> shift;
        for (long region = offset >>> shift; region <= last; region++) {
            // Also where it is set: the store before it must not be seen after somebody takes it.
            long unused = (long) WORD.getAndBitwiseOr(words, (int) (region >>> 6), 1L << region);
        }
    }

    /** How many bytes are marked, roughly while others mark. */
    public long bytes() {
        long count = 0;
        for (int i = 0; i < words.length; i++) {
            count += Long.bitCount((long) WORD.getVolatile(words, i));
        }
        return count << shift;
    }

    /** Takes all marks, and names their ranges in order, each right after its marks were taken. */
    public void takeEach(Visitor visitor) {
        for (int i = 0; i < words.length; i++) {
            if ((long) WORD.getVolatile(words, i) != 0) {
                visit((long) WORD.getAndSet(words, i, 0L), (long) i << 6, visitor);
            }
        }
    }

    private void visit(long marks, long firstRegion, Visitor visitor) {
        long left = marks;
        while (left != 0) {
            int from = Long.numberOfTrailingZeros(left);
            int count = Long.numberOfTrailingZeros(~(left >>> from));
            long offset = firstRegion + from << shift;
            long end = Math.min(firstRegion + from + count << shift, imageBytes);
            visitor.range(offset, end - offset);
            left = from + count == Long.SIZE ? 0 : left >>> from + count << from + count;
        }
    }
}
