package io.farheap.replication.fabric;

import java.time.Duration;

/**
 * An end of waiting, for several waits that share one bound. Immutable.
 *
 * @param nanos as System.nanoTime counts
 */
public record Deadline(long nanos) {
    /** Not in the life of a process. */
    public static final Deadline NONE = in(Duration.ofDays(36_500));

    /** That long from now. */
    public static Deadline in(Duration bound) {
        return new Deadline(System.nanoTime() + bound.toNanos());
    }

    /** The same, but no later than that long from now. */
    public Deadline orIn(Duration bound) {
        return left(bound).compareTo(bound) < 0 ? this : in(bound);
    }

    /** How long one wait may take that has a bound of its own; nothing when this is over. */
    public Duration left(Duration bound) {
        long left = Math.max(0, leftNanos());
        return left < bound.toNanos() ? Duration.ofNanos(left) : bound;
    }

    /** Negative when it is over. */
    public long leftNanos() {
        return nanos - System.nanoTime();
    }

    public boolean isOver() {
        return leftNanos() <= 0;
    }

    /** At least 1, for calls that take 0 for no limit. */
    public int leftMillis() {
        return Math.clamp(leftNanos() / 1_000_000, 1, Integer.MAX_VALUE);
    }
}
