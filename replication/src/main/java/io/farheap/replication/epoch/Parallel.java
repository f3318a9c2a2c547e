package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** The same step with several replicas at once, since each waits for its own network and disks. */
public final class Parallel {
    private Parallel() {}

    /** What is done with one of them. */
    public interface Step {
        void apply(int index) throws InterruptedException;
    }

    /**
     * Runs the step for 0 to {@code count} - 1, and returns when all have ended.
     *
     * @throws FarheapException the first failure by index, the others suppressed in it
     */
    static void forEach(int count, Step step) throws InterruptedException {
        throwFirst(collect(count, step));
    }

    /** The same, and gives the failures by index; null where there was none. */
    public static Throwable[] collect(int count, Step step) throws InterruptedException {
        AtomicInteger next = new AtomicInteger();
        return collect(
                count,
                step,
                task ->
                        Thread.ofPlatform()
                                .daemon()
                                .name("farheap-replica-" + next.getAndIncrement())
                                .unstarted(task));
    }

    /**
     * A step counts as done only where it has returned: a thread that can't be made, or dies before
     * its step begins, is a failure of that step, and the threads of the others are waited for.
     */
    static Throwable[] collect(int count, Step step, ThreadFactory factory)
            throws InterruptedException {
        Throwable[] failures = new Throwable[count];
        Arrays.fill(failures, new IllegalStateException("the step of a replica never ran"));
        List<Thread> threads = new ArrayList<>(count);
        boolean cut = false;
        for (int i = 0; i < count && !cut; i++) {
            int index = i;
            try {
                Thread thread = factory.newThread(() -> failures[index] = failure(step, index));
                threads.add(thread);
                thread.start();
            } catch (RuntimeException | Error e) {
                cut = true; // no memory, or no more threads
                Arrays.fill(failures, index, count, e);
            }
        }
        boolean joined = false;
        try {
            joinAll(threads);
            joined = true;
        } finally {
            if (!joined) { // interrupted, or cut short: nobody must go on behind the caller's back
                threads.forEach(Thread::interrupt);
                joinAll(threads);
            }
        }
        return failures;
    }

    private static void joinAll(List<Thread> threads) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static Throwable failure(Step step, int index) {
        try {
            step.apply(index);
            return null;
        } catch (InterruptedException | RuntimeException | Error e) {
            return e;
        }
    }

    /**
     * Throws the first failure by index, the others suppressed in it; returns when there is none.
     */
    public static void throwFirst(Throwable[] failures) throws InterruptedException {
        Throwable first = null;
        for (Throwable failure : failures) {
            if (first == null) {
                first = failure;
            } else if (failure != null && failure != first) {
                first.addSuppressed(failure);
            }
        }
        if (first instanceof InterruptedException) {
            throw (InterruptedException) first;
        }
        if (first instanceof Error) {
            throw (Error) first;
        }
        if (first != null) {
            throw (RuntimeException) first;
        }
    }
}
