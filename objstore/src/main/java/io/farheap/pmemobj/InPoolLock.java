package io.farheap.pmemobj;

import io.farheap.base.FarheapException;
import io.farheap.engine.PoolEngine;
import io.farheap.lock.LockKind;
import io.farheap.lock.LockTable;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/** A lock, or one half of a read-write lock, of one place in one pool. */
abstract class InPoolLock implements Lock {
    private final PoolEngine engine;
    private final LockTable table;
    private final long object;
    private final long place;
    private final LockKind kind;
    private final boolean shared;

    InPoolLock(PoolEngine engine, long object, long place, LockKind kind, boolean shared) {
        this.engine = engine;
        this.table = engine.runState().locks();
        this.object = object;
        this.place = place;
        this.kind = kind;
        this.shared = shared;
    }

    PoolEngine engine() {
        return engine;
    }

    long object() {
        return object;
    }

    long place() {
        return place;
    }

    /**
     * Takes the lock, waiting at most the pool's bound ({@code FARHEAP_LOCK_TIMEOUT_MILLIS}); an
     * interrupt does not end the wait and is kept.
     *
     * @throws FarheapException WRONG_USE after the bound; for a thread that holds the lock already;
     *     and when the object was freed
     */
    @Override
    public final void lock() {
        table.lock(object, place, kind, shared);
    }

    /** As {@link #lock}, but an interrupt ends the wait. */
    @Override
    public final void lockInterruptibly() throws InterruptedException {
        table.lockInterruptibly(object, place, kind, shared);
    }

    /**
     * Takes the lock if nobody has it, this thread included.
     *
     * @throws FarheapException WRONG_USE when the object was freed
     */
    @Override
    public final boolean tryLock() {
        return table.tryLock(object, place, kind, shared);
    }

    /**
     * Takes the lock if it is free in time.
     *
     * @throws FarheapException WRONG_USE for a thread that holds the lock already, and when the
     *     object was freed
     */
    @Override
    public final boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        Objects.requireNonNull(unit, "unit");
        return table.tryLock(object, place, kind, shared, unit.toNanos(time));
    }

    /**
     * Gives the lock back; also after its object was freed, or the pool closed.
     *
     * @throws FarheapException WRONG_USE when this thread does not hold it
     */
    @Override
    public final void unlock() {
        table.unlock(place, kind, shared);
    }

    /** Whether the calling thread holds it. */
    public final boolean isHeldByCurrentThread() {
        return table.isHeld(place, kind, shared);
    }

    /**
     * There is none: conditions lie in the pool, too.
     *
     * @throws FarheapException WRONG_USE
     */
    @Override
    public final Condition newCondition() {
        throw FarheapException.wrongUse(
                "A lock in pool memory makes no conditions; use PoolLocks.condition,"
                        + " which has a place in the pool.");
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof InPoolLock
                && ((InPoolLock) other).table == table
                && ((InPoolLock) other).place == place
                && ((InPoolLock) other).kind == kind
                && ((InPoolLock) other).shared == shared;
    }

    @Override
    public final int hashCode() {
        return 31 * Long.hashCode(place) + kind.hashCode() + (shared ? 1 : 0);
    }

    @Override
    public final String toString() {
        return kind + " at 0x" + Long.toHexString(place);
    }
}
