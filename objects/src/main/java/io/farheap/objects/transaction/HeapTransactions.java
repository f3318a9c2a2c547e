package io.farheap.objects.transaction;

import io.farheap.ObjectPool;
import io.farheap.ReplicaPool;
import io.farheap.ReplicaView;
import io.farheap.base.FarheapException;
import io.farheap.base.SnapshotTooOldException;
import io.farheap.base.TransactionConflictException;
import io.farheap.engine.EngineOf;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.StackReserve;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

/**
 * The transactions and reads of the typed objects of one open pool, strictly serialisable: each
 * sees the heap as if it were alone, and one that begins after another returned sees what that one
 * did (docs/objects-transactions.md). Thread-safe.
 *
 * <p>A transaction whose snapshot was changed by another one runs again, after {@value
 * TransactionAttempts#MOST_CONFLICTS} conflicts or {@value TransactionAttempts#MOST_MILLIS} ms
 * alone. A read never waits for a commit and makes none wait, but for one that needs old bytes that
 * had no room for the third time.
 */
public final class HeapTransactions implements AutoCloseable {
    private static final int MOST_TOO_OLD = 2;

    private final HeapState heap;
    private final TransactionAttempts attempts;
    private final ThreadTransactions threads;
    private final HeapClosing closing;
    private volatile ObjLongConsumer<HeapTransaction> atRead = (tx, number) -> {};

    /** Keeps as many old bytes for reads as an eighth of what the JVM may take. */
    public HeapTransactions(ObjectPool pool) {
        this(pool, Runtime.getRuntime().maxMemory() / 8);
    }

    /**
     * @param historyBytes of old bytes that are kept for reads, at most; what the first of a pool
     *     said counts
     */
    public HeapTransactions(ObjectPool pool, long historyBytes) {
        this(shared(EngineOf.pool(pool), historyBytes));
    }

    /** Of a replica, for reads alone. */
    public HeapTransactions(ReplicaPool replica) {
        this(new ReplicaReads(replica));
    }

    /** Two of one pool must see each other's stripes. */
    private static HeapState shared(PoolEngine engine, long historyBytes) {
        return (HeapState) engine.typedHeap(() -> HeapState.of(engine, historyBytes));
    }

    HeapTransactions(HeapState heap) {
        this.heap = heap;
        this.threads = new ThreadTransactions(heap);
        this.closing = new HeapClosing(heap, threads);
        this.attempts = new TransactionAttempts(heap, this);
    }

    /**
     * The calling thread's transaction or read, {@linkplain HeapTransaction#isActive under way} or
     * not: for code that must be as direct as can be.
     *
     * @throws FarheapException WRONG_USE when the heap is closed
     */
    public HeapTransaction ofThread() {
        HeapTransaction tx = threads.mine();
        if (tx == null) {
            throw heap.memory.closed();
        }
        return tx;
    }

    /** The transaction or read that the calling thread has under way; null for none. */
    public HeapTransaction current() {
        HeapTransaction tx = threads.mine();
        return tx != null && tx.isActive() ? tx : null;
    }

    // ---- transactions ----

    /**
     * Runs a transaction; durable when this returns. Inside another one it joins that one: what it
     * changed before an exception stays then, unless that exception leaves the outermost call, too.
     * The body may run more than once. An exception out of the outermost body aborts, and travels
     * on.
     *
     * @throws FarheapException WRONG_USE inside a read, or inside a transaction of the pool itself
     */
    public <T> T transaction(Function<HeapTransaction, T> body) {
        HeapTransaction tx = ofThread();
        if (tx.isActive()) {
            tx.requireWriter();
            return joined(tx, body);
        }
        return begun(tx, body);
    }

    /**
     * Runs a body in what is under way. Damage in a heap of which a commit has overtaken the
     * snapshot is a conflict, also to a transaction that was begun by hand, which nobody runs
     * again.
     */
    private static <T> T joined(HeapTransaction tx, Function<HeapTransaction, T> body) {
        try {
            return body.apply(tx);
        } catch (FarheapException failure) {
            if (failure.category() == FarheapException.Category.BAD_DATA
                    && tx.isWriter()
                    && tx.isOvertaken()) {
                TransactionConflictException conflict = new TransactionConflictException();
                conflict.addSuppressed(failure);
                throw conflict;
            }
            throw failure;
        }
    }

