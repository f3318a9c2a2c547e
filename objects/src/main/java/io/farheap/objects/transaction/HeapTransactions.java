package io.farheap.objects.transaction;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.engine.EngineOf;
import io.farheap.engine.LaneTransaction;
import io.farheap.engine.PoolEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;

/**
 * The transactions and reads of the typed objects of one open pool, strictly serialisable: each
 * sees the heap as if it were alone, and one that begins after another returned sees what that one
 * did. Thread-safe.
 *
 * <p>For now one transaction runs at a time, beside any number of reads that no transaction runs
 * beside: a lock for the whole heap.
 */
public final class HeapTransactions {
    private final PoolEngine engine;
    private final ReentrantReadWriteLock heapLock = new ReentrantReadWriteLock();
    private final ThreadLocal<HeapTransaction> current = new ThreadLocal<>();

    public HeapTransactions(ObjectPool pool) {
        this.engine = EngineOf.pool(pool);
    }

    /** The transaction or read that the calling thread has under way; null for none. */
    public HeapTransaction current() {
        return current.get();
    }

    /**
     * Runs a transaction; durable when this returns. Inside another one it joins that one. The body
     * may run more than once.
     *
     * @throws FarheapException WRONG_USE inside a read
     */
    public <T> T transaction(Function<HeapTransaction, T> body) {
        HeapTransaction outer = current.get();
        if (outer != null) {
            outer.requireWriter();
            return body.apply(outer);
        }
        List<Runnable> afterCommit = new ArrayList<>();
        T result = alone(heapLock.writeLock(), () -> commit(body, afterCommit));
        afterCommit.forEach(Runnable::run);
        return result;
    }

    private <T> T commit(Function<HeapTransaction, T> body, List<Runnable> afterCommit) {
        LaneTransaction lane = engine.begin();
        int level = LaneTransaction.INNERMOST;
        try {
            level = lane.level();
            HeapTransaction mine = new HeapTransaction(engine, lane, afterCommit);
            current.set(mine);
            T result = body.apply(mine);
            lane.commit(level);
            return result;
        } catch (Throwable failure) {
            lane.abort(level, failure);
            throw failure;
        } finally {
            current.remove();
        }
    }

    /** Runs a read of one instant of the whole heap. Inside a transaction or read it joins that. */
    public <T> T read(Function<HeapTransaction, T> body) {
        HeapTransaction outer = current.get();
        if (outer != null) {
            return body.apply(outer);
        }
        return alone(
                heapLock.readLock(),
                () -> {
                    HeapTransaction mine = new HeapTransaction(engine, null, null);
                    current.set(mine);
                    try {
                        return body.apply(mine);
                    } finally {
                        current.remove();
                    }
                });
    }

    private static <T> T alone(Lock lock, java.util.function.Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
