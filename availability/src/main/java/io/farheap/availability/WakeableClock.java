package io.farheap.availability;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The machine's clock; whoever waits is woken when something may have changed. Thread-safe. */
final class WakeableClock implements LivenessClock {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition woken = lock.newCondition();
    private boolean wake;

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    /** Something may have changed. */
    void wake() {
        lock.lock();
        try {
            wake = true;
            woken.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void pause(Duration atMost) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = atMost.toNanos();
            while (!wake && left > 0) {
                left = woken.awaitNanos(left);
            }
            wake = false;
        } finally {
            lock.unlock();
        }
    }
}
