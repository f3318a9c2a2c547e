package io.farheap.replication.epoch;

import io.farheap.FarheapException;
import java.util.ArrayList;
import java.util.List;

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
        Throwable[] failures = new Throwable[count];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int index = i;
            threads.add(
                    Thread.ofPlatform()
                            .daemon()
                            .name("farheap-replica-" + index)
                            .start(() -> failures[index] = failure(step, index)));
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            threads.forEach(Thread::interrupt);
            for (Thread thread : threads) {
                thread.join();
            }
            throw e;
        }
        return failures;
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
            } else if (failure != null) {
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
