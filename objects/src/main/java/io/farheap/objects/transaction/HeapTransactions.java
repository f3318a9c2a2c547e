package io.farheap.objects.transaction;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.SnapshotTooOldException;
import io.farheap.base.TransactionConflictException;
import io.farheap.engine.EngineOf;
import io.farheap.engine.PoolEngine;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Function;

/**
 * The transactions and reads of the typed objects of one open pool, strictly serialisable: each
 * sees the heap as if it were alone, and one that begins after another returned sees what that one
 * did (docs/objects-transactions.md). Thread-safe.
 *
 * <p>A transaction whose snapshot was changed by another one runs again, after {@value
 * #MOST_CONFLICTS} conflicts or {@value #MOST_MILLIS} ms alone. A read never waits for a commit and
 * makes none wait, but for one that needs old bytes that had no room for the third time.
 */
public final class HeapTransactions implements AutoCloseable {
    private static final int MOST_CONFLICTS = 16;
    private static final int MOST_MILLIS = 10;
    private static final long MOST_NANOS = MOST_MILLIS * 1_000_000L;
    private static final int MOST_TOO_OLD = 2;

    /** Waits of {@link Pause} for whoever won a conflict: some milliseconds. */
    private static final int LONGEST_WAIT = 200;

    /** In place of a result. */
    private static final Object CONFLICT = new Object();

    private final HeapState heap;
    private volatile boolean closed;

    /**
     * Of each thread: an array with its {@link HeapTransaction}, until the heap is closed. A thread
     * that lives on must not keep what belonged to a closed heap.
     */
    private final ThreadLocal<Object[]> mine = ThreadLocal.withInitial(this::newHolder);

    private final Set<Object[]> holders = Collections.newSetFromMap(new WeakHashMap<>());

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

    /** Two of one pool must see each other's stripes. */
    private static HeapState shared(PoolEngine engine, long historyBytes) {
        return (HeapState) engine.typedHeap(() -> HeapState.of(engine, historyBytes));
    }

    HeapTransactions(HeapState heap) {
        this.heap = heap;
    }

    private Object[] newHolder() {
        Object[] holder = {new HeapTransaction(heap)};
        synchronized (holders) {
            holders.add(holder);
        }
        return holder;
    }

    private HeapTransaction mine() {
        HeapTransaction tx = (HeapTransaction) mine.get()[0];
        if (tx == null) {
            throw heap.memory.closed();
        }
        return tx;
    }

