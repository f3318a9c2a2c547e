package io.farheap.lock;

import io.farheap.base.FarheapException;
import io.farheap.lock.LockEntry.Waiter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The locks of some places: an entry for each that is held or waited for, none for the others. One
 * short lock guards them all; waiting gives it up.
 */
final class LockStripe {
    private static final int MOST_SPARE = 16;

    private final ReentrantLock guard = new ReentrantLock();
    private final LockTable table;
    private LockEntry first;
    private LockEntry spare;
    private int spares;

    /** Changed under the guard; read without it by {@link #forget}. */
    private final AtomicInteger entries = new AtomicInteger();

    LockStripe(LockTable table) {
        this.table = table;
    }

    /**
     * Takes a lock.
     *
     * @param nanos 0: only if that needs no waiting
     * @return whether the thread has it now
     */
    boolean lock(
            long object,
            long place,
            LockKind kind,
            boolean shared,
            long nanos,
            boolean interruptible)
            throws InterruptedException {
        guard.lock();
        try {
            LockEntry entry = enter(object, place, kind);
            boolean taken = false;
            try {
                taken = take(entry, shared, nanos, interruptible);
            } finally {
                if (!taken) {
                    leave(entry);
                }
            }
            return taken;
        } finally {
            guard.unlock();
        }
    }

    private boolean take(LockEntry entry, boolean shared, long nanos, boolean interruptible)
            throws InterruptedException {
        Thread thread = Thread.currentThread();
        if (nanos <= 0) {
            if (!entry.isFree(shared)) {
                return false;
            }
        } else if (entry.mustWait(thread, shared)) {
            if (entry.isHeldBy(thread)) {
                throw FarheapException.wrongUse(
                        "This thread holds %s already and would wait for itself; locks in pool"
                                + " memory are not reentrant.",
                        where(entry.kind, entry.place));
            }
            if (!await(entry, thread, shared, nanos, interruptible)) {
                return false;
            }
        }
        entry.take(thread, shared);
        return true;
    }

    private boolean await(
            LockEntry entry, Thread thread, boolean shared, long nanos, boolean interruptible)
            throws InterruptedException {
        if (!shared) {
            entry.writerWaits(1);
        }
        boolean interrupted = false;
        boolean free = false;
        try {
            long deadline = System.nanoTime() + nanos;
            do {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                try {
                    long unused = entry.changed.awaitNanos(left);
                } catch (InterruptedException e) {
                    if (interruptible) {
                        throw e;
                    }
                    interrupted = true;
                }
                requireAlive(entry);
            } while (entry.mustWait(thread, shared));
            free = true;
            return true;
        } finally {
            if (!shared) {
                entry.writerWaits(-1);
                if (!free) {
                    entry.changed.signalAll(); // readers may have waited for this writer only
                }
            }
            if (interrupted) {
                thread.interrupt();
            }
        }
    }

    /** Gives a lock back, also one whose object was freed meanwhile. */
    void unlock(long place, LockKind kind, boolean shared) {
        guard.lock();
        try {
            LockEntry entry = held(place, kind, shared);
            if (entry == null) {
                throw FarheapException.wrongUse(
                        "This thread does not hold %s; only who took it can give it back.",
                        where(kind, place));
            }
            entry.give(Thread.currentThread(), shared);
            leave(entry);
        } finally {
            guard.unlock();
        }
    }

    boolean isHeld(long place, LockKind kind, boolean shared) {
        guard.lock();
        try {
            return held(place, kind, shared) != null;
        } finally {
            guard.unlock();
        }
    }

    private LockEntry held(long place, LockKind kind, boolean shared) {
        Thread thread = Thread.currentThread();
        LockEntry found = null;
        for (LockEntry entry = first; entry != null; entry = entry.next) {
            boolean held =
                    entry.place == place && entry.kind == kind && entry.isHeldBy(thread, shared);
            if (held && (found == null || found.dead)) {
                found = entry;
            }
        }
        return found;
    }

    // ---- conditions ----

    /** Becomes one of those that signals wake, before it gives up the mutex. */
    LockEntry enqueue(long object, long place, Waiter waiter) {
        guard.lock();
        try {
            LockEntry entry = enter(object, place, LockKind.CONDITION);
            entry.waiters.add(waiter);
            return entry;
        } finally {
            guard.unlock();
        }
    }

