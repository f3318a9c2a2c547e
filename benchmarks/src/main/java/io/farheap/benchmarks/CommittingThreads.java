package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.PoolCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * Commits per second by several threads with one replica. Where commits are grouped, there are
 * fewer doorbells than records.
 */
final class CommittingThreads {
    private static final int[] THREADS = {1, 2, 4, 8};

    private CommittingThreads() {}

    static void run(Site site, int millis) throws InterruptedException, ExecutionException {
        try (ObjectPool pool = site.openReplicated();
                ExecutorService executor = Executors.newCachedThreadPool()) {
            Figures.circumstances(Site.waiting(), THREADS[THREADS.length - 1]);
            for (int threads : THREADS) {
                List<SmallCommit> committers = new ArrayList<>();
                for (int i = 0; i < threads; i++) {
                    committers.add(new SmallCommit(pool));
                }
                Histogram unused = commit(executor, committers, millis / 2);
                PoolCounters before = pool.counters();
                long begin = System.nanoTime();
                Histogram times = commit(executor, committers, millis);
                double seconds = (System.nanoTime() - begin) / 1e9;
                report(threads, times, seconds, before, pool.counters());
            }
        }
    }

    private static void report(
            int threads, Histogram times, double seconds, PoolCounters before, PoolCounters now) {
        double records = now.records() - before.records();
        Figures.text(
                "%d threads: %,9.0f commits/s   p50 %7.2f µs   p99 %8.2f µs   records per doorbell"
                        + " %.2f, per wait %.2f",
                threads,
                times.getTotalCount() / seconds,
                Figures.micros(times, 50),
                Figures.micros(times, 99),
                records / (now.doorbells() - before.doorbells()),
                records / (now.durabilityWaits() - before.durabilityWaits()));
    }

    /** All of them commit for so long. */
    static Histogram commit(ExecutorService executor, List<SmallCommit> committers, int millis)
            throws InterruptedException, ExecutionException {
        long end = System.nanoTime() + 1_000_000L * millis;
        List<Future<Histogram>> running = new ArrayList<>();
        for (SmallCommit committer : committers) {
            running.add(executor.submit(() -> commitUntil(end, committer)));
        }
        Histogram times = Figures.histogram();
        for (Future<Histogram> committer : running) {
            times.add(committer.get());
        }
        return times;
    }

    private static Histogram commitUntil(long end, SmallCommit commit) {
        Histogram times = Figures.histogram();
        long now = System.nanoTime();
        while (now < end) {
            commit.run();
            long then = System.nanoTime();
            times.recordValue(then - now);
            now = then;
        }
        return times;
    }
}
