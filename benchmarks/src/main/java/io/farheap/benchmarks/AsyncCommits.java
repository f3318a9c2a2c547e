package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.HdrHistogram.Histogram;

/**
 * Commits as fast as they go with one replica under the policy async, in turns with a pool that has
 * none: what the copy costs that nobody waits for, and whether it keeps up.
 */
final class AsyncCommits {
    private static final int ROUNDS = 4;
    private static final int[] THREADS = {1, 2};

    private AsyncCommits() {}

    /** Commits of one pool, all rounds together. */
    private static final class Side {
        final List<SmallCommit> committers = new ArrayList<>();
        final Histogram times = Figures.histogram();
        double seconds;

        Side(ObjectPool pool, int threads) {
            for (int i = 0; i < threads; i++) {
                committers.add(new SmallCommit(pool));
            }
        }

        void commit(ExecutorService executor, int millis, boolean counts)
                throws InterruptedException, ExecutionException {
            long begin = System.nanoTime();
            Histogram round = CommittingThreads.commit(executor, committers, millis);
            if (counts) {
                times.add(round);
                seconds += (System.nanoTime() - begin) / 1e9;
            }
        }

        double perSecond() {
            return times.getTotalCount() / seconds;
        }
    }

    static void run(Site site, int millis) throws InterruptedException, ExecutionException {
        try (ObjectPool plain = site.openLocal(false);
                ObjectPool async = site.openReplicated();
                ExecutorService executor = Executors.newCachedThreadPool()) {
            if (status(async).policy() != ReplicaPolicy.ASYNC) {
                throw new IllegalStateException("the replica is not asynchronous");
            }
            for (int threads : THREADS) {
                Figures.circumstances(Site.waiting(), threads);
                Side here = new Side(plain, threads);
                Side there = new Side(async, threads);
                long lag = 0;
                for (int round = 0; round <= ROUNDS; round++) {
                    here.commit(executor, millis, round > 0);
                    there.commit(executor, millis, round > 0);
                    lag = Math.max(lag, status(async).lagBytes());
                    awaitCaughtUp(async);
                }
                report(here, there, lag);
            }
        }
    }

    private static ReplicaStatus status(ObjectPool pool) {
        return pool.replicas().get(0);
    }

    /** What is still on its way must not meet the other pool's turn. */
    private static void awaitCaughtUp(ObjectPool pool) throws InterruptedException {
        while (status(pool).lagBytes() > 0) {
            Thread.sleep(1);
        }
    }

    private static void report(Side here, Side there, long lag) {
        Figures.line("64 B transaction, asynchronous replica", there.times);
        Figures.line("the same, no replica", here.times);
        Figures.ratio("ratio", there.times, here.times);
        Figures.text(
                "%,.0f commits/s with it, %,.0f without: ratio %.2f; it was behind by %,d KiB at"
                        + " most when a round ended",
                there.perSecond(),
                here.perSecond(),
                there.perSecond() / here.perSecond(),
                lag >> 10);
    }
}
