package io.farheap.engine;

import io.farheap.heap.Reservation;
import io.farheap.memory.PoolMemory;
import io.farheap.spi.RecordEntries;
import io.farheap.spi.RecordSource;
import io.farheap.spi.ReplicaSink;
import io.farheap.ulog.RedoLog;
import io.farheap.ulog.RedoOperations;
import io.farheap.ulog.UndoLog;
import java.lang.foreign.MemorySegment;

/**
 * How one transaction becomes durable, here and on every replica. The order is what makes it right;
 * {@link #commit} is that order.
 *
 * <p>Remote before local (docs/protocol.md#remote-first): whatever is committed locally is on every
 * attached replica, whatever was acknowledged is committed locally. A crash can only leave a
 * replica ahead, by transactions that never returned.
 */
final class CommitPipeline {
    /** Of one write that needs no buffer: as much as a lane's own undo log takes. */
    static final long MOST_WRITTEN = 1024;

    private final LaneTransaction tx;
    private final PoolEngine engine;
    private final PoolMemory memory;
    private final WriteSet writes;
    private final RangeMap snapshots;
    private final RangeMap unflushed;
    private final RangeMap unlogged;
    private final Allocations allocations;
    private final RedoOperations words;
    private final UndoLog undo;
    private final RedoLog redo;
    private final CommitRecord record;
    private final SentRecord sent;
    private final RecordSource undone = this::writeUndone;
    private final CommitEvent event = new CommitEvent();
    private final CommitTimes times;

    /** Bytes of the one write that is stored without a buffer; 0: it is not such a commit. */
    private long written;

    /** Whether everything is durable, or rolled back, or left to recovery. */
    private boolean decided = true;

    CommitPipeline(LaneTransaction tx, PoolEngine engine) {
        this.tx = tx;
        this.engine = engine;
        this.memory = tx.memory();
        this.writes = tx.objects().writes();
        this.snapshots = tx.objects().snapshots();
        this.unflushed = tx.objects().unflushed();
        this.unlogged = tx.objects().unlogged();
        this.allocations = tx.allocations();
        this.words = tx.words();
        this.undo = tx.undo();
        this.redo = tx.redo();
        this.sent = tx.sent();
        this.record = new CommitRecord(tx);
        this.times = engine.times();
    }

    /** A transaction begins that something has to decide. */
    void begin() {
        decided = false;
    }

    boolean isDecided() {
        return decided;
    }

    /**
     * Commits; when it throws, all was rolled back if it {@link #isDecided}, and must be by {@link
     * #abort} if not. The caller releases locks and lane afterwards: that is step 6.
     */
    void commit() {
        event.begin();
        event.durabilityWait = 0;
        long begun = times.begin();
        ReplicaSink replicas = engine.replicas();
        try {
            allocations.addTo(words);
            if (writes.isEmpty() && undo.isEmpty() && words.size() == 0 && unlogged.isEmpty()) {
                commitNothing();
                return;
            }
            planRecord(replicas);
            persistUndoEntries(); //    1: fence 1
            append(replicas); //        2: posted to the replicas
            storeNewValues(); //        3: fence 2
            awaitDurable(); //          4: on the replicas
        } catch (Throwable failure) {
            rollBack(failure);
            throw failure;
        }
        becomeDurable(begun); //        5: fence 3, the commit point, settled
    }

    /**
     * Commits one write, at most {@link #MOST_WRITTEN} bytes, on a lane where nothing was begun and
     * in a pool without remote replicas: the same steps without a buffer between. When it throws,
     * it has been rolled back, or the pool is broken.
     */
    void commitWrite(long offset, MemorySegment source, long sourceOffset, long length) {
        event.begin();
        event.durabilityWait = 0;
        long begun = times.begin();
        written = length;
        begin();
        try {
            undo.append(offset, length);
            undo.persist(); //          1: fence 1
            memory.copyIn(offset, source, sourceOffset, length);
            memory.flush(offset, length);
            memory.order(); //          3: fence 2
        } catch (Throwable failure) {
            rollBack(failure);
            throw failure;
        }
        becomeDurable(begun); //        5: fence 3
        words.clear();
    }

    private void becomeDurable(long begun) {
        boolean committed = false;
        try {
            commitLocally();
            sent.committed();
            allocations.published();
            committed = true;
            decided = true;
        } catch (Throwable failure) {
            decided = true;
            throw sent.broken(failure);
        } finally {
            record(committed);
        }
        times.committed(tx.laneIndex, begun);
        engine.counters().commits.increment();
    }

    /** What was read from a pool that failed meanwhile counts for nothing. */
    private void commitNothing() {
        allocations.published();
        redo.finish();
        engine.ensureUsable();
        decided = true;
        engine.counters().readOnlyTransactions.increment();
    }

    /** Undoes everything, durably. The caller releases locks and lane. */
    void abort(Throwable cause) {
        event.begin();
        event.durabilityWait = 0;
        rollBack(cause);
    }

