package io.farheap.lock;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;

/**
 * The state of one lock while somebody holds it or waits for it; guarded by its stripe. Used again
 * for other places.
 */
final class LockEntry {
    /** A thread that waits for a condition; signalled in the order of arrival. */
    static final class Waiter {
        boolean signalled;
    }

    /** Signalled whenever it may have become free, by a signal of a condition, and by its death. */
    final Condition changed;

    LockEntry next;
    long place;
    LockKind kind;

    /** Threads that hold it or wait for it, each as often as it does. */
    int users;

    /** Its object was freed, or it was zeroed: whoever takes the place next has another lock. */
    boolean dead;

    final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
    private Thread writer;
    private Thread[] readers = new Thread[4];
    private int readerCount;
    private int waitingWriters;

    LockEntry(Condition changed) {
        this.changed = changed;
    }

    void begin(long newPlace, LockKind newKind) {
        place = newPlace;
        kind = newKind;
        dead = false;
    }

    boolean isFree(boolean shared) {
        return shared ? writer == null : writer == null && readerCount == 0;
    }

    /** Whether a thread must wait: as a reader also for writers that came before it. */
    boolean mustWait(Thread thread, boolean shared) {
        return !isFree(shared) || shared && waitingWriters > 0 && !isReader(thread);
    }

    void writerWaits(int change) {
        waitingWriters += change;
    }

    void take(Thread thread, boolean shared) {
        if (!shared) {
            writer = thread;
            return;
        }
        if (readerCount == readers.length) {
            readers = Arrays.copyOf(readers, 2 * readerCount);
        }
        readers[readerCount++] = thread;
    }

    boolean isHeldBy(Thread thread, boolean shared) {
        return shared ? isReader(thread) : writer == thread;
    }

    boolean isHeldBy(Thread thread) {
        return writer == thread || isReader(thread);
    }

    private boolean isReader(Thread thread) {
        return readerIndex(thread) >= 0;
    }

    private int readerIndex(Thread thread) {
        for (int i = readerCount - 1; i >= 0; i--) {
            if (readers[i] == thread) {
                return i;
            }
        }
        return -1;
    }

    void give(Thread thread, boolean shared) {
        if (shared) {
            readers[readerIndex(thread)] = readers[--readerCount];
            readers[readerCount] = null;
        } else {
            writer = null;
        }
        if (kind == LockKind.MUTEX) {
            changed.signal();
        } else {
            changed.signalAll();
        }
    }
}
