package io.farheap.engine;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How often something took how long, in buckets whose bounds are 1/16 apart at most. Who adds
 * allocates nothing; lanes far apart add to places far apart. Thread-safe.
 */
final class Durations {
    /** Buckets of one doubling, as a power of two. */
    private static final int SHIFT = 4;

    private static final int STEPS = 1 << SHIFT;

    /** What takes longer, more than two minutes, is in the last bucket. */
    private static final int HIGHEST_BIT = 36;

    static final int BUCKETS = (HIGHEST_BIT - SHIFT + 2) * STEPS;

    private static final int STRIPES = 8;

    private final String name;

    /** Null until {@link #allocate}: what is added before counts for nothing. */
    private volatile AtomicLongArray counts;

    Durations(String name) {
        this.name = name;
    }

    synchronized void allocate() {
        if (counts == null) {
            counts = new AtomicLongArray(STRIPES * BUCKETS);
        }
    }

    void add(int lane, long nanos) {
        AtomicLongArray to = counts;
        if (to != null) {
            to.getAndIncrement(lane % STRIPES * BUCKETS + bucket(nanos));
        }
    }

    /** Those that there are, each with the bound that it stays below: {@code nameBelow4352}. */
    void addTo(Map<String, Long> figures) {
        AtomicLongArray from = counts;
        for (int bucket = 0; from != null && bucket < BUCKETS; bucket++) {
            long count = 0;
            for (int stripe = 0; stripe < STRIPES; stripe++) {
                count += from.get(stripe * BUCKETS + bucket);
            }
            if (count > 0) {
                figures.put(name + "Below" + least(bucket + 1), count);
            }
        }
    }

    static int bucket(long nanos) {
        if (nanos < STEPS) {
            return (int) Math.max(0, nanos);
        }
        int bit = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
        if (bit > HIGHEST_BIT) {
            return BUCKETS - 1;
        }
        int step = (int) (nanos >>> bit - SHIFT) & STEPS - 1;
        return (bit - SHIFT + 1) * STEPS + step;
    }

    /** The shortest time of a bucket. */
    static long least(int bucket) {
        int doublings = bucket / STEPS;
        return doublings == 0 ? bucket : (long) (STEPS + bucket % STEPS) << doublings - 1;
    }
}
