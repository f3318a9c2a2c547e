package io.farheap.pmemobj;

import io.farheap.base.FarheapException;
import io.farheap.engine.PoolEngine;
import io.farheap.lock.LockTable;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A condition that lies in an object, a PMEMcond of libpmemobj: threads that hold a {@link
 * PoolMutex} wait for a signal. What they wait for must be tested in a loop, as with every
 * condition. See {@link PoolLocks}.
 */
public final class PoolCondition {
    private final PoolEngine engine;
    private final LockTable table;
    private final long object;
    private final long place;

    PoolCondition(PoolEngine engine, long object, long place) {
        this.engine = engine;
        this.table = engine.runState().locks();
        this.object = object;
        this.place = place;
    }

    /**
     * Gives the mutex up, waits for a signal, and has the mutex again when it returns or throws.
     * Waits at most the pool's bound ({@code FARHEAP_LOCK_TIMEOUT_MILLIS}), for the signal and then
     * for the mutex.
     *
     * @return false when there was no signal in time
     * @throws FarheapException WRONG_USE when this thread does not hold the mutex; when an object
     *     was freed meanwhile; or, without the mutex then, when that was not free again in time
     * @throws InterruptedException when interrupted while it waited for the signal
     */
    public boolean await(PoolMutex mutex) throws InterruptedException {
        return await(mutex, table.boundNanos(), TimeUnit.NANOSECONDS);
    }

    /** As {@link #await(PoolMutex)}, with another bound for the signal. */
    public boolean await(PoolMutex mutex, long time, TimeUnit unit) throws InterruptedException {
        Objects.requireNonNull(mutex, "mutex");
        Objects.requireNonNull(unit, "unit");
        if (mutex.engine() != engine) {
            throw FarheapException.wrongUse(
                    "The mutex lies in another pool than the condition; use one of this"
                            + " pool.");
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return table.await(object, place, mutex.object(), mutex.place(), unit.toNanos(time));
    }

    /** Wakes the thread that waits longest, if one does. */
    public void signal() {
        table.signal(object, place, false);
    }

    /** Wakes all threads that wait: libpmemobj's broadcast. */
    public void signalAll() {
        table.signal(object, place, true);
    }

    /** Makes the place a condition that nobody waits for; as {@link PoolMutex#zero}. */
    public void zero() {
        engine.zeroLock(object, place);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PoolCondition
                && ((PoolCondition) other).table == table
                && ((PoolCondition) other).place == place;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(place);
    }
}
