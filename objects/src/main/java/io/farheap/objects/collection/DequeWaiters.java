package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransactions;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The threads of this process that wait for something to come into a deque.
 *
 * <p>A thread that waits is known here before it looks at the deque for the last time, and one that
 * has committed looks here after that: so one of them sees the other.
 */
final class DequeWaiters {
    private record Deque(HeapTransactions heap, long header) {}

    private static final ConcurrentMap<Deque, DequeWaiters> WAITED_FOR = new ConcurrentHashMap<>();

    /** Wakes all who wait for whatever deque: what they find may be an error. */
    static final Runnable WAKE_ALL = () -> WAITED_FOR.values().forEach(DequeWaiters::wake);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition added = lock.newCondition();
    private long additions;
    private int waiting;

    private DequeWaiters() {}

    /** Wakes those who wait: something was committed. */
    static void wake(HeapTransactions heap, long header) {
        DequeWaiters waiters = WAITED_FOR.get(new Deque(heap, header));
        if (waiters != null) {
            waiters.wake();
        }
    }

    private void wake() {
        lock.lock();
        try {
            additions++;
            added.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** What {@code poll} returns as soon as that is not null; null when the time is over. */
    static <E> E await(HeapTransactions heap, long header, Supplier<E> poll, long nanos)
            throws InterruptedException {
        heap.atClose(WAKE_ALL);
        Deque deque = new Deque(heap, header);
        DequeWaiters waiters =
                WAITED_FOR.compute(
                        deque,
                        (same, there) -> {
                            DequeWaiters one = there == null ? new DequeWaiters() : there;
                            one.waiting++;
                            return one;
                        });
        try {
            return waiters.await(poll, nanos);
        } finally {
            DequeWaiters unused =
                    WAITED_FOR.computeIfPresent(
                            deque, (same, there) -> --there.waiting == 0 ? null : there);
        }
    }

    private <E> E await(Supplier<E> poll, long nanos) throws InterruptedException {
        long deadline = System.nanoTime() + nanos;
        while (true) {
            long seen = additions();
            E element = poll.get();
            if (element != null || !isAdded(seen, deadline)) {
                return element;
            }
        }
    }

    private long additions() {
        lock.lock();
        try {
            return additions;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for another addition; false when the time is over. */
    private boolean isAdded(long seen, long deadline) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (additions == seen) {
                long rest = deadline - System.nanoTime();
                if (rest <= 0 || added.awaitNanos(rest) <= 0) {
                    return additions != seen;
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Practically forever, and no overflow when added to a time. */
    static final long NO_BOUND = TimeUnit.DAYS.toNanos(36_500);
}
