package io.farheap.objects.transaction;

import io.farheap.base.FarheapException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets commits through, and holds them back while somebody goes alone: a transaction that met too
 * many conflicts, a read for which too much changed. Thread-safe.
 */
class CommitGate {
    private final ActiveSnapshots active;
    private final Duration bound;
    private final ReentrantLock closing = new ReentrantLock();
    private volatile Thread closedBy;

    /**
     * @param bound of each wait
     */
    CommitGate(ActiveSnapshots active, Duration bound) {
        this.active = active;
        this.bound = bound;
    }

    /** Waits while somebody else goes alone; {@link #leave} must follow. */
    void enter(int slot) {
        active.setCommitting(slot, true);
        if (!isClosedToMe()) {
            return;
        }
        long end = System.nanoTime() + bound.toNanos();
        do {
            active.setCommitting(slot, false);
            for (int round = 0; isClosedToMe(); round++) {
                Pause.next(round);
                if (System.nanoTime() - end > 0) {
                    throw tooLong("A commit waited");
                }
            }
            active.setCommitting(slot, true);
        } while (isClosedToMe());
    }

    private boolean isClosedToMe() {
        Thread by = closedBy;
        return by != null && by != Thread.currentThread();
    }

    void leave(int slot) {
        active.setCommitting(slot, false);
    }

    /** Waits for the commits on their way and holds back all others until {@link #open}. */
    void close() {
        boolean mine = false;
        try {
            mine = closing.tryLock(bound.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw FarheapException.environment(
                    interrupted,
                    "The thread was interrupted while it waited to be the only one to commit.");
        }
        if (!mine) {
            throw tooLong("A transaction that met many conflicts, or a long read, waited");
        }
        closedBy = Thread.currentThread();
        long end = System.nanoTime() + bound.toNanos();
        for (int round = 0; active.isCommitting(); round++) {
            Pause.next(round);
            if (System.nanoTime() - end > 0) {
                open();
                throw tooLong("A transaction that met many conflicts, or a long read, waited");
            }
        }
    }

    void open() {
        closedBy = null;
        closing.unlock();
    }

    private FarheapException tooLong(String who) {
        return FarheapException.environment(
                "%s for longer than %s ms for another thread's transaction, which runs alone or"
                        + " commits; make that one shorter, or raise FARHEAP_LOCK_TIMEOUT_MILLIS.",
                who, bound.toMillis());
    }
}
