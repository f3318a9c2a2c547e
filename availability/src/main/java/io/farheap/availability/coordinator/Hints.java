package io.farheap.availability.coordinator;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes one call at a time: at once, after each hint, and when an interval has passed without one.
 * Hints that come while a call is under way lead to one more call.
 */
public final class Hints implements Watch {
    private static final Logger LOG = LoggerFactory.getLogger(Hints.class);

    private final Runnable changed;
    private final long intervalNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition woken = lock.newCondition();
    private final Thread thread;
    private boolean hinted = true;
    private boolean closed;

    /** Begins. */
    public Hints(Duration interval, Runnable changed) {
        this.changed = changed;
        this.intervalNanos = interval.toNanos();
        this.thread = Thread.ofPlatform().daemon().name("farheap-watch").unstarted(this::run);
        thread.start();
    }

    /** Something may have changed. */
    public void hint() {
        lock.lock();
        try {
            hinted = true;
            woken.signal();
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (awaitNext()) {
            try {
                changed.run();
            } catch (RuntimeException e) {
                LOG.warn("what watches the store failed, and is called again later", e);
            }
        }
    }

    private boolean awaitNext() {
        lock.lock();
        try {
            long left = intervalNanos;
            while (!hinted && !closed && left > 0) {
                left = woken.awaitNanos(left);
            }
            hinted = false;
            return !closed;
        } catch (InterruptedException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            woken.signal();
        } finally {
            lock.unlock();
        }
        if (Thread.currentThread() != thread) {
            awaitEnd();
        }
    }

    /** A call that is under way has bounds of its own. */
    private void awaitEnd() {
        try {
            if (!thread.join(Duration.ofNanos(intervalNanos))) {
                thread.interrupt();
                thread.join(TimeUnit.SECONDS.toMillis(1));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
