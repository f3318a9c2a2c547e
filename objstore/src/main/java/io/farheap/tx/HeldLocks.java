package io.farheap.tx;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/** The locks that one transaction holds, in the order they were taken. */
final class HeldLocks {
    private final ArrayList<Lock> locks = new ArrayList<>();

    /** Takes a lock unless it is held already. An interrupt does not end the wait; it is kept. */
    void take(Lock lock, Duration timeout) {
        if (locks.contains(lock)) {
            return;
        }
        if (!lock.tryLock()) {
            waitFor(lock, timeout);
        }
        locks.add(lock);
    }

    private static void waitFor(Lock lock, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    if (lock.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                        return;
                    }
                    throw new FarheapException(
                            Category.WRONG_USE,
                            "Another transaction held the lock for more than "
                                    + timeout.toMillis()
                                    + " ms: take locks in one order everywhere, or raise"
                                    + " FARHEAP_LOCK_TIMEOUT_MILLIS.");
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Gives all of them back, the last one first. One that somebody gave back already keeps none of
     * the others.
     *
     * @throws RuntimeException what the first one threw that could not be given back
     */
    void release() {
        RuntimeException failure = null;
        while (!locks.isEmpty()) {
            try {
                locks.removeLast().unlock();
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
