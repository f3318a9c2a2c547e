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
import java.util.Locale;
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
            measure(commands(launchers, pool), rounds, !launchers.isEmpty());
        } finally {
            LocalMachine.delete(directory);
        }
    }

    /** Bare Java first, where there is a distribution. */
    private static List<Measured> commands(List<Path> launchers, Path pool) {
        List<Measured> all = new ArrayList<>();
        for (Path launcher : launchers) {
            Path java = launcher.resolveSibling("../runtime/bin/java").normalize();
            all.add(
                    new Measured(
                            "its Java -version",
                            with(java.toString(), "-XX:+UseSerialGC", "-version")));
        }
        for (String[] words : new String[][] {{"--help"}, {"info", pool.toString()}}) {
            for (Path launcher : launchers) {
                all.add(
                        new Measured("distribution " + words[0], with(launcher.toString(), words)));
            }
            all.add(
                    new Measured(
                            "class path   " + words[0],
                            LocalMachine.java(Main.class.getName(), words)));
            if (Files.isExecutable(Path.of("/usr/bin/pmempool"))) {
                all.add(
                        new Measured(
                                "pmempool     " + words[0], with("/usr/bin/pmempool", words)));
            }
        }
        return all;
    }

    /** One command, and how long it took each time. */
    private static final class Measured {
        private final String what;
        private final List<String> command;
        private final List<Long> nanos = new ArrayList<>();

        Measured(String what, List<String> command) {
            this.what = what;
            this.command = command;
        }

        void once() throws IOException, InterruptedException {
            long start = System.nanoTime();
            Process process =
                    new ProcessBuilder(command)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            int status = process.waitFor();
            nanos.add(System.nanoTime() - start);
            if (status != 0) {
                throw new IOException(command + " ended with status " + status);
            }
        }

        /** The part of 1 that took no longer. */
        double millis(double part) {
            List<Long> sorted = nanos.stream().sorted().toList();
            return sorted.get((int) (part * (sorted.size() - 1))) / NANOS_PER_MILLI;
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

    /** In turns, so that what else the machine does hits all alike. */
    private static void measure(List<Measured> all, int rounds, boolean besideJava)
            throws IOException, InterruptedException {
        for (int i = 0; i < rounds; i++) {
            for (Measured each : all) {
                each.once();
            }
        }
        double bare = all.get(0).millis(0.5);
        for (Measured each : all) {
            double median = each.millis(0.5);
            Figures.text(
                    "%-24s least %7.1f ms   p50 %7.1f ms   most %7.1f ms%s",
                    each.what,
                    each.millis(0),
                    median,
                    each.millis(1),
                    besideJava
                            ? String.format(Locale.ROOT, "   %.2f of bare Java", median / bare)
                            : "");
        }
    }
}