    private void planRecord(ReplicaSink replicas) {
        engine.ensureUsable();
        if (replicas != null) {
            record.plan(replicas.maxEntryBytes(), replicas.pieceEntryBytes());
            record.sendAhead(replicas);
        }
    }

    /**
     * Before the first store in place, which nothing could take back otherwise
     * (docs/protocol.md#undo-before-store).
     */
    private void persistUndoEntries() {
        for (int i = 0; i < writes.size(); i++) {
            undo.append(writes.offset(i), writes.length(i));
        }
        undo.persist();
    }

    private void append(ReplicaSink replicas) {
        if (replicas != null) {
            sent.append(replicas, record.entryBytes(), record);
        }
    }

    /** Durable before what makes the commit count (docs/protocol.md#data-before-commit). */
    private void storeNewValues() {
        boolean flushed = false;
        for (int i = 0; i < writes.size(); i++) {
            long offset = writes.offset(i);
            long length = writes.length(i);
            memory.copyIn(offset, writes.buffer(), writes.position(i), length);
            memory.flush(offset, length);
            flushed = true;
        }
        for (int i = 0; i < snapshots.size(); i++) {
            memory.flush(snapshots.start(i), snapshots.length(i));
            flushed = true;
        }
        for (int i = 0; i < unlogged.size(); i++) {
            memory.flush(unlogged.start(i), unlogged.length(i));
            flushed = true;
        }
        for (int i = 0; i < allocations.reservedCount(); i++) {
            if (allocations.isLive(i)) {
                Reservation fresh = allocations.reservation(i);
                long header = fresh.userOffset() - fresh.realOffset();
                // A replica must not have what the pool might lose.
                boolean whole = allocations.isFlushed(i) || engine.isReplicated();
                memory.flush(fresh.realOffset(), whole ? fresh.realSize() : header);
                flushed = true;
            }
        }
        if (flushed) {
            memory.order();
        }
    }

    private void awaitDurable() {
        if (!sent.isOpen()) {
            return;
        }
        boolean watched = times.isWatched();
        if (!watched && !event.isEnabled()) {
            sent.awaitDurable();
            return;
        }
        long start = System.nanoTime();
        sent.awaitDurable();
        event.durabilityWait = System.nanoTime() - start;
        if (watched) {
            times.waited(tx.laneIndex, event.durabilityWait);
        }
    }

    private void commitLocally() {
        boolean undone = !undo.isEmpty();
        if (undone) {
            words.set(undo.genNumOffset(), undo.nextGenNum());
        }
        // A word alone needs no log, but where it may reach one local replica and not the other.
        redo.commit(words, tx.setsWords() && memory.isMirrored());
        redo.finish();
        if (undone) {
            undo.afterCommit();
        }
        // Who holds no lock of this transaction, or reads a replica, does not pass the seam.
        memory.settle();
    }

    private void rollBack(Throwable cause) {
        try {
            undoStores();
            allocations.cancelAll();
            redo.finish();
            sent.rolledBack();
            decided = true;
        } catch (Throwable failure) {
            decided = true;
            cause.addSuppressed(sent.broken(failure));
        } finally {
            record(false);
        }
        engine.counters().aborts.increment();
    }

    /** A replica that is being copied must not keep what is put back here. */
    private void undoStores() {
        ReplicaSink replicas = engine.replicas();
        if (replicas == null || undo.isEmpty()) {
            undo.rollBack();
            return;
        }
        boolean done = false;
        replicas.undoing();
        try {
            undo.rollBack();
            replicas.undone(undone);
            done = true;
        } finally {
            if (!done) {
                replicas.undoFailed();
            }
        }
    }

    private void writeUndone(RecordEntries entries) {
        for (int i = 0; i < writes.size(); i++) {
            entries.copy(writes.offset(i), writes.buffer(), writes.position(i), writes.length(i));
        }
        writeUndone(entries, snapshots);
        writeUndone(entries, unflushed);
    }

    private void writeUndone(RecordEntries entries, RangeMap ranges) {
        for (int i = 0; i < ranges.size(); i++) {
            entries.copy(ranges.start(i), memory.image(), ranges.start(i), ranges.length(i));
        }
    }

    private void record(boolean committed) {
        event.end();
        if (event.shouldCommit()) {
            event.pool = memory.name();
            event.ranges = writes.size() + snapshots.size() + (written > 0 ? 1 : 0);
            event.bytes = bytesInPlace();
            event.words = words.size();
            event.committed = committed;
            event.commit();
        }
        written = 0;
    }

    private long bytesInPlace() {
        long bytes = written;
        for (int i = 0; i < writes.size(); i++) {
            bytes += writes.length(i);
        }
        for (int i = 0; i < snapshots.size(); i++) {
            bytes += snapshots.length(i);
        }
        return bytes;
    }
}
