package io.farheap;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Something that another thread does, and what became of it; every wait is bounded. */
final class OtherThread<T> {
    private final FutureTask<T> task;
    private final Thread thread;

    private OtherThread(FutureTask<T> task, Thread thread) {
        this.task = task;
        this.thread = thread;
    }

    static <T> OtherThread<T> doing(Callable<T> what) {
        FutureTask<T> task = new FutureTask<>(what);
        return new OtherThread<>(task, Thread.ofPlatform().daemon().start(task));
    }

    static OtherThread<Void> running(Runnable what) {
        return doing(
                () -> {
                    what.run();
                    return null;
                });
    }

    /** What it came to; what it threw is thrown here. */
    T result() throws Exception {
        try {
            return task.get(60, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception) {
                throw (Exception) e.getCause();
            }
            throw new AssertionError(e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("still at it: " + thread.getState(), e);
        }
    }

    void untilItWaits() {
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofSeconds(60))
                .until(() -> isWaiting(thread.getState()));
    }

    private static boolean isWaiting(Thread.State state) {
        return state == Thread.State.TIMED_WAITING || state == Thread.State.WAITING;
    }

    boolean isDone() {
        return task.isDone();
    }

    void interrupt() {
        thread.interrupt();
    }
}