    /** The transaction or read that the calling thread has under way; null for none. */
    public HeapTransaction current() {
        HeapTransaction tx = (HeapTransaction) mine.get()[0];
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
    @SuppressWarnings("unchecked")
    public <T> T transaction(Function<HeapTransaction, T> body) {
        HeapTransaction tx = mine();
        if (tx.isActive()) {
            tx.requireWriter();
            return body.apply(tx);
        }
        Object result = attempt(tx, body);
        if (result == CONFLICT) {
            result = again(tx, body);
        }
        runAfterCommit(tx);
        return (T) result;
    }

    /** Runs a body after a conflict until it meets none. */
    private Object again(HeapTransaction tx, Function<HeapTransaction, ?> body) {
        long begin = System.nanoTime();
        int conflicts = 1;
        while (conflicts < MOST_CONFLICTS && System.nanoTime() - begin < MOST_NANOS) {
            conflicted(tx, conflicts);
            Object result = attempt(tx, body);
            if (result != CONFLICT) {
                return result;
            }
            conflicts++;
        }
        conflicted(tx, conflicts);
        return alone(tx, body, conflicts);
    }

    private Object alone(HeapTransaction tx, Function<HeapTransaction, ?> body, int conflicts) {
        AloneEvent event = new AloneEvent();
        event.begin();
        heap.counters.alone.increment();
        Object result;
        do {
            result = attemptAlone(tx, body);
        } while (result == CONFLICT);
        event.end();
        if (event.shouldCommit()) {
            event.pool = heap.memory.name();
            event.conflicts = conflicts;
            event.commit();
        }
        return result;
    }

    private Object attemptAlone(HeapTransaction tx, Function<HeapTransaction, ?> body) {
        begin(tx);
        boolean closedGate = false;
        try {
            tx.writer().lane(); // before all others wait with theirs in hand
            heap.gate.close();
            closedGate = true;
            tx.takeSnapshot();
        } finally {
            if (!closedGate) {
                tx.endTransaction(new TransactionConflictException());
            }
        }
        try {
            return runAndCommit(tx, body);
        } finally {
            heap.gate.open();
        }
    }

    private Object attempt(HeapTransaction tx, Function<HeapTransaction, ?> body) {
        begin(tx);
        return runAndCommit(tx, body);
    }

    /** Runs a body that has begun, and ends it: its result, or {@link #CONFLICT}. */
    private Object runAndCommit(HeapTransaction tx, Function<HeapTransaction, ?> body) {
        Throwable cause = null;
        boolean over = false;
        try {
            Object result = body.apply(tx);
            over = true;
            if (tx.commit()) {
                return result;
            }
            cause = new TransactionConflictException();
            return CONFLICT;
        } catch (Exception failure) { // checked ones, too: bodies of other signatures throw them
            cause = failure;
            // What the heap's bookkeeping says of objects is of now, not of the snapshot.
            if (!over && tx.isOvertaken()) {
                return CONFLICT;
            }
            throw failure;
        } catch (InternalError error) {
            cause = error;
            throw heap.memory.lost(error);
        } catch (Error error) {
            cause = error;
            throw error;
        } finally {
            tx.endTransaction(cause);
        }
    }

    void begin(HeapTransaction tx) {
        heap.engine.ensureUsable();
        tx.beginTransaction();
        if (closed) {
            tx.endTransaction(null);
            throw heap.memory.closed();
        }
    }

    /** Counts a conflict and waits until whoever won has finished, for a moment at most. */
    private void conflicted(HeapTransaction tx, int attempt) {
        heap.counters.conflicts.increment();
        int stripe = tx.writer().conflictStripe();
        ConflictEvent event = new ConflictEvent();
        event.begin();
        for (int round = 0; round < LONGEST_WAIT && !isSettled(stripe); round++) {
            Pause.next(round);
        }
        event.end();
        if (event.shouldCommit()) {
            event.pool = heap.memory.name();
            event.attempt = attempt;
            event.object = tx.writer().conflictObject();
            event.typeNumber = typeNumber(event.object);
            event.commit();
        }
    }

    private boolean isSettled(int stripe) {
        return Stripes.isReadable(heap.stripes.word(stripe), heap.clock.watermark());
    }

    /** Of an object in conflict, if it is one: a line of a shared object is not. */
    private long typeNumber(long object) {
        boolean isObject = !Stripes.isLine(object) && heap.engine.heap().isAllocated(object);
        return isObject ? heap.engine.heap().typeNumber(object) : 0;
    }

    /** Runs all actions, whatever one of them throws; the first exception travels on. */
    void runAfterCommit(HeapTransaction tx) {
        if (tx.actionsAfterCommit().isEmpty()) {
            return;
        }
        RuntimeException first = null;
        for (Runnable action : List.copyOf(tx.actionsAfterCommit())) {
            try {
                action.run();
            } catch (RuntimeException failure) {
                if (first == null) {
                    first = failure;
                } else {
                    first.addSuppressed(failure);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /**
     * Begins a transaction for code that can't be a lambda, as an adapter to a framework's
     * transactions is.
     *
     * @throws FarheapException WRONG_USE inside a transaction or read of this thread
     */
    public ManualHeapTransaction begin() {
        HeapTransaction tx = mine();
        if (tx.isActive()) {
            throw FarheapException.wrongUse(
                    "A transaction or read of this thread is under way; join it, or end it first.");
        }
        begin(tx);
        return new ManualHeapTransaction(this, tx);
    }

    // ---- reads ----

    /** Runs a read of one instant of the whole heap. Inside a transaction or read it joins that. */
    public <T> T read(Function<HeapTransaction, T> body) {
        HeapTransaction tx = mine();
        if (tx.isActive()) {
            return body.apply(tx);
        }
        for (int i = 0; i < MOST_TOO_OLD; i++) {
            try {
                return readOnce(tx, body);
            } catch (SnapshotTooOldException again) {
                if (!tx.isTooOld()) {
                    throw again; // of a heap within this one
                }
                heap.counters.snapshotsTooOld.increment();
            }
        }
        heap.gate.close();
        try {
            return readOnce(tx, body);
        } finally {
            heap.gate.open();
        }
    }

    private <T> T readOnce(HeapTransaction tx, Function<HeapTransaction, T> body) {
        heap.engine.ensureUsable();
        tx.beginRead();
        try {
            if (closed) {
                throw heap.memory.closed();
            }
            T result = body.apply(tx);
            tx.requireWhole();
            return result;
        } catch (InternalError error) {
            throw heap.memory.lost(error);
        } finally {
            tx.endRead();
        }
    }

    /**
     * A moment that all commits which returned before this call came before, for {@link
     * HeapTransaction#isChangedSince}.
     */
    public long moment() {
        return heap.clock.watermark();
    }

    // ---- figures and end ----

    HeapCounters counters() {
        return new HeapCounters(
                heap.counters.conflicts.sum(),
                heap.counters.alone.sum(),
                heap.counters.snapshotsTooOld.sum(),
                heap.history.retainedBytes());
    }

    /**
     * Waits, bounded, for transactions and reads under way, and lets nobody in any more; the pool
     * stays open. Again: nothing.
     *
     * @throws FarheapException WRONG_USE inside one, or when some still run after the bound; the
     *     heap stays open then
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        if (current() != null) {
            throw FarheapException.wrongUse(
                    "close() was called inside a transaction or read; leave it first.");
        }
        closed = true;
        long bound = heap.engine.settings().closeTimeout().toNanos();
        long begin = System.nanoTime();
        for (int round = 0; heap.active.count() > 0; round++) {
            Pause.next(round);
            if (System.nanoTime() - begin > bound) {
                closed = false;
                throw FarheapException.wrongUse(
                        "%s transactions and reads still run after %s ms; end them and close again.",
                        heap.active.count(), heap.engine.settings().closeTimeout().toMillis());
            }
        }
        synchronized (holders) {
            holders.forEach(holder -> holder[0] = null);
        }
    }
}
