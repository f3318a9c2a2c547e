package io.farheap.memory;

import java.lang.foreign.MemorySegment;

/**
 * The persistence seam: how stores to one pool image become durable.
 *
 * <p>{@link #flush} starts write-back of a range, {@link #fence} waits until every range flushed by
 * this thread before it is durable. A store that was never flushed may or may not survive a power
 * loss, word by word; an aligned 8-byte store is never torn.
 *
 * <p>Most places need less than a fence: that what they flushed is durable before anything that is
 * flushed later by whoever saw it. {@link #order} is that; {@link #settle} makes durable what was
 * ordered, where somebody is told so who does not pass this seam. Where a medium knows no order but
 * durability, order is the fence, and nothing is left to settle.
 *
 * <p>Implementations are thread-safe. They throw {@link io.farheap.base.FarheapException} with
 * category ENVIRONMENT when the medium fails.
 */
public interface Persistence {

    /**
     * Starts write-back of {@code length} bytes at image offset {@code offset}.
     *
     * @param offset image offset in bytes, any alignment
     * @param length bytes, may be 0
     */
    void flush(long offset, long length);

    /**
     * Stores bytes and starts their write-back in one, where that costs less than a copy and a
     * flush.
     *
     * @param offset image offset in bytes, any alignment
     * @param source does not overlap the range
     * @return false: nothing was done
     */
    default boolean copyIn(long offset, MemorySegment source, long sourceOffset, long length) {
        return false;
    }

    /** Waits until everything this thread flushed before is durable. */
    void fence();

    /**
     * What this thread flushed before is durable before anything that is flushed after this, by
     * this thread or by one that has seen what this one stored.
     */
    default void order() {
        fence();
    }

    /** Waits until everything that any thread ordered before is durable. */
    default void settle() {}

    /** Whether every flush goes to further copies of the image, which may be found alone. */
    default boolean isMirrored() {
        return false;
    }
}