    @SuppressWarnings("unchecked")
    private <T> T begun(HeapTransaction tx, Function<HeapTransaction, T> body) {
        Object result = attempts.run(tx, body);
        tx.actions().runAfterCommit();
        return (T) result;
    }

    /**
     * As {@link #transaction}, for a change that must not stay in part: where it throws after it
     * has changed something, nothing of the transaction that it joined can be committed any more,
     * whoever catches the exception.
     */
    public <T> T change(Function<HeapTransaction, T> body) {
        HeapTransaction tx = ofThread();
        if (!tx.isActive()) {
            return begun(tx, body);
        }
        tx.requireWriter();
        long before = tx.writer().changes();
        try {
            return joined(tx, body);
        } catch (RuntimeException | Error failure) {
            if (tx.writer().changes() != before) {
                tx.writer().breakOff(failure);
            }
            throw failure;
        }
    }

    void begin(HeapTransaction tx) {
        heap.requireWritable();
        StackReserve.require();
        tx.beginTransaction();
        if (closing.isClosed()) {
            tx.endTransaction(null);
            throw heap.memory.closed();
        }
    }

    /**
     * Begins a transaction for code that can't be a lambda, as an adapter to a framework's
     * transactions is.
     *
     * @throws FarheapException WRONG_USE inside a transaction or read of this thread
     */
    public ManualHeapTransaction begin() {
        HeapTransaction tx = ofThread();
        if (tx.isActive()) {
            throw FarheapException.wrongUse(
                    "A transaction or read of this thread is under way; join it, or end it first.");
        }
        begin(tx);
        return new ManualHeapTransaction(tx);
    }

    // ---- reads ----

    /** Runs a read of one instant of the whole heap. Inside a transaction or read it joins that. */
    public <T> T read(Function<HeapTransaction, T> body) {
        HeapTransaction tx = ofThread();
        if (tx.isActive()) {
            return joined(tx, body);
        }
        ReplicaReads replica = heap.replica();
        return replica == null
                ? readHere(tx, body)
                : replica.read(tx, this::beginReplicaRead, body);
    }

    private <T> T readHere(HeapTransaction tx, Function<HeapTransaction, T> body) {
        for (int i = 0; i < MOST_TOO_OLD; i++) {
            try {
                return readOnce(tx, body);
            } catch (SnapshotTooOldException again) {
                if (!tx.reader().isTooOld()) {
                    throw again; // of a heap within this one
                }
                heap.counters.snapshotsTooOld.increment();
            }
        }
        heap.latch.acquireExclusive();
        try {
            return readOnce(tx, body);
        } finally {
            heap.latch.releaseExclusive();
        }
    }

    /**
     * Runs a read of a replica as a view shows it, in the view's thread, which has no other one
     * under way.
     */
    public <T> T read(ReplicaView view, Function<HeapTransaction, T> body) {
        return heap.replica().read(view, ofThread(), this::beginReplicaRead, body);
    }

    /** Behind the begin of a read: either it sees that this is closed, or the end waits for it. */
    private void beginReplicaRead(HeapTransaction tx, long number) {
        if (closing.isClosed()) {
            throw heap.memory.closed();
        }
        atRead.accept(tx, number);
    }

    /** What tells of a change inside of a read, or of a replica. */
    public FarheapException changeInRead() {
        return heap.replica() == null ? HeapTransaction.changeInRead() : ReplicaReads.change();
    }

    /** Whether nothing can be changed: this is a replica's. */
    public boolean isReplica() {
        return heap.replica() != null;
    }

    /**
     * Has something done at the beginning of each read of a replica.
     *
     * @param action told the read and the number of the epoch that it sees
     */
    public void atRead(ObjLongConsumer<HeapTransaction> action) {
        atRead = action;
    }

    /**
     * As {@link #read}, for a body of some steps: it begins without the slot by which a read holds
     * old bytes, which costs more than such a body, and runs again as a read where a commit
     * overtakes it.
     */
    public <T> T glance(Function<HeapTransaction, T> body) {
        HeapTransaction tx = ofThread();
        if (tx.isActive()) {
            return joined(tx, body);
        }
        beginGlance(tx);
        try {
            T result = body.apply(tx);
            if (tx.endGlance()) {
                return result;
            }
        } catch (Throwable failure) {
            if (!isOvertaken(tx, failure)) {
                throw failure;
            }
        }
        return read(body);
    }

