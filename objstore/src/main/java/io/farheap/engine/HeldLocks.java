package io.farheap.engine;

import io.farheap.base.FarheapException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

/** The locks that one transaction holds, in the order they were taken. */
final class HeldLocks {
    private Lock[] locks = new Lock[4];
    private int count;

    /**
     * Takes a lock unless it is held already.
     *
     * @throws FarheapException ENVIRONMENT when it is not free in time, or the thread is
     *     interrupted while it waits; the interrupt is kept
     */
    void take(Lock lock, Duration timeout) {
        for (int i = 0; i < count; i++) {
            if (locks[i].equals(lock)) {
                return;
            }
        }
        if (count == locks.length) {
            locks = Arrays.copyOf(locks, 2 * count);
        }
        if (!lock.tryLock()) {
            waitFor(lock, timeout);
        }
        locks[count++] = lock;
    }

    private static void waitFor(Lock lock, Duration timeout) {
        try {
            if (lock.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw FarheapException.environment(
                    interrupted,
                    "The thread was interrupted while it waited for a lock that another"
                            + " transaction holds; its own is rolled back, begin it again.");
        }
        throw FarheapException.environment(
                "Another transaction held the lock for more than %s ms: take locks in"
                        + " one order everywhere, or raise FARHEAP_LOCK_TIMEOUT_MILLIS.",
                timeout.toMillis());
    }

    /**
     * Gives all of them back, the last one first. One that somebody gave back already keeps none of
     * the others. After an {@link Error} the same call goes on with what is left.
     *
     * @throws RuntimeException what the first one threw that could not be given back
     */
    void release() {
        RuntimeException failure = null;
        while (count > 0) {
            try {
                locks[count - 1].unlock();
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure;
            }
            count--;
            locks[count] = null;
        }
        if (failure != null) {
            throw failure;
        }
    }
}
