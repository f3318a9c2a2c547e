package io.farheap.objects.transaction;

import io.farheap.base.FarheapException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The end of a heap: nobody is let in any more, those who are in are waited for, and who waits
 * outside of transactions is told. Thread-safe.
 */
final class HeapClosing {
    private final HeapState heap;
    private final ThreadTransactions threads;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Runnable> atClose = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    HeapClosing(HeapState heap, ThreadTransactions threads) {
        this.heap = heap;
        this.threads = threads;
    }

    /** Who has announced itself looks here: either it sees the end, or the end waits for it. */
    boolean isClosed() {
        return closed;
    }

    /** Has an action run at the end, once. */
    void atClose(Runnable action) {
        atClose.add(action);
    }

    /**
     * Waits, bounded, and ends; again, only what lies beneath is closed.
     *
     * @throws FarheapException WRONG_USE where some are still in after the bound; nothing has ended
     */
    void close(Runnable beneath) {
        lock.lock();
        try {
            if (!closed) {
                end();
            }
            beneath.run();
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        closed = true;
        long bound = heap.closeTimeout().toNanos();
        long begin = System.nanoTime();
        for (int round = 0; heap.active.count() > 0; round++) {
            Pause.next(round);
            if (System.nanoTime() - begin > bound) {
                closed = false;
                throw FarheapException.wrongUse(
                        "%s transactions and reads still run after %s ms, of the threads %s; end"
                                + " them and close again.",
                        heap.active.count(), heap.closeTimeout().toMillis(), threads.active());
            }
        }
        threads.forget();
        atClose.forEach(Runnable::run);
    }
}
