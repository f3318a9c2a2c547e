package io.farheap.replication.stream;

import io.farheap.base.FarheapException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * How committers wait for the members' answers: whoever comes first polls the fabric for all, the
 * others yield and park until it wakes them; when it has what it wants, one of them goes on. There
 * is no thread between a committer and the fabric. Thread-safe, allocates nothing.
 */
final class DurabilityWaiter {
    /** After so many records of one thread alone the others are taken to have left. */
    private static final long CROWD_RECORDS = 64;

    /** One member is waited for so long at a time: another one may be lost meanwhile. */
    static final long TURN_NANOS = 20_000_000;

    private static final long LOST_PAUSE_NANOS = 1_000_000;

    /** Between two looks at members that have not taken all of a long record yet. */
    private static final long UNSENT_PAUSE_NANOS = 50_000;

    private final StreamSettings settings;
    private final long timeoutNanos;
    private final StreamMembers members;
    private final StreamOutcome outcome;
    private final StagingRing ring;
    private final InFlightRecords window;
    private final BatchPoster poster;
    private final BatchPoster.FailureListener failures;
    private final BatchPoster.FailureListener timeouts;
    private final Consumer<Throwable> faults;

    /** Held by the one thread that polls the fabric. */
    private final ReentrantLock polling = new ReentrantLock();

    /** Position up to which every member has applied durably. */
    private final AtomicLong appliedPosition = new AtomicLong();

    /**
     * Which thread appended the last record, and up to which one others are taken to be about:
     * hints, stored without order.
     */
    private Thread lastAppender;

    private long crowdedUpTo;

    DurabilityWaiter(
            StreamSettings settings,
            StreamMembers members,
            StreamOutcome outcome,
            StagingRing ring,
            InFlightRecords window,
            BatchPoster poster,
            BatchPoster.FailureListener failures,
            BatchPoster.FailureListener timeouts,
            Consumer<Throwable> faults) {
        this.settings = settings;
        this.timeoutNanos = settings.commitTimeout().toNanos();
        this.members = members;
        this.outcome = outcome;
        this.ring = ring;
        this.window = window;
        this.poster = poster;
        this.failures = failures;
        this.timeouts = timeouts;
        this.faults = faults;
    }

    /** Position up to which every member has applied durably, as far as was heard. */
    long appliedPosition() {
        return appliedPosition.get();
    }

    /** The calling thread has appended that record. */
    void noteAppender(long sequence) {
        Thread current = Thread.currentThread();
        if (lastAppender != current) {
            lastAppender = current;
            crowdedUpTo = sequence + CROWD_RECORDS;
        }
    }

    /** Whether several threads commit: whoever waits lets them go on instead of spinning. */
    private boolean isCrowded() {
        return ring.lastSequence() < crowdedUpTo;
    }

    /** Takes the answers that are there, or asks for some; does not wait. */
    void learnProgress() {
        if (!outcome.isFrozen() && polling.tryLock()) {
            try {
                boolean heard = false;
                boolean behind = false;
                for (AckedPositions replica : members.waitedFor()) {
                    heard |= poll(replica);
                    behind |= replica.appliedSequence() < ring.lastSequence();
                }
                if (behind && !heard) {
                    poster.askForProgress();
                }
                advance();
            } finally {
                polling.unlock();
            }
            wakeNextLeader();
            poster.tryPost();
        }
    }

    private boolean poll(AckedPositions replica) {
        if (replica.lost() != null) {
            return false;
        }
        try {
            return replica.connection().poll(replica) > 0;
        } catch (FarheapException e) {
            failures.failed(replica, e);
            return true;
        }
    }

