package io.farheap.replication.fabric.verbs.disni;

import java.time.Duration;

/**
 * An end of waiting.
 *
 * @param nanos as System.nanoTime counts
 */
record Deadline(long nanos) {
    static Deadline in(Duration bound) {
        return new Deadline(System.nanoTime() + bound.toNanos());
    }

    long leftNanos() {
        return nanos - System.nanoTime();
    }

    boolean isOver() {
        return leftNanos() <= 0;
    }

    /** At least 1, for calls that take 0 for no limit. */
    int leftMillis() {
        return Math.clamp(leftNanos() / 1_000_000, 1, Integer.MAX_VALUE);
    }
}
