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
    private static final Duration LONGEST_REST = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(Hints.class);

    private final Runnable changed;
    private final long intervalNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition woken = lock.newCondition();
    private final Thread thread;
    private final long restNanos;
    private boolean hinted = true;

    /** The last call failed: hints wait, so that it is no busy loop. In the thread. */
    private boolean rests;

    private boolean closed;

    /** Begins. */
    public Hints(Duration interval, Runnable changed) {
        this.changed = changed;
        this.intervalNanos = interval.toNanos();
        this.restNanos = Math.min(intervalNanos, LONGEST_REST.toNanos());
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
        boolean goesOn = true;
        while (goesOn) {
            try {
                goesOn = callNext();
            } catch (Throwable e) {
                rests = true; // the log has failed as well, as where no memory is left
            }
        }
    }

    /** Whatever it is that fails: who is called no more hears of nothing for as long as it runs. */
    private boolean callNext() {
        if (!awaitNext()) {
            return false;
        }
        try {
            changed.run();
        } catch (Throwable e) {
            rests = true;
            LOG.warn("what watches the store failed, and is called again later", e);
        }
        return true;
    }

    private boolean awaitNext() {
        lock.lock();
        try {
            for (long rest = rests ? restNanos : 0; !closed && rest > 0; ) {
                rest = woken.awaitNanos(rest);
            }
            rests = false;
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
