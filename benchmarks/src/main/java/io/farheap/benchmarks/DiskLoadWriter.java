package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.PoolCounters;
import io.farheap.base.Ref;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import jdk.jfr.consumer.RecordingStream;
import org.HdrHistogram.Histogram;

/** The process that {@link DiskLoad} kills: it writes, tells its figures, and goes on writing. */
final class DiskLoadWriter {
    static final String ACKNOWLEDGED = "acknowledged ";

    private static final PrintStream OUT = System.out;
    private static final int OBJECT = 1 << 20;
    private static final int TYPE = 1;
    private static final int VALUE = 64;
    private static final long STALL_NANOS = 10_000_000;

    private final ObjectPool pool;
    private final DiskLoad.Amounts amounts;
    private final List<Long> objects = new ArrayList<>();
    private final AtomicLongArray acknowledged;
    private final List<Histogram> times = new ArrayList<>();
    private final Histogram checkpoints = Figures.histogram();
    private final Histogram waits = Figures.histogram();
    private final Histogram syncs = Figures.histogram();
    private volatile boolean counts = true;

    private DiskLoadWriter(ObjectPool pool, DiskLoad.Amounts amounts) {
        this.pool = pool;
        this.amounts = amounts;
        this.acknowledged = new AtomicLongArray(amounts.threads());
    }

    public static void main(String[] args) throws Exception {
        DiskLoad.Amounts amounts = DiskLoad.Amounts.of(List.of(args).subList(1, args.length));
        // Never closed: the parent process kills this one.
        ObjectPool pool = DiskLoad.create(Path.of(args[0]), amounts.poolMebibytes() << 20);
        new DiskLoadWriter(pool, amounts).run();
    }

    private void run() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        for (long i = 0; i < amounts.storedMebibytes(); i++) {
            objects.add(pool.compute(tx -> tx.raw().allocate(OBJECT, TYPE, true)));
        }
        OUT.printf("allocated in %,.1f s; %s%n", (System.nanoTime() - begin) / 1e9, memory());
        Ref root = pool.root(DiskLoad.rootBytes(amounts.threads()));
        try (RecordingStream recording = new RecordingStream()) {
            follow(recording, "io.farheap.Checkpoint", checkpoints);
            follow(recording, "io.farheap.DiskJournalFull", waits);
            follow(recording, "io.farheap.DiskSync", syncs);
            recording.startAsync();
            PoolCounters before = pool.counters();
            for (int i = 0; i < amounts.threads(); i++) {
                int thread = i;
                times.add(Figures.histogram());
                Thread started = new Thread(() -> commit(thread, root));
                started.setDaemon(true);
                started.start();
            }
            Thread.sleep(Duration.ofSeconds(amounts.seconds()));
            counts = false;
            recording.stop();
            report(before, pool.counters());
        }
        String counted = acknowledged.toString().replaceAll("[\\[\\],]", "");
        OUT.println(ACKNOWLEDGED + counted);
        Thread.currentThread().join(); // until the parent process has read that
    }

    private static void follow(RecordingStream recording, String event, Histogram durations) {
        recording.enable(event).withoutThreshold();
        recording.onEvent(event, each -> durations.recordValue(each.getDuration().toNanos()));
    }

    private void commit(int thread, Ref root) {
        SplittableRandom random = new SplittableRandom(thread);
        MemorySegment value = Arena.ofAuto().allocate(VALUE, Long.BYTES);
        Histogram mine = times.get(thread);
        for (long count = 1; ; count++) {
            long now = count;
            long object = objects.get(random.nextInt(objects.size()));
            long at = random.nextInt(OBJECT / VALUE) * (long) VALUE;
            long begin = System.nanoTime();
            pool.transaction(
                    tx -> {
                        tx.raw().writeBytes(object, at, value, 0, VALUE);
                        tx.setLong(root, DiskLoad.at(thread), now);
                    });
            long took = System.nanoTime() - begin;
            acknowledged.set(thread, now);
            if (counts) {
                mine.recordValue(took);
            }
        }
    }

    private void report(PoolCounters before, PoolCounters now) throws IOException {
        Histogram all = Figures.histogram();
        times.forEach(all::add);
        OUT.printf(
                "%,d commits, %,.0f per second; p50 %.1f µs, p99 %.1f µs, p99.9 %.1f µs, longest"
                        + " %.1f ms; %d of them took 10 ms or more%n",
                all.getTotalCount(),
                all.getTotalCount() / (double) amounts.seconds(),
                Figures.micros(all, 50),
                Figures.micros(all, 99),
                Figures.micros(all, 99.9),
                all.getMaxValue() / 1e6,
                all.getCountBetweenValues(STALL_NANOS, Long.MAX_VALUE));
        OUT.printf(
                "%,d checkpoints of %,d pages in all, %s%n",
                now.checkpoints() - before.checkpoints(),
                now.checkpointPages() - before.checkpointPages(),
                durations(checkpoints));
        OUT.printf(
                "%,d waits for room, %s%n", now.diskWaits() - before.diskWaits(), durations(waits));
        OUT.printf(
                "%,d syncs of %,d bytes in all, %s%n",
                now.diskSyncs() - before.diskSyncs(),
                now.diskBytes() - before.diskBytes(),
                durations(syncs));
        OUT.println(memory());
    }

    private static String durations(Histogram of) {
        return of.getTotalCount() == 0
                ? "none of them recorded"
                : "p50 %.1f ms, longest %.1f ms"
                        .formatted(Figures.micros(of, 50) / 1000, of.getMaxValue() / 1e6);
    }

    /** What the kernel counts as this process's own: the Java heap, and pages stored to. */
    private static String memory() throws IOException {
        return Arrays.stream(Files.readString(Path.of("/proc/self/status")).split("\n"))
                .filter(line -> line.startsWith("RssAnon"))
                .findFirst()
                .map(line -> "private memory:" + line.substring(line.indexOf(':') + 1))
                .orElse("private memory: unknown");
    }
}
