package io.farheap.objects.transaction;

import io.farheap.base.FarheapException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Held by commits, shared, and exclusively by who goes alone: a transaction that met too many
 * conflicts, a read for which too much changed. Thread-safe.
 */
class CommitLatch {
    private final ActiveSnapshots active;
    private final Duration bound;
    private final ReentrantLock exclusive = new ReentrantLock();
    private volatile Thread holder;

    /**
     * @param bound of each wait
     */
    CommitLatch(ActiveSnapshots active, Duration bound) {
        this.active = active;
        this.bound = bound;
    }

    /** Waits while somebody else goes alone; {@link #releaseShared} must follow. */
    void acquireShared(int slot) {
        active.setCommitting(slot, true);
        if (!isHeldByAnother()) {
            return;
        }
        long end = System.nanoTime() + bound.toNanos();
        do {
            active.setCommitting(slot, false);
            for (int round = 0; isHeldByAnother(); round++) {
                Pause.next(round);
                if (System.nanoTime() - end > 0) {
                    throw tooLong("A commit waited");
                }
            }
            active.setCommitting(slot, true);
        } while (isHeldByAnother());
    }

    private boolean isHeldByAnother() {
        Thread by = holder;
        return by != null && by != Thread.currentThread();
    }

    void releaseShared(int slot) {
        active.setCommitting(slot, false);
    }

    /** Waits for the commits on their way and holds back all others until it is released. */
    void acquireExclusive() {
        boolean mine = false;
        try {
            mine = exclusive.tryLock(bound.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw FarheapException.environment(
                    interrupted,
                    "The thread was interrupted while it waited to be the only one to commit.");
        }
        if (!mine) {
            throw tooLong("A transaction that met many conflicts, or a long read, waited");
        }
        holder = Thread.currentThread();
        long end = System.nanoTime() + bound.toNanos();
        for (int round = 0; active.isCommitting(); round++) {
            Pause.next(round);
            if (System.nanoTime() - end > 0) {
                releaseExclusive();
                throw tooLong("A transaction that met many conflicts, or a long read, waited");
            }
        }
    }

    void releaseExclusive() {
        holder = null;
        exclusive.unlock();
    }

    private FarheapException tooLong(String who) {
        return FarheapException.environment(
                "%s for longer than %s ms for another thread's transaction, which runs alone or"
                        + " commits; make that one shorter, or raise FARHEAP_LOCK_TIMEOUT_MILLIS.",
                who, bound.toMillis());
    }
}
