package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.tools.Main;
import io.farheap.tools.demo.LocalMachine;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * How long whole commands take: those of an unpacked distribution, where the profile dist has made
 * one, beside the same from the class path; pmempool where it is installed. No command can be
 * faster than the Java that it runs on, so that is measured, too.
 */
final class StartTimes {
    private static final double NANOS_PER_MILLI = 1e6;
    private static final long POOL_BYTES = 8 << 20;

    private StartTimes() {}

    static void run(int rounds) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("farheap-start");
        try {
            Path pool = directory.resolve("a.pool");
            ObjectPool.at(pool).layout("").size(POOL_BYTES).create().close();
            Figures.text(
                    "%d times each; cores: %d; load average: %.2f",
                    rounds,
                    Runtime.getRuntime().availableProcessors(),
                    ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
            List<Path> launchers = launchers();
            if (launchers.isEmpty()) {
                Figures.text("no distribution: mvn verify -Pdist -pl pool-tools -am makes one");
            }
            for (Path launcher : launchers) {
                Path java = launcher.resolveSibling("../runtime/bin/java").normalize();
                measure(
                        "its Java -version",
                        rounds,
                        with(java.toString(), "-XX:+UseSerialGC", "-version"));
            }
            for (String[] words : new String[][] {{"--help"}, {"info", pool.toString()}}) {
                for (Path launcher : launchers) {
                    measure("distribution " + words[0], rounds, with(launcher.toString(), words));
                }
                measure(
                        "class path   " + words[0],
                        rounds,
                        LocalMachine.java(Main.class.getName(), words));
                if (Files.isExecutable(Path.of("/usr/bin/pmempool"))) {
                    measure("pmempool     " + words[0], rounds, with("/usr/bin/pmempool", words));
                }
            }
        } finally {
            LocalMachine.delete(directory);
        }
    }

    private static List<String> with(String program, String... words) {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(Arrays.asList(words));
        return command;
    }

    /** Those of unpacked distributions, beside the jar that this class comes from. */
    static List<Path> launchers() throws IOException {
        Path target = Path.of(System.getProperty("java.class.path").split(File.pathSeparator)[0]);
        Path module = target.toAbsolutePath().getParent().getParent().getParent();
        Path built = module.resolve("pool-tools/target");
        if (!Files.isDirectory(built)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(built)) {
            return files.map(file -> file.resolve("bin/farheap"))
                    .filter(Files::isExecutable)
                    .toList();
        }
    }

    private static void measure(String what, int rounds, List<String> command)
            throws IOException, InterruptedException {
        long[] nanos = new long[rounds];
        for (int i = 0; i < rounds; i++) {
            long start = System.nanoTime();
            Process process =
                    new ProcessBuilder(command)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            int status = process.waitFor();
            nanos[i] = System.nanoTime() - start;
            if (status != 0) {
                throw new IOException(command + " ended with status " + status);
            }
        }
        Arrays.sort(nanos);
        Figures.text(
                "%-24s least %7.1f ms   p50 %7.1f ms   most %7.1f ms",
                what,
                nanos[0] / NANOS_PER_MILLI,
                nanos[rounds / 2] / NANOS_PER_MILLI,
                nanos[rounds - 1] / NANOS_PER_MILLI);
    }
}
