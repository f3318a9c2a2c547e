package io.farheap.replication;

import io.farheap.CommitUnknownException;
import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.replication.fabric.FabricCounters;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.RecordLayout;
import io.farheap.spi.RecordSource;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The records of one epoch on their way to its members (protocol, sections 5 to 7, policy fail).
 *
 * <p>A committer claims a sequence number and a place in the staging ring under one short critical
 * section, encodes there, and posts what is ready, its own and others'. Who waits for durability
 * first polls the fabric for all; the others yield and park until it wakes them. There is no thread
 * between a committer and the fabric; a keeper thread only tells idle members what was committed,
 * so that their rings drain.
 *
 * <p>The stream ends by freezing: from that instant no answer counts, {@link #durableSequence} is
 * final, waiters beyond it throw, and nothing is claimed any more. It is made with the gate open,
 * for members that have all confirmed the epoch, and serves it alone: the next epoch is another
 * stream, with fresh connections, made when this one is quiet and its connections are closed.
 *
 * <p>Thread-safe. append, awaitDurable and committed allocate nothing in the steady state.
 */
public final class CommitStream {
    private static final long FROZEN = Long.MIN_VALUE;

    /** After so many records of one thread alone the others are taken to have left. */
    private static final long CROWD_RECORDS = 64;

    private static final long ROOM_PAUSE_NANOS = 50_000;

    private final StreamSettings settings;
    private final long timeoutNanos;
    private final long maxEntryBytes;
    private final RecordWindow window = new RecordWindow();
    private final StagingRing ring;
    private final ReplicaProgress[] replicas;
    private final BatchPoster poster;
    private final Runnable onFrozen;
    private final StreamKeeper keeper;

    /** Held by the one thread that polls the fabric. */
    private final ReentrantLock polling = new ReentrantLock();

    /** The last sequence number durable on every member, and the FROZEN bit. */
    private final AtomicLong progress = new AtomicLong();

    /** Position up to which every member has applied durably. */
    private final AtomicLong appliedPosition = new AtomicLong();

    /**
     * Which thread appended the last record, and up to which one others are taken to be about:
     * hints, stored without order.
     */
    private Thread lastAppender;

    private long crowdedUpTo;

    /** Records appended and neither committed nor rolled back. */
    private final AtomicLong outstanding = new AtomicLong();

    private final AtomicReference<Failure> failure = new AtomicReference<>();
    private volatile boolean hole;
    private volatile boolean closing;

    private record Failure(String replica, FarheapException cause) {}

    /**
     * Opens the gate.
     *
     * @param epoch the epoch's number, which all members have confirmed
     * @param staging as large as the members' rings; no other stream uses it any more
     * @param members at least one
     * @param onFrozen called once, on the thread that freezes the stream; must not block
     */
    public CommitStream(
            long epoch,
            MemorySegment staging,
            List<ReplicaLink> members,
            StreamSettings settings,
            Runnable onFrozen) {
        for (ReplicaLink member : members) {
            if (member.connection().remoteBytes() != staging.byteSize()) {
                throw new FarheapException(
                        Category.REPLICA,
                        "the journal of "
                                + member.name()
                                + " has "
                                + member.connection().remoteBytes()
                                + " bytes, not "
                                + staging.byteSize()
                                + "; give all replicas journals of one size");
            }
        }
        this.settings = settings;
        this.timeoutNanos = settings.commitTimeout().toNanos();
        this.ring = new StagingRing(epoch, staging, window);
        this.maxEntryBytes =
                RecordLayout.entryBytesIn(JournalLayout.maxRecordBytes(staging.byteSize()));
        this.replicas = members.stream().map(ReplicaProgress::new).toArray(ReplicaProgress[]::new);
        this.poster =
                new BatchPoster(ring, window, replicas, settings.batchesInFlight(), this::freeze);
        this.onFrozen = onFrozen;
        this.keeper = new StreamKeeper(this, settings.idle());
        keeper.start();
    }

    /** The most entry bytes one record may carry. */
    public long maxEntryBytes() {
        return maxEntryBytes;
    }

    /**
     * Claims, encodes and posts a record; waits, bounded, while there is no room for it.
     *
     * @return its sequence number
     * @throws FarheapException category REPLICA when the gate is closed or no room came up in time:
     *     nothing was claimed then
     */
    public long append(long entryBytes, RecordSource source) {
        if (entryBytes <= 0 || entryBytes > maxEntryBytes) {
            throw new FarheapException(
                    Category.WRONG_USE,
                    "a record of "
                            + entryBytes
                            + " bytes of changes does not fit: the replicas'"
                            + " journals take "
                            + maxEntryBytes
                            + "; create them with a larger journal-size");
        }
        long span = RecordLayout.span(entryBytes);
        long sequence = claim(span);
        noteAppender(sequence);
        try {
            ring.encode(sequence, span, entryBytes, source);
        } catch (RuntimeException | Error e) {
            ring.renounce(sequence, span);
            outstanding.getAndDecrement();
            poster.tryPost();
            throw e;
        }
        poster.tryPost();
        return sequence;
    }

    private void noteAppender(long sequence) {
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

    private long claim(long span) {
        // before the claim: quiescence must not be seen between the two
        outstanding.getAndIncrement();
        long sequence = StagingRing.CLOSED;
        try {
            sequence = tryClaim(span);
            if (sequence == StagingRing.NO_ROOM) {
                sequence = claimWhenRoom(span);
            }
            if (sequence == StagingRing.CLOSED) {
                throw gateClosed();
            }
            return sequence;
        } finally {
            if (sequence <= 0) {
                outstanding.getAndDecrement();
            }
        }
    }

    private long tryClaim(long span) {
        return closing
                ? StagingRing.CLOSED
                : ring.claim(span, appliedPosition.get(), poster.postedSequence());
    }

    private long claimWhenRoom(long span) {
        long begin = System.nanoTime();
        while (true) {
            tellCommitted();
            learnProgress();
            long sequence = tryClaim(span);
            if (sequence != StagingRing.NO_ROOM) {
                return sequence;
            }
            if (System.nanoTime() - begin > timeoutNanos) {
                throw new FarheapException(
                        Category.REPLICA,
                        "the journal of "
                                + slowestToApply().name()
                                + " had no room within "
                                + settings.commitTimeout().toMillis()
                                + " ms; does its agent still apply?");
            }
            pauseForMembers();
        }
    }

    /** Passes the time in which members apply; an interrupt is kept. */
    private void pauseForMembers() {
        boolean interrupted = Thread.interrupted();
        LockSupport.parkNanos(this, ROOM_PAUSE_NANOS);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Takes the answers that are there, or asks for some; does not wait. */
    void learnProgress() {
        if (!isFrozen() && polling.tryLock()) {
            try {
                boolean heard = false;
                boolean behind = false;
                for (ReplicaProgress replica : replicas) {
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

    private boolean poll(ReplicaProgress replica) {
        try {
            return replica.connection().poll(replica) > 0;
        } catch (FarheapException e) {
            freeze(replica, e);
            return true;
        }
    }

    /**
     * Waits until the record is durable on every member.
     *
     * @throws CommitUnknownException when that is not established within the bound: the stream is
     *     frozen then
     */
    public void awaitDurable(long sequence) {
        if (durableSequence() < sequence) {
            boolean interrupted = false;
            long begin = System.nanoTime();
            while (!isDecided(sequence)) {
                poster.tryPost();
                long waited = System.nanoTime() - begin;
                if (waited >= timeoutNanos) {
                    freeze(slowestToFlush(), timedOut());
                } else if (polling.tryLock()) {
                    try {
                        lead(sequence, begin + timeoutNanos);
                    } finally {
                        polling.unlock();
                    }
                    wakeNextLeader();
                } else if (!settings.waiting().pause(waited, true)) {
                    // an interrupt must not cut a commit in two: it is kept for the caller
                    interrupted |= Thread.interrupted();
                    park(sequence, timeoutNanos - waited);
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            if (durableSequence() < sequence) {
                throw unknown();
            }
        }
    }

    private boolean isDecided(long sequence) {
        long now = progress.get();
        return now < 0 || now >= sequence;
    }

    private void lead(long sequence, long deadline) {
        while (!isDecided(sequence)) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return;
            }
            ReplicaProgress slowest = slowestToAnswer();
            for (ReplicaProgress replica : replicas) {
                if (replica != slowest) {
                    poll(replica);
                }
            }
            await(slowest, left);
            advance();
            poster.tryPost();
        }
    }

    private void await(ReplicaProgress replica, long nanos) {
        try {
            replica.connection().await(replica, nanos, isCrowded());
        } catch (FarheapException e) {
            freeze(replica, e);
        }
    }

    private void advance() {
        long durable = Long.MAX_VALUE;
        long applied = Long.MAX_VALUE;
        for (ReplicaProgress replica : replicas) {
            durable = Math.min(durable, replica.durableSequence());
            applied = Math.min(applied, replica.appliedPosition());
        }
        RecordWindow.raise(appliedPosition, applied);
        long before = progress.get();
        if (before >= 0 && durable > before && progress.compareAndSet(before, durable)) {
            window.wake(before, durable);
        }
    }

    private void park(long sequence, long nanos) {
        window.waitFor(sequence);
        // whoever stops polling looks for waiters afterwards, so one of us sees the other
        if (!isDecided(sequence) && polling.isLocked()) {
            LockSupport.parkNanos(this, nanos);
        }
        window.waitNoMore(sequence);
    }

    private void wakeNextLeader() {
        long durable = durableSequence();
        long last = ring.lastSequence();
        if (last > durable) {
            window.wakeOne(durable, last);
        }
    }

    /** The record's changes are durable in the local pool. */
    public void committed(long sequence) {
        window.commit(sequence);
        outstanding.getAndDecrement();
    }

    /** The record's changes were undone in the local pool, durably. */
    public void rolledBack(long sequence) {
        freeze(
                slowestToFlush(),
                new FarheapException(
                        Category.REPLICA,
                        "a transaction was rolled back after its record had left"));
        if (sequence <= durableSequence()) {
            hole = true;
        }
        outstanding.getAndDecrement();
    }

    /**
     * Closes the gate for good: no answer counts from now on. Only the first call does anything.
     */
    void freeze(ReplicaProgress replica, FarheapException cause) {
        if (!failure.compareAndSet(null, new Failure(replica.name(), cause))) {
            while (!isFrozen()) {
                Thread.onSpinWait(); // another thread is at the next line
            }
            return;
        }
        long durable = progress.getAndUpdate(now -> now | FROZEN);
        ring.close();
        poster.stop();
        closeConnections(); // wakes who waits for an answer
        window.wake(durable, ring.lastSequence());
        onFrozen.run();
    }

    /**
     * Closes the gate and freezes, from outside: a member's control connection is lost.
     *
     * @param replica its name
     */
    public void freeze(String replica, FarheapException cause) {
        for (ReplicaProgress member : replicas) {
            if (member.name().equals(replica)) {
                freeze(member, cause);
                return;
            }
        }
        throw new FarheapException(Category.WRONG_USE, replica + " is no member of this epoch");
    }

    public boolean isFrozen() {
        return progress.get() < 0;
    }

    /** The last sequence number durable on every member; final once frozen (the protocol's d). */
    public long durableSequence() {
        return progress.get() & ~FROZEN;
    }

    /**
     * Whether a record up to {@link #durableSequence} was rolled back here: then the members can't
     * be told to apply up to it, and must be sent the content instead, as after a crash.
     */
    public boolean needsContent() {
        return hole;
    }

    /**
     * Waits until nobody is between append and committed or rolledBack; meant for a closed gate.
     *
     * @return false when the time was over
     */
    public boolean awaitQuiet(Duration bound) {
        long begin = System.nanoTime();
        while (outstanding.get() > 0 && System.nanoTime() - begin < bound.toNanos()) {
            pauseForMembers();
        }
        return outstanding.get() == 0;
    }

    /**
     * For close: no more claims; waits until nobody is under way and every member has applied
     * everything durably.
     *
     * @throws FarheapException category REPLICA when that takes longer than the bound
     */
    public void drain(Duration bound) {
        long deadline = System.nanoTime() + bound.toNanos();
        closing = true;
        if (!awaitQuiet(bound)) {
            throw new FarheapException(
                    Category.REPLICA,
                    "commits are still under way after " + bound.toMillis() + " ms");
        }
        while (!isFrozen() && System.nanoTime() < deadline) {
            tellCommitted();
            learnProgress();
            if (ring.hasToldCommits()
                    && slowestToApply().appliedSequence() == ring.lastSequence()) {
                ring.close();
                return;
            }
            pauseForMembers();
        }
        if (isFrozen()) {
            throw gateClosed();
        }
        throw new FarheapException(
                Category.REPLICA,
                "the replica "
                        + slowestToApply().name()
                        + " has not applied everything within "
                        + bound.toMillis()
                        + " ms; it catches up at the next open");
    }

    /** Ends the stream: no more posting, the keeper gone, the connections closed. Idempotent. */
    public void abandon() {
        ring.close();
        keeper.stop();
        poster.stop();
        closeConnections();
        poster.awaitStopped();
    }

    private void closeConnections() {
        for (ReplicaProgress replica : replicas) {
            replica.connection().close();
        }
    }

    /** What each member's connection did so far, in their order. */
    public List<FabricCounters> counters() {
        List<FabricCounters> counters = new ArrayList<>();
        for (ReplicaProgress replica : replicas) {
            counters.add(replica.connection().counters());
        }
        return counters;
    }

    /** Appends an empty record where members don't know of all commits and there is room. */
    void tellCommitted() {
        if (!isFrozen() && ring.tellCommitted(appliedPosition.get(), poster.postedSequence()) > 0) {
            poster.tryPost();
        }
    }

    long lastSequence() {
        return ring.lastSequence();
    }

    /** One that has an answer to give, if any has: all are needed, so it is worth waiting for. */
    private ReplicaProgress slowestToAnswer() {
        ReplicaProgress slowest = replicas[0];
        for (ReplicaProgress replica : replicas) {
            if (replica.answers() < slowest.answers()) {
                slowest = replica;
            }
        }
        return slowest;
    }

    private ReplicaProgress slowestToFlush() {
        ReplicaProgress slowest = replicas[0];
        for (ReplicaProgress replica : replicas) {
            if (replica.durableSequence() < slowest.durableSequence()) {
                slowest = replica;
            }
        }
        return slowest;
    }

    private ReplicaProgress slowestToApply() {
        ReplicaProgress slowest = replicas[0];
        for (ReplicaProgress replica : replicas) {
            if (replica.appliedSequence() < slowest.appliedSequence()) {
                slowest = replica;
            }
        }
        return slowest;
    }

    private FarheapException timedOut() {
        return new FarheapException(
                Category.REPLICA,
                "no answer within " + settings.commitTimeout().toMillis() + " ms");
    }

    private CommitUnknownException unknown() {
        Failure why = failure.get();
        return new CommitUnknownException(
                why.replica(),
                "the commit was rolled back here; whether the replica "
                        + why.replica()
                        + " has it is unknown: "
                        + why.cause().getMessage(),
                why.cause());
    }

    private FarheapException gateClosed() {
        Failure why = failure.get();
        if (why == null) {
            return new FarheapException(
                    Category.WRONG_USE, "the pool is being closed: nothing can be committed");
        }
        return new FarheapException(
                Category.REPLICA,
                "commits are refused until the replica "
                        + why.replica()
                        + " is back: "
                        + why.cause().getMessage(),
                why.cause());
    }
}
