package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.base.PersistenceDomain;
import io.farheap.tools.demo.LocalMachine;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A pool with a disk journal under random writes for a long time, in a process of its own: the
 * longest commits, what checkpoints take, the memory of pages that were stored to; then the process
 * is killed, and how long the next opening takes is measured. What was acknowledged must be there.
 */
final class DiskLoad {
    private static final String LAYOUT = "load";
    private static final String POOL = "load.pool";

    /** How much of each. */
    record Amounts(long poolMebibytes, long storedMebibytes, int threads, long seconds) {
        private static final int WORDS = 4;

        static Amounts of(List<String> words) {
            if (words.size() != WORDS) {
                throw new IllegalArgumentException("not what the parent process says: " + words);
            }
            return new Amounts(
                    Long.parseLong(words.get(0)),
                    Long.parseLong(words.get(1)),
                    Integer.parseInt(words.get(2)),
                    Long.parseLong(words.get(3)));
        }

        List<String> words() {
            return List.of(
                    String.valueOf(poolMebibytes),
                    String.valueOf(storedMebibytes),
                    String.valueOf(threads),
                    String.valueOf(seconds));
        }
    }

    private DiskLoad() {}

    /**
     * @param disk a directory on the disk to measure
     */
    static void run(Path disk, Amounts amounts) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(disk, "farheap-benchmark");
        try {
            Figures.load();
            Figures.text(
                    "%s on %s: a pool of %,d MiB, random writes in %,d MiB of it, %d threads, %d s",
                    disk,
                    Files.getFileStore(disk).type(),
                    amounts.poolMebibytes(),
                    amounts.storedMebibytes(),
                    amounts.threads(),
                    amounts.seconds());
            long[] acknowledged = untilKilled(directory, amounts);
            recover(directory.resolve(POOL), acknowledged);
        } finally {
            LocalMachine.delete(directory);
        }
    }

    /**
     * The writer's process is killed in the midst of its commits, after it has told its figures.
     */
    private static long[] untilKilled(Path directory, Amounts amounts)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(directory.resolve(POOL).toString()));
        arguments.addAll(amounts.words());
        Process writer =
                new ProcessBuilder(
                                LocalMachine.java(
                                        DiskLoadWriter.class.getName(),
                                        arguments.toArray(new String[0])))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        long[] acknowledged = new long[amounts.threads()];
        boolean told = false;
        try (BufferedReader lines = writer.inputReader()) {
            String line = lines.readLine();
            while (line != null && !told) {
                if (line.startsWith(DiskLoadWriter.ACKNOWLEDGED)) {
                    String[] counts =
                            line.substring(DiskLoadWriter.ACKNOWLEDGED.length()).split(" ");
                    for (int i = 0; i < counts.length; i++) {
                        acknowledged[i] = Long.parseLong(counts[i]);
                    }
                    told = true;
                } else {
                    Figures.text("%s", line);
                    line = lines.readLine();
                }
            }
            Process killed = writer.destroyForcibly();
            int unused = killed.waitFor();
        }
        if (!told) {
            throw new IOException("the writer ended with status " + writer.exitValue());
        }
        return acknowledged;
    }

    private static void recover(Path file, long[] acknowledged) {
        long begin = System.nanoTime();
        try (ObjectPool pool = open(file)) {
            Figures.text("opened after the kill in %,.0f ms", (System.nanoTime() - begin) / 1e6);
            for (int i = 0; i < acknowledged.length; i++) {
                long found = pool.getLong(pool.root(rootBytes(acknowledged.length)), at(i));
                if (found < acknowledged[i]) {
                    throw new IllegalStateException(
                            "thread " + i + " had " + acknowledged[i] + " commits, has " + found);
                }
            }
            begin = System.nanoTime();
        }
        Figures.text(
                "all that was acknowledged is there; closed in %,.0f ms",
                (System.nanoTime() - begin) / 1e6);
    }

    /** Where a thread counts its commits: each in a line of its own. */
    static long at(int thread) {
        return 64L * thread;
    }

    static long rootBytes(int threads) {
        return at(threads);
    }

    private static PoolOptions journaled() {
        return PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();
    }

    static ObjectPool create(Path file, long bytes) {
        return ObjectPool.at(file).layout(LAYOUT).size(bytes).options(journaled()).create();
    }

    private static ObjectPool open(Path file) {
        return ObjectPool.at(file).layout(LAYOUT).options(journaled()).open();
    }
}
