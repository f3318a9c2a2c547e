package io.farheap.benchmarks;

import io.farheap.base.PersistenceDomain;
import io.farheap.tools.demo.LocalMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * Commits of 64 bytes by 1 to 16 threads on a disk: with a disk journal and by syncs of pages,
 * beside plain files, libpmemobj and embedded databases. All in turns, each for so long a time, and
 * another one first in each round.
 */
final class DiskCommits {
    private static final int[] THREADS = {1, 2, 4, 8, 16};
    private static final int ROUNDS = 5;
    private static final String JOURNAL = "Farheap, disk journal";
    private static final String PAGES = "Farheap, pages";
    private static final String C = "libpmemobj in C";

    /** What one side did with so many threads. */
    private static final class Result {
        private final Histogram times = Figures.histogram();
        private long commits;
        private long flushes;
        private long syncs;

        double rate(int threads) {
            return threads * 1e9 / times.getMean();
        }
    }

    private final List<DiskSide> sides = new ArrayList<>();
    private final DeviceFlushes device;
    private final int millis;
    private Optional<NativeProgram> library = Optional.empty();
    private Path nativePool;

    private DiskCommits(DeviceFlushes device, int millis) {
        this.device = device;
        this.millis = millis;
    }

    /**
     * @param disk a directory on the disk to measure
     * @param millis of each side, number of threads and round
     */
    static void run(Site site, Path disk, int millis)
            throws IOException, InterruptedException, ExecutionException {
        Path directory = Files.createTempDirectory(disk, "farheap-benchmark");
        DiskCommits measured = new DiskCommits(DeviceFlushes.below(directory), millis);
        ExecutorService executor = Executors.newCachedThreadPool();
        try {
            measured.open(site, directory);
            Figures.circumstances(Site.waiting(), THREADS[THREADS.length - 1]);
            Figures.text("%s on %s", disk, Files.getFileStore(disk).type());
            measured.measure(executor);
        } finally {
            executor.shutdown();
            measured.sides.forEach(DiskSide::close);
            LocalMachine.delete(directory);
        }
    }

    private void open(Site site, Path directory) throws IOException, InterruptedException {
        sides.add(
                new DiskSides.OfFarheap(
                        JOURNAL, directory.resolve("journal.pool"), PersistenceDomain.JOURNAL));
        sides.add(
                new DiskSides.OfFarheap(
                        PAGES, directory.resolve("pages.pool"), PersistenceDomain.PAGE_CACHE));
        sides.add(new DiskSides.OfAppend(directory.resolve("appended")));
        try {
            sides.add(new DiskSides.OfBlocks(directory.resolve("blocks")));
        } catch (IOException | UnsupportedOperationException e) {
            Figures.text("4 KiB in place, direct: not measured, %s", e.getMessage());
        }
        sides.add(new DiskSides.OfRocks(directory.resolve("rocks")));
        sides.add(new DiskSides.OfLmdb(Files.createDirectory(directory.resolve("lmdb"))));
        sides.add(new DiskSides.OfMvStore(directory.resolve("mvstore")));
        library = NativeProgram.compile(site, "operations");
        nativePool = directory.resolve("native.pool");
        if (library.isEmpty()) {
            Figures.text(NativeProgram.MISSING);
        }
    }

    private void measure(ExecutorService executor) throws InterruptedException, ExecutionException {
        int most = THREADS[THREADS.length - 1];
        Map<DiskSide, List<Runnable>> committers = new LinkedHashMap<>();
        for (DiskSide side : sides) {
            List<Runnable> all = new ArrayList<>();
            for (int i = 0; i < most; i++) {
                all.add(side.committer(i));
            }
            committers.put(side, all);
            Histogram unused = commit(executor, all, millis); // has it compiled
        }
        for (int threads : THREADS) {
            Map<String, Result> results = new LinkedHashMap<>();
            sides.forEach(side -> results.put(side.name(), new Result()));
            List<DiskSide> turns = new ArrayList<>(sides);
            for (int round = 0; round < ROUNDS; round++) {
                for (DiskSide side : turns) {
                    List<Runnable> some = committers.get(side).subList(0, threads);
                    Histogram unused = commit(executor, some, millis / 10);
                    take(results.get(side.name()), side, () -> commit(executor, some, millis));
                }
                Collections.rotate(turns, 1);
                takeLibrary(results.computeIfAbsent(C, name -> new Result()), threads);
            }
            report(threads, results);
        }
    }

