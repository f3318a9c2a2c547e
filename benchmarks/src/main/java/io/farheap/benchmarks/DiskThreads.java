package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import io.farheap.tools.demo.LocalMachine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * Commits per second of several threads on a disk: with a disk journal, by syncs of pages, and
 * libpmemobj's own, which syncs pages, too; and what appending as much to one file and syncing it
 * costs. All in turns. Each thread has an object of two pages for itself.
 */
final class DiskThreads {
    private static final int[] THREADS = {1, 2, 4, 8, 16};
    private static final int ROUNDS = 3;
    private static final int OBJECT_BYTES = 8192;
    private static final String LAYOUT = "benchmark";
    private static final long POOL_BYTES = 128L << 20;

    /** What a commit has to log: undo entry, new value, commit word. */
    private static final int APPENDED_BYTES = 256;

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
        try (ObjectPool journaled = pool(directory, "journal.pool", true);
                ObjectPool pool = pool(directory, "local.pool", false);
                FileChannel file =
                        FileChannel.open(
                                directory.resolve("appended"),
                                StandardOpenOption.CREATE_NEW,
                                StandardOpenOption.WRITE);
                ExecutorService executor = Executors.newCachedThreadPool()) {
            Figures.circumstances(Site.waiting(), THREADS[THREADS.length - 1]);
            Figures.text("%s on %s", disk, Files.getFileStore(disk).type());
            AtomicLong end = new AtomicLong();
            List<Runnable> logged = new ArrayList<>();
            List<Runnable> synced = new ArrayList<>();
            List<Runnable> appended = new ArrayList<>();
            for (int i = 0; i < THREADS[THREADS.length - 1]; i++) {
                logged.add(new SmallCommit(journaled, OBJECT_BYTES)::run);
                synced.add(new SmallCommit(pool, OBJECT_BYTES)::run);
                appended.add(() -> append(file, end.getAndAdd(APPENDED_BYTES)));
            }
            for (int threads : THREADS) {
                Histogram journal = Figures.histogram();
                Histogram our = Figures.histogram();
                Histogram append = Figures.histogram();
                Histogram their = Figures.histogram();
                for (int round = 0; round < ROUNDS; round++) {
                    journal.add(commit(executor, logged.subList(0, threads), commits));
                    our.add(commit(executor, synced.subList(0, threads), commits));
                    append.add(commit(executor, appended.subList(0, threads), commits));
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
                report(threads, journaled.persistenceDomain().toString(), journal, append);
                report(threads, pool.persistenceDomain().toString(), our, append);
                report(threads, "append", append, append);
                if (library.isPresent()) {
                    report(threads, "libpmemobj", their, append);
                }
            }
            if (library.isEmpty()) {
                Figures.text(NativeProgram.MISSING);
            }
        } finally {
            LocalMachine.delete(directory);
        }
    }

    private static ObjectPool pool(Path directory, String name, boolean journal) {
        return ObjectPool.at(directory.resolve(name))
                .layout(LAYOUT)
                .size(POOL_BYTES)
                .options(
                        PoolOptions.builder()
                                .persistence(
                                        journal
                                                ? PersistenceDomain.JOURNAL
                                                : PersistenceDomain.PAGE_CACHE)
                                .build())
                .create();
    }

    private static void append(FileChannel file, long position) {
        try {
            int written = file.write(ByteBuffer.allocate(APPENDED_BYTES), position);
            if (written != APPENDED_BYTES) {
                throw new IOException("a short write of " + written + " bytes");
            }
            file.force(false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void report(int threads, String what, Histogram times, Histogram floor) {
        double rate = rate(threads, times);
        Figures.text(
                "%2d threads, %-10s %,9.0f commits/s   p50 %8.2f µs   p99 %9.2f µs   %.2f of append",
                threads,
                what,
                rate,
                Figures.micros(times, 50),
                Figures.micros(times, 99),
                rate / rate(threads, floor));
    }

    /** Each thread begins the next commit when the one before ends. */
    private static double rate(int threads, Histogram times) {
        return threads * 1e9 / times.getMean();
    }

    private static Histogram commit(
            ExecutorService executor, List<Runnable> committers, int commits)
            throws InterruptedException, ExecutionException {
        List<Future<Histogram>> running = new ArrayList<>();
        for (Runnable committer : committers) {
            running.add(executor.submit(() -> commit(committer, commits)));
        }
        Histogram times = Figures.histogram();
        for (Future<Histogram> each : running) {
            times.add(each.get());
        }
        return times;
    }

    private static Histogram commit(Runnable committer, int commits) {
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
