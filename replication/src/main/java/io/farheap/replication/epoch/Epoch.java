package io.farheap.replication.epoch;

import io.farheap.replication.dirty.DirtyBits;
import io.farheap.replication.dirty.LagDirtyMaps;
import io.farheap.replication.dirty.RecordMarker;
import io.farheap.replication.dirty.UnmarkableException;
import io.farheap.replication.stream.CommitStream;
import io.farheap.replication.stream.StagingRing;
import io.farheap.spi.RecordSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * One epoch of an open pool: a number, the members, of which commits wait for some and others may
 * lag, and those that are left out, whose dirty maps every commit marks. There may be no member:
 * then what is committed here is durable enough, and admission is all that is left of a stream.
 *
 * <p>Thread-safe; append, awaitDurable and committed allocate nothing in the steady state.
 */
public final class Epoch {
    private static final int SEQUENCE_BITS = 40;
    private static final long INDEX_MASK = (1L << Long.SIZE - 1 - SEQUENCE_BITS) - 1;

    /** Claims that may be under way when it is seen that an epoch has had its records. */
    private static final long MOST_CLAIMS = 1 << 20;

    /**
     * Records after which an epoch ends: a ticket has no room for the numbers of more
     * (docs/protocol.md#sequence-ends).
     */
    public static final long MOST_RECORDS = (1L << SEQUENCE_BITS) - MOST_CLAIMS;

    private static final long PAUSE_NANOS = 50_000;

    /** Whoever begins the next epoch. On any thread; does not block. */
    interface Listener {
        /** A map can't be marked, and so nothing may commit in this epoch any more. */
        void unmarked(UnmarkableException why);

        /** Admission is closed, and a new epoch is to begin, though nobody is lost. */
        void ending();
    }

    private final long index;
    private final long number;
    private final List<ReplicaTracker> members;
    private final CommitStream stream;
    private final ThreadLocal<RecordMarker> markers;
    private final LagDirtyMaps lagMaps;
    private final long mostRecords;
    private final Listener listener;
    private volatile DirtyBits[] absent;

    /** Waiters of a record that is not decided and never will be: they claim it again. */
    private final AtomicLong waiting = new AtomicLong();

    /** Where there is no stream: records appended that have not ended. */
    private final AtomicLong outstanding = new AtomicLong();

    private volatile boolean open = true;
    private volatile boolean ending;
    private volatile Throwable faultAtEnd;

    /**
     * Opens admission.
     *
     * @param index counts the epochs of a run
     * @param stream null where there are no members
     * @param absent maps of those left out that have one
     * @param lagMaps maps of members that may lag
     * @param mostRecords after so many it ends
     */
    public Epoch(
            long index,
            long number,
            List<ReplicaTracker> members,
            CommitStream stream,
            DirtyBits[] absent,
            LagDirtyMaps lagMaps,
            ThreadLocal<RecordMarker> markers,
            long mostRecords,
            Listener listener) {
        this.index = index;
        this.number = number;
        this.members = members;
        this.stream = stream;
        this.absent = absent;
        this.lagMaps = lagMaps;
        this.markers = markers;
        this.mostRecords = mostRecords;
        this.listener = listener;
    }

    long index() {
        return index;
    }

    public long number() {
        return number;
    }

    public List<ReplicaTracker> members() {
        return members;
    }

    /** Null where there are no members. */
    public CommitStream stream() {
        return stream;
    }

    /** What a caller knows a record of this epoch by. */
    long ticket(long sequence) {
        return (index & INDEX_MASK) << SEQUENCE_BITS | sequence;
    }

    boolean isOf(long ticket) {
        return ticket >>> SEQUENCE_BITS == (index & INDEX_MASK);
    }

    static long sequence(long ticket) {
        return ticket & ((1L << SEQUENCE_BITS) - 1);
    }

    /** From now on these are marked; only fewer than before while admission is open. */
    void setAbsent(DirtyBits[] maps) {
        absent = maps;
    }