    private interface Turn {
        Histogram take() throws InterruptedException, ExecutionException;
    }

    private void take(Result result, DiskSide side, Turn turn)
            throws InterruptedException, ExecutionException {
        long syncs = side.syncs();
        long flushes = device.count();
        Histogram times = turn.take();
        result.flushes += device.count() - flushes;
        result.syncs = side.syncs() < 0 ? -1 : result.syncs + side.syncs() - syncs;
        result.commits += times.getTotalCount();
        result.times.add(times);
    }

    /** It commits as often as its last turn says that it can in so long a time. */
    private void takeLibrary(Result result, int threads) {
        if (library.isEmpty()) {
            return;
        }
        long count =
                result.commits == 0
                        ? 200
                        : Math.max(20, (long) (millis * 1e6 / result.times.getMean()));
        long flushes = device.count();
        library.get()
                .run(
                        line -> result.times.recordValue(Long.parseLong(line)),
                        "tx64",
                        nativePool,
                        threads,
                        count / 10,
                        count);
        result.flushes += device.count() - flushes;
        result.commits += threads * (count + count / 10);
        result.syncs = -1;
    }

    private void report(int threads, Map<String, Result> results) {
        Result append = results.get("append and sync");
        Result ours = results.get(JOURNAL);
        String fastest = PAGES;
        for (Map.Entry<String, Result> each : results.entrySet()) {
            Result result = each.getValue();
            if (result.commits == 0) {
                continue;
            }
            Figures.text(
                    "%2d threads: %-24s %,9.0f commits/s %5.2f   p50 %8.1f µs %5.2f   p99 %9.1f µs"
                            + "   %5.2f flushes per commit%s",
                    threads,
                    each.getKey(),
                    result.rate(threads),
                    result.rate(threads) / append.rate(threads),
                    Figures.micros(result.times, 50),
                    Figures.micros(result.times, 50) / Figures.micros(append.times, 50),
                    Figures.micros(result.times, 99),
                    result.flushes / (double) result.commits,
                    result.syncs < 0
                            ? ""
                            : ", %.2f syncs".formatted(result.syncs / (double) result.commits));
            boolean isStore = result != ours && result != append && !each.getKey().contains("KiB");
            if (isStore && result.rate(threads) > results.get(fastest).rate(threads)) {
                fastest = each.getKey();
            }
        }
        Figures.text(
                "%2d threads: %s beside append and sync: p50 %.2f, aim 1.00 at 1 thread; beside the"
                        + " fastest of the stores, %s: %.2f of its commits, aim above 1",
                threads,
                JOURNAL,
                Figures.micros(ours.times, 50) / Figures.micros(append.times, 50),
                fastest,
                ours.rate(threads) / results.get(fastest).rate(threads));
    }

    private static Histogram commit(ExecutorService executor, List<Runnable> committers, int millis)
            throws InterruptedException, ExecutionException {
        long end = System.nanoTime() + 1_000_000L * millis;
        List<Future<Histogram>> running = new ArrayList<>();
        for (Runnable committer : committers) {
            running.add(executor.submit(() -> commitUntil(end, committer)));
        }
        Histogram times = Figures.histogram();
        for (Future<Histogram> each : running) {
            times.add(each.get());
        }
        return times;
    }

    private static Histogram commitUntil(long end, Runnable committer) {
        Histogram times = Figures.histogram();
        long now = System.nanoTime();
        while (now < end) {
            committer.run();
            long then = System.nanoTime();
            times.recordValue(then - now);
            now = then;
        }
        return times;
    }
}
