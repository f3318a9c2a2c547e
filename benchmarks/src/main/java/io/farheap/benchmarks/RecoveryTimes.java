package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.tools.demo.LocalMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Optional;

/**
 * How long it takes to open a pool that was left in the middle of a transaction with many MiB of
 * snapshots, which the opening rolls back, beside libpmemobj's opening of the same bytes. Each
 * opening is of a fresh copy, in turns. The first opening of this process, with classes to load and
 * nothing compiled, is told by itself.
 */
final class RecoveryTimes {
    private static final int WARM_UP = 4;
    private static final int[] SNAPSHOT_BYTES = {4 << 10, 1 << 20};

    private RecoveryTimes() {}

    /**
     * @param mebibytes of snapshots
     * @param turns of each side
     */
    static void run(Site site, int mebibytes, int turns) throws IOException, InterruptedException {
        Figures.load();
        Optional<NativeProgram> program = NativeProgram.compile(site, "recovery");
        for (int snapshot : SNAPSHOT_BYTES) {
            Path crashed = site.directory().resolve("crashed.pool");
            crash(crashed, mebibytes, snapshot);
            double[] ours = new double[turns];
            double[] theirs = new double[turns];
            for (int turn = -WARM_UP; turn < turns; turn++) {
                Path copy = site.directory().resolve("recovered.pool");
                Files.copy(crashed, copy, StandardCopyOption.REPLACE_EXISTING);
                double time = open(copy, (long) mebibytes << 20, snapshot);
                ours[Math.max(turn, 0)] = time;
                if (turn == -WARM_UP && snapshot == SNAPSHOT_BYTES[0]) {
                    Figures.text("%-46s %8.1f ms", "the first opening of the process", time / 1e6);
                }
                if (program.isPresent()) {
                    Files.copy(crashed, copy, StandardCopyOption.REPLACE_EXISTING);
                    int now = Math.max(turn, 0);
                    program.get().run(line -> theirs[now] = Double.parseDouble(line), copy);
                }
                Files.delete(copy);
            }
            Files.delete(crashed);
            report(mebibytes, snapshot, ours, program.isPresent() ? theirs : null);
        }
    }

    private static void report(int mebibytes, int snapshot, double[] ours, double[] theirs) {
        Arrays.sort(ours);
        String what =
                "%d MiB rolled back, snapshots of %d KiB".formatted(mebibytes, snapshot >> 10);
        Figures.text("%-46s %s", what, spread(ours));
        if (theirs == null) {
            Figures.text(NativeProgram.MISSING);
            return;
        }
        Arrays.sort(theirs);
        Figures.text("%-46s %s", "the same by libpmemobj, in C", spread(theirs));
        Figures.text("%-46s %8.2f", "ratio", median(ours) / median(theirs));
    }

    private static double median(double[] sorted) {
        return sorted[sorted.length / 2];
    }

    private static String spread(double[] sorted) {
        return "%8.1f ms   %8.1f to %8.1f"
                .formatted(median(sorted) / 1e6, sorted[0] / 1e6, sorted[sorted.length - 1] / 1e6);
    }

    private static void crash(Path file, int mebibytes, int snapshot)
            throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                LocalMachine.java(
                                        RecoveryTimes.class.getName(),
                                        file.toString(),
                                        "" + mebibytes,
                                        "" + snapshot))
                        .inheritIO()
                        .start();
        if (process.waitFor() != 0) {
            throw new IOException("the crash ended with status " + process.exitValue());
        }
    }

    /** {@code POOL MEBIBYTES SNAPSHOT}: makes a pool and halts in the middle of a transaction. */
    public static void main(String[] args) {
        long bytes = Long.parseLong(args[1]) << 20;
        long snapshot = Long.parseLong(args[2]);
        // Never closed: this process halts in its transaction.
        ObjectPool pool =
                ObjectPool.at(Path.of(args[0]))
                        .layout(Site.LAYOUT)
                        .size(3 * bytes + (64L << 20))
                        .create();
        Ref root = pool.root(bytes);
        pool.transaction(
                tx -> {
                    for (long at = 0; at < bytes; at += snapshot) {
                        tx.snapshot(root, at, snapshot).fill((byte) 1);
                    }
                    Runtime.getRuntime().halt(0);
                });
    }

    /** Nanoseconds. */
    private static long open(Path file, long bytes, long snapshot) {
        long begin = System.nanoTime();
        ObjectPool pool = ObjectPool.at(file).layout(Site.LAYOUT).open();
        long time = System.nanoTime() - begin;
        try (pool) {
            Ref root = pool.root(bytes);
            for (long at = 0; at < bytes; at += snapshot) {
                if (pool.getLong(root, at) != 0 || pool.getByte(root, at + snapshot - 1) != 0) {
                    throw new IllegalStateException("not rolled back at " + at);
                }
            }
        }
        return time;
    }
}