    void dequeue(LockEntry entry, Waiter waiter) {
        guard.lock();
        try {
            boolean unused = entry.waiters.remove(waiter);
            leave(entry);
        } finally {
            guard.unlock();
        }
    }

    /** Waits for its turn; afterwards the entry is no longer the waiter's. */
    boolean await(LockEntry entry, Waiter waiter, long nanos) throws InterruptedException {
        guard.lock();
        try {
            long deadline = System.nanoTime() + nanos;
            while (!waiter.signalled && !entry.dead) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                try {
                    long unused = entry.changed.awaitNanos(left);
                } catch (InterruptedException e) {
                    if (!waiter.signalled) {
                        throw e;
                    }
                    // Both came: whoever waits behind this one would never get the signal.
                    Thread.currentThread().interrupt();
                }
            }
            requireAlive(entry);
            return true;
        } finally {
            boolean unused = entry.waiters.remove(waiter);
            leave(entry);
            guard.unlock();
        }
    }

    void signal(long object, long place, boolean all) {
        guard.lock();
        try {
            LockEntry entry = enter(object, place, LockKind.CONDITION);
            Waiter waiter = entry.waiters.poll();
            while (waiter != null) {
                waiter.signalled = true;
                waiter = all ? entry.waiters.poll() : null;
            }
            entry.changed.signalAll();
            leave(entry);
        } finally {
            guard.unlock();
        }
    }

    // ---- entries ----

    /**
     * The entry of a place, one user more. It is there before the object is looked at: either this
     * sees that the object is gone, or {@link #forget} sees the entry.
     */
    private LockEntry enter(long object, long place, LockKind kind) {
        LockEntry entry = first;
        while (entry != null && (entry.place != place || entry.dead)) {
            entry = entry.next;
        }
        if (entry == null) {
            entry = made(place, kind);
        } else if (entry.kind != kind) {
            throw FarheapException.wrongUse(
                    "The place at 0x%s is in use as %s and can't be %s at the same time.",
                    Long.toHexString(place), entry.kind, kind);
        }
        entry.users++;
        boolean alive = false;
        try {
            table.requireAlive(object);
            alive = true;
        } finally {
            if (!alive) {
                leave(entry);
            }
        }
        return entry;
    }

    private LockEntry made(long place, LockKind kind) {
        LockEntry entry = spare;
        if (entry == null) {
            entry = new LockEntry(guard.newCondition());
        } else {
            spare = entry.next;
            spares--;
        }
        entry.begin(place, kind);
        entry.next = first;
        first = entry;
        int unused = entries.incrementAndGet();
        return entry;
    }

    private void leave(LockEntry entry) {
        if (--entry.users > 0) {
            return;
        }
        if (first == entry) {
            first = entry.next;
        } else {
            LockEntry before = first;
            while (before.next != entry) {
                before = before.next;
            }
            before.next = entry.next;
        }
        int unused = entries.decrementAndGet();
        if (spares < MOST_SPARE) {
            entry.next = spare;
            spare = entry;
            spares++;
        }
    }

    /** Lets the locks in a range die: who waits is refused, who holds one may give it back. */
    void forget(long from, long to) {
        if (entries.get() == 0) {
            return;
        }
        guard.lock();
        try {
            for (LockEntry entry = first; entry != null; entry = entry.next) {
                if (entry.place >= from && entry.place < to) {
                    entry.dead = true;
                    entry.changed.signalAll();
                }
            }
        } finally {
            guard.unlock();
        }
    }

    private static void requireAlive(LockEntry entry) {
        if (entry.dead) {
            throw FarheapException.wrongUse(
                    "The object that holds %s was freed, or the lock zeroed, while this"
                            + " thread waited for it.",
                    where(entry.kind, entry.place));
        }
    }

    static String where(LockKind kind, long place) {
        return kind + " at 0x" + Long.toHexString(place);
    }

    static FarheapException timedOut(LockKind kind, long place, long nanos) {
        return FarheapException.wrongUse(
                "Another thread held %s for more than %s ms: take locks in one order"
                        + " everywhere, or raise FARHEAP_LOCK_TIMEOUT_MILLIS.",
                where(kind, place), TimeUnit.NANOSECONDS.toMillis(nanos));
    }
}