    /**
     * Marks what the record changes, durably, then claims, encodes and posts it. In this order: who
     * is away would come back without what was committed and not marked
     * (docs/protocol.md#map-before-commit).
     *
     * @return its sequence number, or {@link StagingRing#CLOSED}
     */
    public long append(long entryBytes, RecordSource source) {
        try {
            long sequence = appendMarked(entryBytes, source);
            if (sequence >= mostRecords) {
                endBehind();
            }
            return sequence;
        } catch (UnmarkableException e) {
            listener.unmarked(e);
            end();
            return StagingRing.CLOSED;
        }
    }

    /**
     * The record is claimed: whatever is thrown here, its appender must get its number. What was
     * not done the next record's appender does.
     */
    private void endBehind() {
        try {
            end();
        } catch (RuntimeException | Error e) {
            faultAtEnd = e;
        }
    }

    /** What kept it from ending at first; null: nothing. */
    Throwable faultAtEnd() {
        return faultAtEnd;
    }

    /**
     * Who has claimed goes on; who has not waits for the next epoch. The listener first: it closes
     * admission, too, where that fails here.
     */
    private void end() {
        ending = true;
        listener.ending();
        closeAdmission();
    }

    private long appendMarked(long entryBytes, RecordSource source) {
        DirtyBits[] maps = absent;
        if (maps.length > 0) {
            markers.get().mark(source, maps);
        }
        if (!lagMaps.isEmpty()) {
            return appendNoted(entryBytes, source);
        }
        if (stream != null) {
            return stream.tryAppend(entryBytes, source);
        }
        outstanding.getAndIncrement();
        if (open) {
            return 1;
        }
        outstanding.getAndDecrement();
        return StagingRing.CLOSED;
    }

    private long appendNoted(long entryBytes, RecordSource source) {
        int which = lagMaps.enter();
        try {
            markers.get().mark(source, lagMaps.bits(which));
            return stream.tryAppend(entryBytes, source);
        } finally {
            lagMaps.leave(which);
        }
    }

    /** Waits until the record is decided: whether every member has it. */
    boolean awaitDurable(long sequence) {
        return stream == null || stream.awaitOutcome(sequence);
    }

    public void committed(long sequence) {
        if (stream != null) {
            stream.committed(sequence);
        } else {
            outstanding.getAndDecrement();
        }
    }

    void rolledBack(long sequence) {
        if (stream != null) {
            stream.rolledBack(sequence);
        } else {
            outstanding.getAndDecrement();
        }
    }

    /** Nobody knows whether it is in the pool: no epoch follows this one. */
    void broken(long sequence) {
        if (stream != null) {
            stream.broken(sequence);
        } else {
            outstanding.getAndDecrement();
        }
    }

    /** A waiter has given up its record: it will claim it again. */
    void beginWaiting() {
        waiting.getAndIncrement();
    }

    /** It did not: its record is still to be decided here. */
    void endWaiting() {
        waiting.getAndDecrement();
    }

    /** Whether another one is to begin, though nobody is lost. */
    boolean isEnding() {
        return ending;
    }

    boolean isFrozen() {
        return stream != null && stream.isFrozen();
    }

    /** Whether the commits of a frozen epoch may become durable without the lost member. */
    boolean goesOn() {
        String lost = stream.lostReplica();
        return members.stream()
                .filter(copy -> lost == null || copy.remote().toString().equals(lost))
                .allMatch(ReplicaTracker::isOptional);
    }

    /** No more claims, for now; waiters wait on. */
    void closeAdmission() {
        open = false;
        if (stream != null) {
            stream.closeAdmission();
        }
    }

    /** Claims again, unless it is ending. */
    void reopenAdmission() {
        if (ending) {
            return;
        }
        open = true;
        if (stream != null) {
            stream.reopenAdmission();
        }
    }

    /** Whether nothing ended or closed it. */
    public boolean isOpen() {
        return open && !isFrozen();
    }

    /**
     * Waits until nobody is between claim and local fate but those who will claim again: replicas
     * are told in the switch what was committed, and that must not change afterwards
     * (docs/protocol.md#quiet-before-switch).
     */
    public boolean awaitQuiet(Duration bound) {
        long begin = System.nanoTime();
        while (underWay() > 0) {
            if (System.nanoTime() - begin >= bound.toNanos()) {
                return false;
            }
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
        return true;
    }

    private long underWay() {
        // in this order: who waits was under way before
        long waiters = waiting.get();
        return (stream != null ? stream.outstanding() : outstanding.get()) - waiters;
    }
}
