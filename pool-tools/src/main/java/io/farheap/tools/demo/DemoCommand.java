package io.farheap.tools.demo;

import io.farheap.base.FarheapException;
import io.farheap.pool.SideFiles;
import io.farheap.tools.demo.UnicodeCharacters.Entry;
import io.farheap.tools.report.Progress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code farheap demo}. */
@Command(
        name = "demo",
        description = {
            "Shows a pool survive the loss of its machine.",
            "",
            "With --ha: three nodes with a copy each, and an etcd. The one that writes is killed,"
                    + " and another one goes on by itself. Else:",
            "",
            "Loads real data into a replicated pool, kills the loading process, deletes the pool's"
                    + " files, restores them from the replica and compares. Needs nothing but this"
                    + " machine: two directories stand for two machines."
        },
        subcommands = {DemoLoadCommand.class, DemoNodeCommand.class, DemoVerifyCommand.class},
        footer = {
            "",
            "Examples:",
            "  farheap demo",
            "  farheap demo --ha",
            "  farheap demo --keep --dir /dev/shm  # leaves pool and replica for a look"
        },
        mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
    private static final long AGENT_END_SECONDS = 15;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "where to work; default: a temporary directory")
    private Path parent;

    @Option(names = "--ha", description = "show automatic fail-over; needs etcd on the PATH")
    private boolean failOver;

    @Option(names = "--keep", description = "leave the files for a look at them")
    private boolean keep;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "chooses the moment of the kill; default: random")
    private Long seed;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws Exception {
        Path directory =
                parent == null
                        ? Files.createTempDirectory("farheap-demo")
                        : Files.createTempDirectory(parent, "farheap-demo");
        try {
            if (failOver) {
                failOver(directory);
            } else {
                run(DemoSite.in(directory));
            }
        } finally {
            if (keep) {
                say("The files are in " + directory + ".");
            } else {
                LocalMachine.delete(directory);
            }
        }
        return 0;
    }

    private void failOver(Path directory) throws IOException, InterruptedException {
        try (HaDemoSite site = HaDemoSite.in(directory)) {
            new HaDemo(site, this::say).run();
        }
    }

    private void run(DemoSite site) throws IOException, InterruptedException {
        List<List<Entry>> columns = UnicodeCharacters.columns();
        int records = columns.stream().mapToInt(List::size).sum();
        long used = seed == null ? new Random().nextInt(1_000_000) : seed;
        int killAfter = columns.size() * (30 + new Random(used).nextInt(41)) / 100;

        say("Two directories of %s stand for two machines:", site.directory());
        say("\"here\" runs a program with a pool, \"there\" keeps the pool's replica.");
        say("");
        say(
                "1. A program here loads %,d characters, typed objects, of %s",
                records, UnicodeCharacters.SOURCE);
        say(
                "   in %d transactions. Each returns when it is durable here and there.",
                columns.size());
        int acknowledged = loadAndKill(site, columns.size(), killAfter);
        say(
                "   Killed by SIGKILL after %d transactions had returned (seed %d).",
                acknowledged, used);
        say("");
        say("2. The machine here is lost, and with it:");
        for (Path part : site.parts()) {
            Files.delete(part);
            Files.deleteIfExists(new SideFiles(part).diskJournal()); // with the same disk
            say("   " + part);
        }
        say("");
        say("3. A new machine has the poolset file only: farheap sync unicode.set");
        run(site, "sync", site.set().toString());
        say("");
        say("4. The pool is opened and compared with what was loaded:");
        run(site, "demo", "verify", "--acknowledged=" + acknowledged, site.set().toString());
        say("");
        say("Every acknowledged transaction is there, and none in part.");
    }

    /** Returns the number of the last transaction that the loader said had returned. */
    private static int loadAndKill(DemoSite site, int columns, int killAfter)
            throws IOException, InterruptedException {
        Process loader = site.farheap("demo", "load", site.set().toString()).start();
        List<ProcessHandle> agents = List.of();
        int acknowledged = 0;
        try (BufferedReader lines = loader.inputReader();
                Progress bar = Progress.start("loading", "transactions", 1, columns)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                acknowledged = Integer.parseInt(line);
                bar.reached(acknowledged);
                if (acknowledged == killAfter) {
                    agents = loader.descendants().toList();
                    // Process.destroyForcibly would close the pipe with what is still in it.
                    boolean unused = loader.toHandle().destroyForcibly();
                }
            }
        } finally {
            loader.destroyForcibly();
        }
        int status = loader.waitFor();
        if (acknowledged < killAfter) {
            throw failed("the loader ended by itself, with exit code " + status);
        }
        // Their end of the connection broke; they apply what they have and end.
        for (ProcessHandle agent : agents) {
            awaitEnd(agent);
        }
        return acknowledged;
    }

    private static void awaitEnd(ProcessHandle agent) throws InterruptedException {
        try {
            ProcessHandle unused = agent.onExit().get(AGENT_END_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw failed("the agent did not end within " + AGENT_END_SECONDS + " s", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private void run(DemoSite site, String... arguments) throws IOException, InterruptedException {
        spec.commandLine().getOut().flush();
        ProcessBuilder builder = site.farheap(arguments);
        builder.redirectOutput(ProcessBuilder.Redirect.INHERIT);
        int status = builder.start().waitFor();
        if (status != 0) {
            throw failed("farheap " + arguments[0] + " failed with exit code " + status);
        }
    }

    private static FarheapException failed(String what) {
        return failed(what, null);
    }

    private static FarheapException failed(String what, Throwable cause) {
        return FarheapException.environment(
                cause, "the demo stops: %s; run it again with --keep to look at its files", what);
    }

    private void say(String format, Object... arguments) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(arguments.length == 0 ? format : String.format(format, arguments));
        out.flush();
    }
}
