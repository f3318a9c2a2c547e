package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.tools.Main;
import io.farheap.tools.demo.LocalMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * {@code farheap promote} of a replica on its own machine, each time of a fresh copy of its files,
 * beside {@code farheap --version} in turns: what the command does besides starting. Of a
 * distribution, where the profile dist has made one.
 */
final class PromotionTimes {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final int COMMITS = 20_000;
    private static final int WORD = 8;

    private PromotionTimes() {}

    static void run(Site site, int rounds) throws IOException, InterruptedException {
        try (ObjectPool pool = site.openReplicated()) {
            Ref root = pool.root(COMMITS * WORD);
            for (long i = 0; i < COMMITS; i++) {
                long at = i * WORD;
                pool.transaction(tx -> tx.setLong(root, at, at));
            }
        }
        List<Path> launchers = StartTimes.launchers();
        Figures.load();
        Figures.text(
                "a replica of 64 MiB that got %d commits; farheap: %s",
                COMMITS, launchers.isEmpty() ? "class path" : "the distribution");
        long[] promote = new long[rounds];
        long[] version = new long[rounds];
        long[] beyond = new long[rounds];
        for (int i = 0; i < rounds; i++) {
            Path copy = copied(site);
            promote[i] = nanos(command(launchers, "promote", copy + "/replicated.set"));
            version[i] = nanos(command(launchers, "--version"));
            beyond[i] = promote[i] - version[i];
            LocalMachine.delete(copy);
        }
        print("farheap promote", promote);
        print("farheap --version", version);
        print("the first without the second", beyond);
    }

    private static Path copied(Site site) throws IOException {
        Path copy = Files.createDirectory(site.directory().resolve("promoted"));
        try (Stream<Path> files = Files.list(site.target())) {
            for (Path file : files.filter(PromotionTimes::isOfTheReplica).toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        Files.writeString(
                copy.resolve("replicated.set"), "PMEMPOOLSET\n64M " + copy + "/replicated.copy\n");
        return copy;
    }

    private static boolean isOfTheReplica(Path file) {
        String name = file.getFileName().toString();
        return name.startsWith("replicated.") && !name.equals("replicated.set");
    }

    private static List<String> command(List<Path> launchers, String... words) {
        if (launchers.isEmpty()) {
            return LocalMachine.java(Main.class.getName(), words);
        }
        return Stream.concat(Stream.of(launchers.get(0).toString()), Stream.of(words)).toList();
    }

    private static long nanos(List<String> command) throws IOException, InterruptedException {
        long start = System.nanoTime();
        Process process =
                new ProcessBuilder(command)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        int status = process.waitFor();
        if (status != 0) {
            throw new IOException(command + " ended with status " + status);
        }
        return System.nanoTime() - start;
    }

    private static void print(String what, long[] nanos) {
        Arrays.sort(nanos);
        Figures.text(
                "%-30s least %7.1f ms   p50 %7.1f ms   most %7.1f ms",
                what,
                nanos[0] / NANOS_PER_MILLI,
                nanos[nanos.length / 2] / NANOS_PER_MILLI,
                nanos[nanos.length - 1] / NANOS_PER_MILLI);
    }
}
