package io.farheap.benchmarks;

import com.sun.management.ThreadMXBean;
import io.farheap.ObjectPool;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * One thread commits for minutes, with one replica and everything that runs beside it in a program:
 * what the whole process leaves to the garbage collector, which threads do, and the longest waits.
 */
final class SteadyCommits {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int BATCH = 1000;
    private static final int THREADS_SHOWN = 4;

    /** The part of the time that warms up before what counts. */
    private static final int WARM_UP = 10;

    private SteadyCommits() {}

    static void run(Site site, int seconds) {
        try (ObjectPool pool = site.openReplicated()) {
            SmallCommit commit = new SmallCommit(pool);
            long nanos = TimeUnit.SECONDS.toNanos(seconds);
            Histogram unused = commitFor(commit, nanos / WARM_UP);
            long[] collected = collections();
            Map<Long, Long> byThread = allocatedByThread();
            long allocated = THREADS.getTotalThreadAllocatedBytes();
            Histogram times = commitFor(commit, nanos);
            allocated = THREADS.getTotalThreadAllocatedBytes() - allocated;
            long[] collectedNow = collections();
            show(times, seconds, allocated);
            Figures.text(
                    "collections: %d in %d ms", // of the collector's own count
                    collectedNow[0] - collected[0], collectedNow[1] - collected[1]);
            showThreads(byThread, times.getTotalCount());
        }
    }

    private static Histogram commitFor(SmallCommit commit, long nanos) {
        Histogram times = Figures.histogram();
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < nanos) {
            for (int i = 0; i < BATCH; i++) {
                long before = System.nanoTime();
                commit.run();
                times.recordValue(System.nanoTime() - before);
            }
        }
        return times;
    }

    private static void show(Histogram times, int seconds, long allocated) {
        Figures.circumstances(Site.waiting(), 1);
        long commits = times.getTotalCount();
        Figures.text("%d s, %d commits, %d per second", seconds, commits, commits / seconds);
        Figures.text(
                "garbage of the whole process per commit: %.2f bytes",
                (double) allocated / commits);
        Figures.text(
                "p50 %.2f µs   p99 %.2f µs   p99.9 %.2f µs   longest %.2f ms",
                Figures.micros(times, 50),
                Figures.micros(times, 99),
                Figures.micros(times, 99.9),
                times.getMaxValue() / 1e6);
    }

    private static long[] collections() {
        long[] sum = new long[2];
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            sum[0] += collector.getCollectionCount();
            sum[1] += collector.getCollectionTime();
        }
        return sum;
    }

    private static Map<Long, Long> allocatedByThread() {
        long[] ids = THREADS.getAllThreadIds();
        long[] bytes = THREADS.getThreadAllocatedBytes(ids);
        Map<Long, Long> allocated = new HashMap<>();
        for (int i = 0; i < ids.length; i++) {
            allocated.put(ids[i], bytes[i]);
        }
        return allocated;
    }

    private static void showThreads(Map<Long, Long> before, long commits) {
        Map<Long, Long> now = allocatedByThread();
        now.replaceAll((id, bytes) -> bytes - before.getOrDefault(id, 0L));
        Arrays.stream(THREADS.getThreadInfo(now.keySet().stream().mapToLong(id -> id).toArray()))
                .filter(info -> info != null)
                .sorted(Comparator.comparingLong(info -> -now.get(info.getThreadId())))
                .limit(THREADS_SHOWN)
                .forEach(
                        info ->
                                Figures.text(
                                        "  %s: %.2f bytes per commit",
                                        info.getThreadName(),
                                        (double) now.get(info.getThreadId()) / commits));
    }
}
