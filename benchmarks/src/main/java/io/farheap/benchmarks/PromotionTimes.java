package io.farheap.benchmarks;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.tools.Main;
import io.farheap.tools.demo.LocalMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * {@code farheap promote} of a replica on its own machine, each time of a fresh copy of its files,
 * beside {@code farheap --version} in turns: what the command does besides starting. Of a
 * distribution, where the profile dist has made one.
 */
final class PromotionTimes {
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
        Path copy = site.directory().resolve("promoted");
        CommandTimes promote =
                new CommandTimes(
                        "farheap promote", command(launchers, "promote", copy + "/replicated.set"));
        CommandTimes version =
                new CommandTimes("farheap --version", command(launchers, "--version"));
        for (int i = 0; i < rounds; i++) {
            copyTo(copy, site);
            promote.once();
            version.once();
            LocalMachine.delete(copy);
        }
        CommandTimes rest = CommandTimes.beyond("the first without the second", promote, version);
        for (CommandTimes each : List.of(promote, version, rest)) {
            Figures.text("%s", each.text());
        }
    }

    private static void copyTo(Path copy, Site site) throws IOException {
        Files.createDirectory(copy);
        try (Stream<Path> files = Files.list(site.target())) {
            for (Path file : files.filter(PromotionTimes::isOfTheReplica).toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        Files.writeString(
                copy.resolve("replicated.set"), "PMEMPOOLSET\n64M " + copy + "/replicated.copy\n");
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
}
