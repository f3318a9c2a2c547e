package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.tools.demo.LocalMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * Commits per second of several threads on a disk, through the page cache, in turns with
 * libpmemobj's own of the same kind. Each thread has an object of two pages for itself.
 */
final class DiskThreads {
    private static final int[] THREADS = {1, 2, 4, 8, 16};
    private static final int ROUNDS = 3;
    private static final int OBJECT_BYTES = 8192;
    private static final String LAYOUT = "benchmark";
    private static final long POOL_BYTES = 128L << 20;

    private DiskThreads() {}

    /**
     * @param disk a directory on the disk to measure
     * @param commits of each thread and round
     */
    static void run(Site site, Path disk, int commits)
            throws IOException, InterruptedException, ExecutionException {
        Optional<NativeProgram> library = NativeProgram.compile(site, "operations");
        Path directory = Files.createTempDirectory(disk, "farheap-benchmark");
        Path theirs = directory.resolve("native.pool");
        try (ObjectPool pool =
                        ObjectPool.at(directory.resolve("local.pool"))
                                .layout(LAYOUT)
                                .size(POOL_BYTES)
                                .create();
                ExecutorService executor = Executors.newCachedThreadPool()) {
            Figures.circumstances(Site.waiting(), THREADS[THREADS.length - 1]);
            Figures.text(
                    "%s on %s, persistence domain %s",
                    disk, Files.getFileStore(disk).type(), pool.persistenceDomain());
            List<SmallCommit> committers = new ArrayList<>();
            for (int i = 0; i < THREADS[THREADS.length - 1]; i++) {
                committers.add(new SmallCommit(pool, OBJECT_BYTES));
            }
            for (int threads : THREADS) {
                Histogram our = Figures.histogram();
                Histogram their = Figures.histogram();
                for (int round = 0; round < ROUNDS; round++) {
                    our.add(commit(executor, committers.subList(0, threads), commits));
                    if (library.isPresent()) {
                        library.get()
                                .run(
                                        line -> their.recordValue(Long.parseLong(line)),
                                        "tx64",
                                        theirs,
                                        threads,
                                        commits / 10,
                                        commits);
                    }
                }
                report(threads, our, their);
            }
            if (library.isEmpty()) {
                Figures.text(NativeProgram.MISSING);
            }
        } finally {
            LocalMachine.delete(directory);
        }
    }

    private static void report(int threads, Histogram our, Histogram their) {
        double rate = rate(threads, our);
        String beside =
                their.getTotalCount() == 0
                        ? ""
                        : String.format(
                                "   libpmemobj %,9.0f commits/s   ratio %.2f",
                                rate(threads, their), rate / rate(threads, their));
        Figures.text(
                "%2d threads: %,9.0f commits/s   p50 %8.2f µs   p99 %9.2f µs%s",
                threads, rate, Figures.micros(our, 50), Figures.micros(our, 99), beside);
    }

    /** Each thread begins the next commit when the one before ends. */
    private static double rate(int threads, Histogram times) {
        return threads * 1e9 / times.getMean();
    }

    private static Histogram commit(
            ExecutorService executor, List<SmallCommit> committers, int commits)
            throws InterruptedException, ExecutionException {
        List<Future<Histogram>> running = new ArrayList<>();
        for (SmallCommit committer : committers) {
            running.add(executor.submit(() -> commit(committer, commits)));
        }
        Histogram times = Figures.histogram();
        for (Future<Histogram> each : running) {
            times.add(each.get());
        }
        return times;
    }

    private static Histogram commit(SmallCommit committer, int commits) {
        Histogram times = Figures.histogram();
        for (int i = -commits / 10; i < commits; i++) {
            long begin = System.nanoTime();
            committer.run();
            if (i >= 0) {
                times.recordValue(System.nanoTime() - begin);
            }
        }
        return times;
    }
}