    /**
     * Returns when the record is decided; freezes the stream when the time is over. An interrupt
     * must not cut a commit in two: it is kept for the caller.
     */
    void awaitDecided(long sequence) {
        boolean interrupted = false;
        long begin = System.nanoTime();
        while (!outcome.isDecided(sequence)) {
            poster.tryPost();
            long waited = System.nanoTime() - begin;
            if (poster.fault() != null) {
                faults.accept(poster.fault());
            } else if (waited >= timeoutNanos) {
                AckedPositions slowest = members.longestSilent();
                timeouts.failed(slowest, timedOut(slowest));
            } else if (members.isOneLost()) {
                interrupted |= Thread.interrupted();
                learnProgress();
                LockSupport.parkNanos(this, LOST_PAUSE_NANOS);
            } else if (polling.tryLock()) {
                try {
                    lead(sequence, begin + timeoutNanos);
                } finally {
                    polling.unlock();
                }
                wakeNextLeader();
            } else if (!settings.waiting().pause(waited, true)) {
                interrupted |= Thread.interrupted();
                park(sequence, timeoutNanos - waited);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private FarheapException timedOut(AckedPositions replica) {
        FarheapException lost = replica.lost();
        return FarheapException.replica(
                lost,
                "no answer within %s ms%s",
                settings.commitTimeout().toMillis(),
                lost == null ? "" : "; " + lost.getMessage());
    }

    /**
     * A lost member was reached again: sends it what its journal lacks.
     *
     * @param last the last record that it has; no answer to a commit: that has still to come
     * @param adopt called when nobody posts or polls, just before; false: it is not wanted
     * @return null; or why it can't go on from there
     */
    String resume(StreamMember fresh, long last, BooleanSupplier adopt) {
        polling.lock();
        try {
            AckedPositions replica = members.named(fresh.name());
            if (last < replica.durableSequence() || last > replica.postedSequence()) {
                return "its journal ends with record "
                        + last
                        + "; it answered for record "
                        + replica.durableSequence()
                        + " and got those up to "
                        + replica.postedSequence();
            }
            long begin = ring.endOf(last, replica.appliedSequence(), replica.appliedPosition());
            if (begin < 0) {
                return "the records after " + last + " are not there any more";
            }
            if (!adopt.getAsBoolean()) {
                return "nobody waits for it any more";
            }
            poster.resend(replica, fresh, begin);
        } finally {
            polling.unlock();
        }
        wakeNextLeader();
        poster.tryPost();
        return null;
    }

    private void lead(long sequence, long deadline) {
        while (!outcome.isDecided(sequence)) {
            long left = deadline - System.nanoTime();
            if (left <= 0 || members.isOneLost() || poster.fault() != null) {
                return;
            }
            AckedPositions slowest = members.slowestToAnswer();
            if (pollOthers(slowest)) {
                boolean unused = poll(slowest);
                pause(Math.min(left, UNSENT_PAUSE_NANOS));
            } else {
                await(slowest, Math.min(left, TURN_NANOS));
            }
            advance();
            poster.tryPost();
        }
    }

    /**
     * @return whether one of them has not taken all yet: the rest leaves only while it is polled,
     *     and nobody may be waited for alone meanwhile
     */
    private boolean pollOthers(AckedPositions slowest) {
        boolean unsent = false;
        for (AckedPositions replica : members.waitedFor()) {
            if (replica != slowest) {
                boolean unused = poll(replica);
                unsent |= replica.lost() == null && replica.connection().hasUnsent();
            }
        }
        return unsent;
    }

    /** A member has not taken all of what was posted: whoever waits for another one looks again. */
    void lookAtAll() {
        if (polling.isLocked() && !polling.isHeldByCurrentThread()) {
            for (AckedPositions replica : members.waitedFor()) {
                replica.connection().wake();
            }
        }
    }

    /** An interrupt is kept. */
    private void pause(long nanos) {
        boolean interrupted = Thread.interrupted();
        LockSupport.parkNanos(this, nanos);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void await(AckedPositions replica, long nanos) {
        try {
            replica.connection().await(replica, nanos, isCrowded());
        } catch (FarheapException e) {
            failures.failed(replica, e);
        }
    }

    private void advance() {
        InFlightRecords.raise(appliedPosition, members.appliedPosition());
        long before = outcome.durableSequence();
        long durable = members.durableSequence();
        if (outcome.advance(durable)) {
            window.wake(before, durable);
        }
    }

    private void park(long sequence, long nanos) {
        window.waitFor(sequence);
        // whoever stops polling looks for waiters afterwards, so one of us sees the other
        if (!outcome.isDecided(sequence) && polling.isLocked()) {
            LockSupport.parkNanos(this, nanos);
        }
        window.waitNoMore(sequence);
    }

    private void wakeNextLeader() {
        long durable = outcome.durableSequence();
        long last = ring.lastSequence();
        if (last > durable) {
            window.wakeOne(durable, last);
        }
    }
}
