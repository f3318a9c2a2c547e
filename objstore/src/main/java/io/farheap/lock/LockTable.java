package io.farheap.lock;

import io.farheap.lock.LockEntry.Waiter;
import java.lang.invoke.VarHandle;

/**
 * The locks of one open pool that are held or waited for, by their places in the pool.
 *
 * <p>libpmemobj keeps a lock's state in the 64 bytes of its place, valid for one run: their first
 * word is the run in which they were initialised, anything else means unlocked
 * (docs/format.md#structures-in-objects). Here the state is in DRAM and the bytes are never
 * touched, so they are the same on every replica and go through no log, and a C program that opens
 * the pool, in a run of its own, initialises them afresh. All handles of one place are the same
 * lock. A lock costs memory only while it is used.
 *
 * <p>Thread-safe, for virtual threads too. A lock belongs to the thread that took it and is not
 * reentrant; a reader may read again. Waiting readers let an earlier writer go first.
 */
public final class LockTable {
    private static final int STRIPES = 64;

    /** Places less than 1 KiB apart share a stripe: a freed object is in few. */
    private static final int GRANULE_SHIFT = 10;

    /** Says whether an object may be used. */
    @FunctionalInterface
    public interface Liveness {
        /** Throws a FarheapException unless an object starts at this image offset. */
        void requireAlive(long object);
    }

    private final Liveness liveness;
    private final long boundNanos;
    private final LockStripe[] stripes = new LockStripe[STRIPES];

    /**
     * A table with no lock held.
     *
     * @param boundNanos the longest wait of those that name none
     */
    LockTable(Liveness liveness, long boundNanos) {
        this.liveness = liveness;
        this.boundNanos = boundNanos;
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new LockStripe(this);
        }
    }

    /** The longest wait of those that name none. */
    public long boundNanos() {
        return boundNanos;
    }

    void requireAlive(long object) {
        liveness.requireAlive(object);
    }

    private LockStripe stripe(long place) {
        return stripes[(int) (place >>> GRANULE_SHIFT) & (STRIPES - 1)];
    }

    /**
     * Takes a lock, waiting at most the bound; an interrupt is kept.
     *
     * @param object image offset of the object the place is in
     * @throws io.farheap.base.FarheapException WRONG_USE after the bound, for a thread that holds
     *     it already, and when the object is not there
     */
    public void lock(long object, long place, LockKind kind, boolean shared) {
        boolean taken;
        try {
            taken = stripe(place).lock(object, place, kind, shared, boundNanos, false);
        } catch (InterruptedException e) {
            throw new AssertionError("an interrupt ends no such wait", e);
        }
        if (!taken) {
            throw LockStripe.timedOut(kind, place, boundNanos);
        }
    }

    /** As {@link #lock}, but an interrupt ends the wait. */
    public void lockInterruptibly(long object, long place, LockKind kind, boolean shared)
            throws InterruptedException {
        if (!tryLock(object, place, kind, shared, boundNanos)) {
            throw LockStripe.timedOut(kind, place, boundNanos);
        }
    }

    /** Takes a lock if that needs no waiting; false also where the thread has it already. */
    public boolean tryLock(long object, long place, LockKind kind, boolean shared) {
        try {
            return stripe(place).lock(object, place, kind, shared, 0, false);
        } catch (InterruptedException e) {
            throw new AssertionError("nothing waits here", e);
        }
    }

    /** Takes a lock, waiting at most {@code nanos}. */
    public boolean tryLock(long object, long place, LockKind kind, boolean shared, long nanos)
            throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        return stripe(place).lock(object, place, kind, shared, nanos, true);
    }

    /** Gives a lock back that this thread has. */
    public void unlock(long place, LockKind kind, boolean shared) {
        stripe(place).unlock(place, kind, shared);
    }

    /** Whether this thread has the lock. */
    public boolean isHeld(long place, LockKind kind, boolean shared) {
        return stripe(place).isHeld(place, kind, shared);
    }

    /**
     * Gives a mutex up, waits for a signal of a condition and takes the mutex again, all atomically
     * with respect to threads that signal with the mutex held.
     *
     * @return false when {@code nanos} passed without a signal
     * @throws InterruptedException with the mutex held again
     */
    public boolean await(long object, long place, long mutexObject, long mutexPlace, long nanos)
            throws InterruptedException {
        Waiter waiter = new Waiter();
        LockStripe stripe = stripe(place);
        LockEntry entry = stripe.enqueue(object, place, waiter);
        boolean released = false;
        try {
            unlock(mutexPlace, LockKind.MUTEX, false);
            released = true;
            return stripe.await(entry, waiter, nanos);
        } finally {
            if (released) {
                lock(mutexObject, mutexPlace, LockKind.MUTEX, false);
            } else {
                stripe.dequeue(entry, waiter);
            }
        }
    }

    /** Wakes the thread that waits longest for a condition, or all of them. */
    public void signal(long object, long place, boolean all) {
        stripe(place).signal(object, place, all);
    }

    /**
     * Lets all locks in a range of the pool die, because the object there is freed or is written
     * anew. Before the space can be given out again.
     */
    void forget(long from, long to) {
        VarHandle.fullFence();
        long granule = from >>> GRANULE_SHIFT;
        long last = Math.min((to - 1) >>> GRANULE_SHIFT, granule + STRIPES - 1);
        for (; granule <= last; granule++) {
            stripes[(int) granule & (STRIPES - 1)].forget(from, to);
        }
    }
}
