package io.farheap.it.workload;

import io.farheap.ObjectPool;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Works in a pool with some threads, from where they are, until it is killed or has done enough.
 */
public final class CellProgram {
    private CellProgram() {}

    /** Arguments: pool, progress file, threads, seed, operations of each thread at most. */
    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[2]);
        Progress progress = new Progress(Path.of(args[1]), threads);
        try (ObjectPool pool = ObjectPool.open(Path.of(args[0]), "cells")) {
            work(pool, progress, threads, Long.parseLong(args[3]), Long.parseLong(args[4]));
        }
    }

    static void work(ObjectPool pool, Progress progress, int threads, long seed, long most)
            throws InterruptedException {
        CellWorkload.Shared shared = CellWorkload.Shared.of(pool);
        List<Thread> running = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            running.add(
                    Thread.ofPlatform()
                            .uncaughtExceptionHandler(
                                    (failed, failure) -> {
                                        synchronized (failures) {
                                            failures.add(failure);
                                        }
                                    })
                            .start(() -> work(pool, shared, progress, thread, seed, most)));
        }
        for (Thread thread : running) {
            thread.join();
        }
        if (!failures.isEmpty()) {
            throw new AssertionError("seed " + seed, failures.get(0));
        }
    }

    private static void work(
            ObjectPool pool,
            CellWorkload.Shared shared,
            Progress progress,
            int thread,
            long seed,
            long most) {
        long done = progress.of(thread);
        CellWorkload workload = CellWorkload.replayed(pool, shared, seed, thread, done);
        for (long end = done + most; done < end; done++) {
            workload.step();
            progress.set(thread, done + 1);
        }
    }
}
