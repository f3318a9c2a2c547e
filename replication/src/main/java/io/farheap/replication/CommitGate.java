package io.farheap.replication;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets commits pass while it is open, and counts those between their claim and their local fate; so
 * that an epoch changes only when there are none. One word: the count, and the sign bit when it is
 * closed. Any thread passes; one at a time closes, waits and opens.
 */
final class CommitGate {
    private static final long CLOSED = Long.MIN_VALUE;
    private static final long LONGEST_NAP_NANOS = 10_000_000;

    private final AtomicLong word = new AtomicLong(CLOSED);
    private volatile Thread waiter;

    /** Whether the caller may claim; then {@link #leave} must follow. */
    boolean enter() {
        if (word.incrementAndGet() > 0) {
            return true;
        }
        leave();
        return false;
    }

    void leave() {
        if (word.decrementAndGet() == CLOSED) {
            Thread waiting = waiter;
            if (waiting != null) {
                LockSupport.unpark(waiting);
            }
        }
    }

    boolean isOpen() {
        return word.get() >= 0;
    }

    void open() {
        word.updateAndGet(value -> value & ~CLOSED);
    }

    /**
     * @return whether it was open
     */
    boolean close() {
        return word.getAndUpdate(value -> value | CLOSED) >= 0;
    }

    /**
     * Waits until nobody is inside any more, the gate being closed.
     *
     * @return false when the time was over
     */
    boolean awaitEmpty(long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        waiter = Thread.currentThread();
        try {
            while (word.get() != CLOSED) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                LockSupport.parkNanos(this, Math.min(left, LONGEST_NAP_NANOS));
            }
            return true;
        } finally {
            waiter = null;
        }
    }
}
