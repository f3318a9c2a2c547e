package io.farheap.replication.stream;

import io.farheap.base.CommitUnknownException;
import io.farheap.base.FarheapException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Which records of a stream are decided: durable on every member, or, once the stream is frozen,
 * not to be waited for any more, and why. From the instant of freezing nothing is decided in favour
 * of a record (docs/protocol.md#freeze-answers). Thread-safe.
 */
final class StreamOutcome {
    private static final long FROZEN = Long.MIN_VALUE;

    private record Failure(String replica, FarheapException cause) {}

    /** The last sequence number durable on every member, and the FROZEN bit. */
    private final AtomicLong progress = new AtomicLong();

    private final AtomicReference<Failure> failure = new AtomicReference<>();

    /** The last sequence number durable on every member; final once frozen (the protocol's d). */
    long durableSequence() {
        return progress.get() & ~FROZEN;
    }

    boolean isFrozen() {
        return progress.get() < 0;
    }

    boolean isDecided(long sequence) {
        long now = progress.get();
        return now < 0 || now >= sequence;
    }

    /**
     * All members have the records up to {@code durable}.
     *
     * @return whether that is news, and counts
     */
    boolean advance(long durable) {
        long before = progress.get();
        return before >= 0 && durable > before && progress.compareAndSet(before, durable);
    }

    /**
     * The records up to {@code sequence} are to be committed: there is no member to wait for.
     *
     * @return false when the stream was frozen before
     */
    boolean decide(long sequence) {
        long now = progress.get();
        while (now >= 0 && now < sequence && !progress.compareAndSet(now, sequence)) {
            now = progress.get();
        }
        return durableSequence() >= sequence;
    }

    /**
     * Freezes; when this returns the stream is frozen.
     *
     * @return whether this call did it: the first one's reason is the one told
     */
    boolean freeze(String replica, FarheapException cause) {
        if (failure.compareAndSet(null, new Failure(replica, cause))) {
            progress.getAndUpdate(now -> now | FROZEN);
            return true;
        }
        while (!isFrozen()) {
            Thread.onSpinWait(); // another thread is between the two
        }
        return false;
    }

    /** For whose sake it was frozen; null while it was not. */
    String lostReplica() {
        Failure why = failure.get();
        return why == null ? null : why.replica();
    }

    /** Why it was frozen; null while it was not. */
    FarheapException cause() {
        Failure why = failure.get();
        return why == null ? null : why.cause();
    }

    /** What is thrown where a record was not decided before the stream was frozen. */
    CommitUnknownException unknown() {
        Failure why = failure.get();
        return new CommitUnknownException(
                why.replica(),
                "the commit was rolled back here; whether the replica "
                        + why.replica()
                        + " has it is unknown: "
                        + why.cause().getMessage(),
                why.cause());
    }

    /** What is thrown where a record can't be claimed. */
    FarheapException admissionClosed() {
        Failure why = failure.get();
        if (why == null) {
            return FarheapException.wrongUse("the pool is being closed: nothing can be committed");
        }
        return FarheapException.replica(
                why.cause(),
                "commits are refused until the replica %s is back: %s",
                why.replica(),
                why.cause().getMessage());
    }
}
