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
    private static List<CommandTimes> commands(List<Path> launchers, Path pool) {
        List<CommandTimes> all = new ArrayList<>();
        for (Path launcher : launchers) {
            Path java = launcher.resolveSibling("../runtime/bin/java").normalize();
            all.add(
                    new CommandTimes(
                            "its Java --version",
                            with(java.toString(), "-XX:+UseSerialGC", "--version")));
        }
        for (String[] words : new String[][] {{"--help"}, {"info", pool.toString()}}) {
            for (Path launcher : launchers) {
                all.add(
                        new CommandTimes(
                                "distribution " + words[0], with(launcher.toString(), words)));
            }
            all.add(
                    new CommandTimes(
                            "class path   " + words[0],
                            LocalMachine.java(Main.class.getName(), words)));
            if (Files.isExecutable(Path.of("/usr/bin/pmempool"))) {
                all.add(
                        new CommandTimes(
                                "pmempool     " + words[0], with("/usr/bin/pmempool", words)));
            }
        }
        return all;
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
    private static void measure(List<CommandTimes> all, int rounds, boolean besideJava)
            throws IOException, InterruptedException {
        for (int i = 0; i < rounds; i++) {
            for (CommandTimes each : all) {
                each.once();
            }
        }
        double bare = all.get(0).medianMillis();
        for (CommandTimes each : all) {
            Figures.text(
                    "%s%s",
                    each.text(),
                    besideJava
                            ? String.format(
                                    Locale.ROOT, "   %.2f of bare Java", each.medianMillis() / bare)
                            : "");
        }
    }
}
