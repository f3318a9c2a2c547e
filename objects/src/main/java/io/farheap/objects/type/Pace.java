package io.farheap.objects.type;

import io.farheap.objects.transaction.HeapTransactions;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * How work that can wait leaves processors and memory to the transactions of others: it rests after
 * each portion in which others committed. Where nobody else commits it never rests. Not
 * thread-safe.
 */
final class Pace {
    /** Longer than a clock is inexact, and shorter than what a person notices. */
    static final long PORTION_NANOS = 1_000_000;

    /** A portion that took longer was held up by something else. */
    private static final long MOST_REST_NANOS = 10_000_000;

    /** Steps between two looks at the clock. */
    private static final int STEPS = 128;

    private final LongSupplier commits;
    private final LongSupplier nanos;
    private final LongConsumer rest;

    private int steps;
    private boolean isHurried;
    private long ownCommits;
    private long begin;
    private long commitsAtBegin;
    private boolean isAlone = true;

    Pace(HeapTransactions heap) {
        this(heap::commits, System::nanoTime, LockSupport::parkNanos);
    }

    /**
     * @param commits how many there were, one's own included
     */
    Pace(LongSupplier commits, LongSupplier nanos, LongConsumer rest) {
        this.commits = commits;
        this.nanos = nanos;
        this.rest = rest;
        beginPortion();
    }

    private void beginPortion() {
        steps = 0;
        ownCommits = 0;
        begin = nanos.getAsLong();
        commitsAtBegin = commits.getAsLong();
    }

    /** Work that is not to be longer than it must be. */
    void hurry(boolean isHurriedNow) {
        isHurried = isHurriedNow;
    }

    /** After a short step that commits nothing: rests three times as long as it worked. */
    void step() {
        if (++steps == STEPS) {
            steps = 0;
            rest(3);
        }
    }

    /** After an own commit, for which later ones of others wait: rests longer. */
    void committed() {
        ownCommits++;
        rest(4);
    }

    /** Whether nobody else committed in the portion before this one. */
    boolean isAlone() {
        return isAlone;
    }

    private void rest(int timesWork) {
        long worked = nanos.getAsLong() - begin;
        if (worked < PORTION_NANOS) {
            return;
        }
        isAlone = commits.getAsLong() - commitsAtBegin <= ownCommits;
        if (!isAlone && !isHurried) {
            rest.accept(Math.min(worked * timesWork, MOST_REST_NANOS));
        }
        beginPortion();
    }
}
