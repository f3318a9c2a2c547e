package io.farheap.replication;

import java.util.random.RandomGenerator;

/**
 * Numbers of epochs. A fresh one is even and larger than all before it, as libpmemobj wants of a
 * run_id, and has a random part: nobody's +2, no other initiator and no earlier attempt ever
 * reaches it, so that equality of two numbers proves that the histories are one.
 */
public final class RunNumbers {
    private static final long SMALLEST_STEP = 1L << 20;
    private static final int RANDOM_BITS = 40;

    private RunNumbers() {}

    /** A number that nobody has or had, larger than {@code above}. */
    public static long fresh(long above, RandomGenerator random) {
        long even = above + (above & 1);
        return even + 2 * (SMALLEST_STEP + random.nextLong(1L << RANDOM_BITS));
    }
}
