package io.farheap.replication.session;

import java.util.random.RandomGenerator;

/**
 * Numbers of epochs. A fresh one is even and larger than all before it, as libpmemobj wants of a
 * run_id, and has a random part: nobody's +2, no other initiator and no earlier attempt ever
 * reaches it, so that equality of two numbers proves that the histories are one
 * (docs/protocol.md#fresh-number).
 */
public final class RunNumbers {
    private static final long SMALLEST_STEP = 1L << 20;
    private static final int RANDOM_BITS = 40;

    /** Some ten thousand switches: a number further ahead is a lie, or damage. */
    private static final long LONGEST_HISTORY = 1L << 55;

    private RunNumbers() {}

    /**
     * Whether a number that a replica tells of may lie on the way of a pool whose number is {@code
     * runId}: a larger one pushes the pool's own ahead, and numbers come to an end.
     */
    public static boolean isNear(long number, long runId) {
        return number <= 0 || number - runId < LONGEST_HISTORY;
    }

    /** Whether a pool with that number had replicas attached before: no open alone gets there. */
    public static boolean isOfSwitch(long runId) {
        return runId >= 2 * SMALLEST_STEP;
    }

    /** A number that nobody has or had, larger than {@code above}. */
    public static long fresh(long above, RandomGenerator random) {
        long even = above + (above & 1);
        return even + 2 * (SMALLEST_STEP + random.nextLong(1L << RANDOM_BITS));
    }
}
