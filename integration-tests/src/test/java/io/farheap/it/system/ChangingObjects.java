package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads of this process that change a pool while a test breaks something: objects that come and
 * go, stores in place, every fifth transaction rolled back. No commit may throw.
 */
final class ChangingObjects {
    private static final long TYPE = 7;
    private static final int THREADS = 3;
    private static final int SLOTS = 40;

    private final ObjectPool pool;
    private final long inPlaceBytes;
    private final long pauseNanos;
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicLong commits = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();

    /**
     * @param inPlaceBytes the most that a transaction stores in place; more than a lane's undo log
     *     has room for makes it use extensions
     * @param pauseNanos between two transactions of a thread
     */
    ChangingObjects(ObjectPool pool, long inPlaceBytes, long pauseNanos) {
        this.pool = pool;
        this.inPlaceBytes = inPlaceBytes;
        this.pauseNanos = pauseNanos;
        for (int i = 0; i < THREADS; i++) {
            Ref table = pool.compute(tx -> tx.allocateZeroed(SLOTS * 16L, TYPE));
            Ref inPlace = pool.compute(tx -> tx.allocateZeroed(SLOTS * inPlaceBytes, TYPE));
            threads.add(Thread.ofPlatform().start(() -> run(table, inPlace)));
        }
    }

    private void run(Ref table, Ref inPlace) {
        try {
            for (long n = 1; !stop.get(); n++) {
                change(table, inPlace, n);
                commits.incrementAndGet();
                LockSupport.parkNanos(pauseNanos);
            }
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    private void change(Ref table, Ref inPlace, long n) {
        long slot = n % SLOTS;
        long stored = inPlaceBytes - inPlaceBytes / 8 * (n % 3);
        try {
            pool.transaction(
                    tx -> {
                        Ref old = tx.getRef(table, slot * 16);
                        if (!old.equals(Ref.NULL)) {
                            tx.free(old);
                        }
                        Ref fresh = tx.allocate(100 + n % 7 * 300, TYPE + 1);
                        tx.setLong(fresh, 0, n);
                        tx.setRef(table, slot * 16, fresh);
                        tx.snapshot(inPlace, slot * inPlaceBytes, stored).fill((byte) n);
                        if (n % 5 == 0) {
                            throw new IllegalStateException("rolled back");
                        }
                    });
        } catch (IllegalStateException rolledBack) {
            if (n % 5 != 0) {
                throw rolledBack;
            }
        }
    }

    long commits() {
        return commits.get();
    }

    void awaitMore(long more) {
        long from = commits.get();
        await().until(() -> commits.get() > from + more || failure.get() != null);
    }

    /** Ends the threads; none of their commits has thrown. */
    void end() throws InterruptedException {
        stop.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failure.get()).isNull();
    }
}
