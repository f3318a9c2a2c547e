package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.PoolDeposedException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Which epoch is under way, and how committers wait for the next one when theirs has closed
 * admission. Thread-safe.
 */
final class CurrentEpoch {
    /** How long a commit waits for the next epoch. */
    private final Supplier<Duration> bound;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Replaced only when nobody is between a claim from it and that record's local fate. */
    private volatile Epoch epoch;

    /** Why the next epoch can't begin; null while that is not known. */
    private volatile FarheapException missing;

    /** Whether that stays so until the pool is opened again. Guarded by {@link #lock}. */
    private boolean over;

    private volatile boolean closing;

    CurrentEpoch(Supplier<Duration> bound) {
        this.bound = bound;
    }

    /** The epoch under way, or the last one while there is none. */
    Epoch now() {
        return epoch;
    }

    /** Why the next epoch can't begin; null while that is not known. */
    FarheapException missing() {
        return missing;
    }

    void begin(Epoch next) {
        lock.lock();
        try {
            epoch = next;
            missing = over ? missing : null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The next epoch can't begin yet; who waits for it needs not wait any more. */
    void setMissing(FarheapException why) {
        setMissing(why, false);
    }

    /** The next epoch begins with the pool's next opening; whatever comes later, too. */
    void setOver(FarheapException why) {
        setMissing(why, true);
    }

    private void setMissing(FarheapException why, boolean untilReopened) {
        lock.lock();
        try {
            if (!over) {
                missing = why;
                over = untilReopened;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Whether the next epoch begins with the pool's next opening. */
    boolean isOver() {
        lock.lock();
        try {
            return over;
        } finally {
            lock.unlock();
        }
    }

    /** Lets commits go on in the epoch under way, whose admission was closed for a while. */
    void reopen() {
        lock.lock();
        try {
            epoch.reopenAdmission();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Nobody waits any more.
     *
     * @return whether that is news
     */
    boolean close() {
        lock.lock();
        try {
            boolean first = !closing;
            closing = true;
            changed.signalAll();
            return first;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for the epoch after one whose admission is closed, or until it is open again.
     *
     * @throws FarheapException category REPLICA when there will be none soon
     */
    Epoch after(Epoch ended) {
        long left = bound.get().toNanos();
        boolean interrupted = false;
        lock.lock();
        try {
            while (epoch == ended && !ended.isOpen()) {
                FarheapException refusal = refusal(ended, left);
                if (refusal != null) {
                    throw refusal;
                }
                try {
                    left = changed.awaitNanos(left);
                } catch (InterruptedException e) {
                    interrupted = true; // it must not cut a commit in two
                }
            }
            return epoch;
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private FarheapException refusal(Epoch ended, long nanosLeft) {
        FarheapException why = missing;
        if (closing) {
            return FarheapException.wrongUse("the pool is being closed: nothing can be committed");
        }
        if (why instanceof PoolDeposedException deposed) {
            return deposed.again();
        }
        if (why != null) {
            return new FarheapException(
                    Category.REPLICA,
                    (over
                                    ? "no commits any more: "
                                    : "no commits while a replica is missing, which is looked for"
                                            + " all the time: ")
                            + why.getMessage(),
                    why);
        }
        if (ended.isFrozen() && !ended.goesOn()) {
            return ended.stream().admissionClosed();
        }
        if (nanosLeft <= 0) {
            return FarheapException.replica(
                    "the switch to other replicas was not done within %s ms; try again",
                    bound.get().toMillis());
        }
        return null;
    }
}