    /**
     * Begins a glance for code that must be as direct as can be; {@link HeapTransaction#endGlance}
     * or {@link #isOvertaken} must follow.
     *
     * @param tx {@link #ofThread}, not under way: else that is to be joined
     */
    public void beginGlance(HeapTransaction tx) {
        heap.requireUsable();
        if (closing.isClosed()) {
            throw heap.memory.closed();
        }
        StackReserve.requireLittle();
        tx.beginGlance();
    }

    /** Ends a glance that threw: whether it was overtaken, and is to be run as a read. */
    public boolean isOvertaken(HeapTransaction tx, Throwable failure) {
        boolean isWhole = tx.endGlance();
        if (isWhole && failure instanceof InternalError) {
            throw heap.memory.lost((InternalError) failure);
        }
        return !isWhole;
    }

    private <T> T readOnce(HeapTransaction tx, Function<HeapTransaction, T> body) {
        heap.requireUsable();
        StackReserve.require();
        tx.beginRead();
        try {
            if (closing.isClosed()) {
                throw heap.memory.closed();
            }
            T result = body.apply(tx);
            tx.reader().requireWhole();
            return result;
        } catch (InternalError error) {
            throw heap.memory.lost(error);
        } catch (Exception | Error failure) { // checked ones, too
            tx.reader().requireWhole(); // the body may have wrapped what said that it can't go on
            throw failure;
        } finally {
            tx.endRead();
        }
    }

    /** Grows with each commit, by one or more once it has ended. */
    public long commits() {
        return heap.clock.watermark();
    }

    /**
     * Has a watcher told what commits change and free, by all those that {@link #awaitCommits} does
     * not wait for if it is called next. Of a commit that fails it is told, too.
     */
    public void watch(CommitWatcher watcher) {
        heap.watchers.add(watcher);
    }

    /** Ends {@link #watch}. */
    public void endWatch(CommitWatcher watcher) {
        heap.watchers.remove(watcher);
    }

    /**
     * Runs what frees places that it has found before, which nobody else may find meanwhile: one at
     * a time of all heaps of a pool.
     *
     * @throws FarheapException WRONG_USE inside a transaction or read of this thread
     */
    public <T> T reclaim(Supplier<T> body) {
        if (current() != null) {
            throw FarheapException.wrongUse(
                    "What is unreachable can't be looked for inside a transaction or read; leave it"
                            + " first.");
        }
        heap.reclaim.lock();
        try {
            return body.get();
        } finally {
            heap.reclaim.unlock();
        }
    }

    /**
     * Waits until the commits that have begun to store have ended: what they allocated or freed is
     * in the allocator and in each read that begins later. It changes nothing in the pool.
     */
    public void awaitCommits() {
        long version = heap.clock.next();
        heap.clock.finish(version);
        heap.clock.awaitFinished(version);
    }

    // ---- figures and end ----

    /** Has an action run when this is closed: for who waits outside of transactions. Once each. */
    public void atClose(Runnable action) {
        closing.atClose(action);
    }

    HeapCounters counters() {
        return new HeapCounters(
                heap.counters.conflicts.sum(),
                heap.counters.alone.sum(),
                heap.counters.snapshotsTooOld.sum(),
                heap.history.retainedBytes());
    }

    /**
     * Waits, bounded, for transactions and reads under way, and lets nobody in any more. Again, and
     * by another thread: only what lies beneath is closed, after the first has ended.
     *
     * @param beneath closes the pool, when nobody reads it any more
     * @throws FarheapException WRONG_USE inside one, or when some still run after the bound; the
     *     heap stays open then
     */
    public void close(Runnable beneath) {
        if (current() != null) {
            throw FarheapException.wrongUse(
                    "close() was called inside a transaction or read; leave it first.");
        }
        closing.close(beneath);
    }

    /** As {@link #close(Runnable)}; the pool stays open. */
    @Override
    public void close() {
        close(() -> {});
    }
}
