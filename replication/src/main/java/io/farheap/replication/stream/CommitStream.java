package io.farheap.replication.stream;

import io.farheap.base.CommitUnknownException;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.replication.dirty.LagDirtyMaps;
import io.farheap.replication.fabric.FabricCounters;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.RecordEncoder;
import io.farheap.replication.journal.RecordLayout;
import io.farheap.spi.RecordSource;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The records of one epoch on their way to its members (docs/protocol.md#a-commit).
 *
 * <p>A committer claims a sequence number and a place in the staging ring under one short critical
 * section, encodes there, and posts what is ready, its own and others'. Who waits for durability
 * first polls the fabric for all; the others yield and park until it wakes them. There is no thread
 * between a committer and the fabric; a housekeeper thread only tells idle members what was
 * committed, so that their rings drain.
 *
 * <p>The stream ends by freezing: from that instant no answer counts, {@link #durableSequence} is
 * final, waiters beyond it throw, and nothing is claimed any more. It is made with admission open,
 * for members that have all confirmed the epoch, and serves it alone: the next epoch is another
 * stream, with fresh connections, made when this one is quiet and its connections are closed.
 *
 * <p>Thread-safe. append, awaitDurable and committed allocate nothing in the steady state.
 */
public final class CommitStream {
    /** What a record may carry whatever the ring's capacity is. */
    public static final long LEAST_ENTRY_BYTES =
            RecordLayout.entryBytesIn(JournalLayout.maxRecordBytes(JournalLayout.MIN_CAPACITY));

    private static final long ROOM_PAUSE_NANOS = 50_000;

    private final String poolset;
    private final StreamSettings settings;
    private final long timeoutNanos;
    private final long maxEntryBytes;
    private final InFlightRecords window = new InFlightRecords();
    private final StagingRing ring;
    private final StreamMembers members;
    private final StreamOutcome outcome = new StreamOutcome();
    private final BatchPoster poster;
    private final DurabilityWaiter answers;
    private final StreamListener listener;
    private final StreamHousekeeper housekeeper;
    private final AsyncFeeds feeds;
    private final LagDirtyMaps lagMaps;

    /** Records appended that have not ended. */
    private final AtomicLong outstanding = new AtomicLong();

    private volatile boolean hole;
    private volatile boolean failedHere;
    private volatile boolean closing;

    /** Nobody waits any more: that a connection ends is no loss then. */
    private volatile boolean ended;

    /**
     * Opens admission.
     *
     * @param epoch the epoch's number, which all members have confirmed
     * @param staging as large as the members' rings; no other stream uses it any more
     * @param members at least one
     * @param onFrozen called once, on the thread that freezes the stream; must not block. Whoever
     *     is lost is not reached again
     */
    public CommitStream(
            long epoch,
            MemorySegment staging,
            List<StreamMember> members,
            StreamSettings settings,
            Runnable onFrozen) {
        this(
                "",
                epoch,
                staging,
                members,
                settings,
                StreamListener.freezing(onFrozen),
                LagDirtyMaps.NONE);
    }

    /**
     * The same with what notes which places members lack that may lag.
     *
     * @param poolset the pool's poolset file, for events
     */
    public CommitStream(
            String poolset,
            long epoch,
            MemorySegment staging,
            List<StreamMember> members,
            StreamSettings settings,
            StreamListener listener,
            LagDirtyMaps lagMaps) {
        this.members = new StreamMembers(members, staging.byteSize(), epoch);
        this.poolset = poolset;
        this.settings = settings;
        this.timeoutNanos = settings.commitTimeout().toNanos();
        this.ring = new StagingRing(epoch, staging, window);
        this.maxEntryBytes =
                RecordLayout.entryBytesIn(JournalLayout.maxRecordBytes(staging.byteSize()));
        this.poster =
                new BatchPoster(
                        ring,
                        window,
                        this.members.waitedFor(),
                        settings.batchesInFlight(),
                        this::lost);
        this.answers =
                new DurabilityWaiter(
                        settings,
                        this.members,
                        outcome,
                        ring,
                        window,
                        poster,
                        this::lost,
                        this::freeze,
                        this::freezeHere);
        this.poster.onUnsent(answers::lookAtAll);
        this.listener = listener;
        this.lagMaps = lagMaps;
        this.feeds = new AsyncFeeds(this.members, ring, poster, settings, this::freeze);
        this.housekeeper = new StreamHousekeeper(this, settings.idle());
        boolean started = false;
        try {
            feeds.start();
            housekeeper.start();
            started = true;
        } finally {
            if (!started) {
                abandon();
            }
        }
    }

    /** The most entry bytes one record may carry. */
    public long maxEntryBytes() {
        return maxEntryBytes;
    }

    /**
     * Claims, encodes and posts a record; waits, bounded, while there is no room for it.
     *
     * @return its sequence number
     * @throws FarheapException category REPLICA when admission is closed or no room came up in
     *     time: nothing was claimed then
     */
    public long append(long entryBytes, RecordSource source) {
        long sequence = tryAppend(entryBytes, source);
        if (sequence == StagingRing.CLOSED) {
            throw outcome.admissionClosed();
        }
        return sequence;
    }

    /** The same, or {@link StagingRing#CLOSED} when admission is closed. */
    public long tryAppend(long entryBytes, RecordSource source) {
        if (entryBytes <= 0 || entryBytes > maxEntryBytes) {
            throw FarheapException.wrongUse(
                    "a record of %s bytes of changes does not fit: the replicas' journals"
                            + " take %s; create them with a larger journal-size",
                    entryBytes, maxEntryBytes);
        }
        long span = RecordLayout.span(entryBytes);
        RecordEncoder encoder = ring.encoder();
        long sequence = claim(encoder, span);
        if (sequence == StagingRing.CLOSED) {
            return sequence;
        }
        answers.noteAppender(sequence);
        try {
            ring.encode(encoder, sequence, span, entryBytes, source);
        } catch (RuntimeException | Error e) {
            renounce(encoder, sequence, span);
            outstanding.getAndDecrement();
            throw e;
        }
        try {
            poster.tryPost();
            feeds.wake();
        } catch (RuntimeException | Error e) {
            poster.fail(e); // the record is claimed: who waits for it is told
        }
        return sequence;
    }

    /** Nobody knows that record; where even this fails, the stream ends. */
    private void renounce(RecordEncoder encoder, long sequence, long span) {
        try {
            ring.renounce(encoder, sequence, span);
            poster.tryPost();
        } catch (RuntimeException | Error e) {
            poster.fail(e);
        }
    }

    private long claim(RecordEncoder encoder, long span) {
        // before the claim: quiescence must not be seen between the two
        outstanding.getAndIncrement();
        long sequence = StagingRing.CLOSED;
        try {
            sequence = tryClaim(span);
            if (sequence == StagingRing.NO_ROOM) {
                sequence = claimWhenRoom(encoder, span);
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
                : ring.claim(
                        span,
                        answers.appliedPosition(),
                        poster.postedSequence(),
                        feeds.limit(span));
    }

    /**
     * Members free room by applying, and need to know what is committed for that
     * (docs/protocol.md#watermark-when-idle).
     */
    private long claimWhenRoom(RecordEncoder encoder, long span) {
        long begin = System.nanoTime();
        BackPressureEvent pressure = new BackPressureEvent();
        pressure.begin();
        AsyncFeed heldBackBy = null;
        while (true) {
            sendCommitWatermark();
            feeds.wantRoom();
            learnProgress();
            AsyncFeed lagging = feeds.holdingBack(span);
            heldBackBy = lagging != null ? lagging : heldBackBy;
            long sequence = tryClaim(span);
            if (sequence == StagingRing.CLOSED) {
                return sequence;
            }
            if (sequence != StagingRing.NO_ROOM) {
                report(pressure, heldBackBy, encoder, sequence, span);
                return sequence;
            }
            if (System.nanoTime() - begin > timeoutNanos) {
                return withoutTheSlowest(lagging);
            }
            pauseForMembers();
        }
    }

    private void report(
            BackPressureEvent pressure,
            AsyncFeed feed,
            RecordEncoder encoder,
            long sequence,
            long span) {
        try {
            pressure.report(poolset, feed);
        } catch (RuntimeException | Error e) {
            renounce(encoder, sequence, span);
            throw e;
        }
    }

    /** Who can be done without is lost when it applies nothing; for the others' sake it throws. */
    private long withoutTheSlowest(AsyncFeed lagging) {
        AsyncFeed lost = lagging != null ? lagging : feeds.of(members.slowestToApply());
        if (lost != null) {
            freeze(lost.replica(), feeds.lost(lost));
            return StagingRing.CLOSED;
        }
        AckedPositions slowest = members.slowestToApply();
        FarheapException noRoom =
                FarheapException.replica(
                        "the journal of %s had no room within %s ms%s",
                        slowest.name(),
                        settings.commitTimeout().toMillis(),
                        slowest.lost() == null
                                ? "; does its agent still apply?"
                                : ": " + slowest.lost().getMessage());
        if (!slowest.link().optional()) {
            throw noRoom;
        }
        freeze(slowest, noRoom);
        return StagingRing.CLOSED;
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
        answers.learnProgress();
    }

    /**
     * Waits until the record is durable on every member.
     *
     * @throws CommitUnknownException when that is not established within the bound: the stream is
     *     frozen then
     */
    public void awaitDurable(long sequence) {
        if (!awaitOutcome(sequence)) {
            throw outcome.unknown();
        }
    }

    /**
     * Waits until the record is decided, within the commit's bound.
     *
     * @return whether it is durable on every member
     */
    public boolean awaitOutcome(long sequence) {
        if (!members.areWaitedFor()) {
            return outcome.decide(sequence);
        }
        if (durableSequence() < sequence) {
            answers.awaitDecided(sequence);
        }
        return durableSequence() >= sequence;
    }

    /** Why a record was not decided before the stream was frozen. */
    public CommitUnknownException unknown() {
        return outcome.unknown();
    }

    /** Why nothing can be claimed any more. */
    public FarheapException admissionClosed() {
        return outcome.admissionClosed();
    }

    /** The record's changes are durable in the local pool. */
    public void committed(long sequence) {
        window.commit(sequence);
        outstanding.getAndDecrement();
    }

    /** The record's changes were undone in the local pool, durably. */
    public void rolledBack(long sequence) {
        freezeHere("a transaction was rolled back after its record had left", null);
        if (sequence <= durableSequence()) {
            hole = true;
        }
        outstanding.getAndDecrement();
    }

    /**
     * Whether the record's changes are in the local pool only its next opening can tell: nothing is
     * told of it, and no epoch of this run follows.
     */
    public void broken(long sequence) {
        hole = true; // in this order: who sees that all is quiet sees this
        try {
            freezeHere("the pool failed in the middle of a commit or roll-back", null);
        } catch (RuntimeException | Error e) {
            poster.fail(e);
        } finally {
            outstanding.getAndDecrement();
        }
    }

    /** The stream ends, and no member is to blame. */
    private void freezeHere(String why, Throwable cause) {
        if (!isFrozen()) {
            failedHere = true;
        }
        freeze(members.slowestToFlush(), new FarheapException(Category.REPLICA, why, cause));
    }

    private void freezeHere(Throwable fault) {
        freezeHere("posting failed by a fault: " + fault, fault);
    }

    /**
     * Closes admission for good: no answer counts from now on. Only the first call does anything.
     */
    void freeze(AckedPositions replica, FarheapException cause) {
        if (ended || !outcome.freeze(replica.name(), cause)) {
            return;
        }
        ring.close();
        poster.stop();
        feeds.giveUp(replica);
        members.closeConnections(); // wakes who waits for an answer
        window.wake(outcome.durableSequence(), ring.lastSequence());
        listener.frozen();
    }

    /** A member's connection broke: it is reached again where somebody does that. */
    private void lost(AckedPositions replica, FarheapException cause) {
        lost(replica, replica.link(), cause);
    }

    private void lost(AckedPositions replica, StreamMember link, FarheapException cause) {
        if (ended || isFrozen() || replica.isAtFault() || feeds.of(replica) != null) {
            freeze(replica, cause);
            return;
        }
        long since = replica.lose(link.connection(), cause);
        if (since != 0) {
            link.connection().close();
            if (!listener.lost(this, link, cause, since)) {
                freeze(replica, cause);
            }
        }
    }

    /** The same, from outside: a member's control connection is lost. */
    public void lost(StreamMember link, FarheapException cause) {
        lost(members.named(link.name()), link, cause);
    }

    /**
     * Goes on with a lost member over another connection (docs/protocol.md#reconnect).
     *
     * @param fresh its agent has destroyed the earlier connection, flushed and scanned the journal
     * @param last the last record that its journal has
     * @param adopt called when nobody posts or polls, just before; false: it is not wanted
     * @return null; or why it can't go on: then nothing was done
     */
    public String resume(StreamMember fresh, long last, BooleanSupplier adopt) {
        String refusal = answers.resume(fresh, last, adopt);
        if (isFrozen() || ended) {
            fresh.connection().close();
        }
        return refusal;
    }

    /**
     * Closes admission and freezes, from outside: a member's control connection is lost.
     *
     * @param replica its name
     */
    public void freeze(String replica, FarheapException cause) {
        freeze(members.named(replica), cause);
    }

    public boolean isFrozen() {
        return outcome.isFrozen();
    }

    /** The member for whose sake the stream was frozen; null where it was frozen for none's. */
    public String lostReplica() {
        return failedHere ? null : outcome.lostReplica();
    }

    /** Why the stream was frozen; null while it was not. */
    public FarheapException whyFrozen() {
        return outcome.cause();
    }

    /** No more claims; who waits waits on. */
    public void closeAdmission() {
        ring.close();
    }

    /** Claims again; unless it was frozen meanwhile. */
    public void reopenAdmission() {
        ring.reopen();
        if (isFrozen()) {
            ring.close();
        }
    }

    /** Records appended that have not ended. */
    public long outstanding() {
        return outstanding.get();
    }

    /** The last sequence number durable on every member; final once frozen (the protocol's d). */
    public long durableSequence() {
        return outcome.durableSequence();
    }

    /**
     * Whether a record up to {@link #durableSequence} was rolled back here: then the members can't
     * be told to apply up to it, and must be sent the content instead, as after a crash.
     */
    public boolean needsContent() {
        return hole;
    }

    /**
     * Waits until every record that was appended has ended; meant for closed admission.
     *
     * @return false when the time was over
     */
    boolean awaitQuiet(Duration bound) {
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
            throw FarheapException.replica(
                    "commits are still under way after %s ms", bound.toMillis());
        }
        while (!isFrozen() && System.nanoTime() < deadline) {
            sendCommitWatermark();
            learnProgress();
            if (ring.isWatermarkSent()
                    && members.slowestToApply().appliedSequence() == ring.lastSequence()) {
                ring.close();
                ended = true; // who closes a connection now is not to be reached again
                return;
            }
            pauseForMembers();
        }
        if (isFrozen()) {
            throw outcome.admissionClosed();
        }
        throw FarheapException.replica(
                "the replica %s has not applied everything within %s ms; it catches up"
                        + " at the next open",
                members.slowestToApply().name(), bound.toMillis());
    }

    /**
     * Gives members that lag what is decided, those that still take it; meant for a stream that is
     * frozen or quiet.
     */
    public void awaitFed(Duration bound) {
        feeds.awaitFed(durableSequence(), bound);
    }

    /** What a member lacks that commits don't wait for; null for others. */
    public AsyncFeed feed(String name) {
        return feeds.of(members.named(name));
    }

    /** To be called now and then: forgets what was noted of members that may lag and have it. */
    void clearNotes() {
        lagMaps.tidy(members.durableOnLagging(), ring::lastSequence);
    }

    /** To be called now and then: looks after members that may lag, and after posting. */
    void lookAfterLag() {
        Throwable fault = poster.fault();
        if (fault != null && !isFrozen()) {
            freezeHere(fault);
        }
        feeds.report(poolset);
        AsyncFeed overdue = feeds.overdue();
        if (overdue != null && !isFrozen()) {
            freeze(overdue.replica(), feeds.lost(overdue));
        }
    }

    /**
     * Ends the stream: no more posting, the housekeeper gone, the connections closed. Idempotent.
     */
    public void abandon() {
        ended = true;
        ring.close();
        listener.ended();
        housekeeper.stop();
        poster.stop();
        feeds.stop();
        members.closeAllConnections();
        poster.awaitStopped();
        feeds.awaitStopped();
        lagMaps.close();
    }

    /** What each member's connection did so far, in their order. */
    public List<FabricCounters> counters() {
        return members.counters();
    }

    /** Appends an empty record where members don't know of all commits and there is room. */
    void sendCommitWatermark() {
        if (!isFrozen()
                && ring.sendCommitWatermark(answers.appliedPosition(), poster.postedSequence())
                        > 0) {
            poster.tryPost();
            feeds.wake();
        }
    }

    public long lastSequence() {
        return ring.lastSequence();
    }
}
