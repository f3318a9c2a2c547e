package io.farheap.tools.top;

import io.farheap.base.FarheapException;
import io.farheap.live.LiveClient;
import io.farheap.live.LiveFigures;
import io.farheap.memory.NativeFile;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.PoolSet;
import io.farheap.replication.status.ProgramStatus;
import io.farheap.replication.status.StatusFile;
import io.farheap.tools.command.PoolArgument;
import io.farheap.tools.command.RunningPool;
import io.farheap.tools.report.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code farheap top}. */
@Command(
        name = "top",
        description = {
            "Shows what a program does with the pool that it has open.",
            "",
            "Rates of commits and of what they cost, how long they take, how full the heap is, and"
                    + " how each remote replica is, anew every second, until the program closes the"
                    + " pool. On a terminal the screen is drawn anew; elsewhere each look is one line."
                    + " It must run on the program's machine, as the same user, and costs the program"
                    + " next to nothing. Exit code 0: the pool was closed, or the program ended; 3:"
                    + " it has the pool, and does not answer."
        },
        footer = {
            "",
            "Examples:",
            "  farheap top bank.set            # until the pool is closed",
            "  farheap top -n 60 bank.set      # sixty looks",
            "  farheap top -i 10 bank.set > log  # a line every ten seconds"
        },
        mixinStandardHelpOptions = true)
public final class TopCommand implements Callable<Integer> {
    private static final double SHORTEST = 0.1;
    private static final double LONGEST = 3600;
    private static final String CLEAR = "\u001b[H\u001b[J";

    @Mixin private PoolArgument pool;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "between two looks, 0.1 to 3600; default: ${DEFAULT-VALUE}")
    private double interval;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "end after so many looks")
    private Integer count;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        if (!(interval >= SHORTEST && interval <= LONGEST)) {
            throw new ParameterException(
                    spec.commandLine(), "--interval takes 0.1 to 3600 seconds, not " + interval);
        }
        if (count != null && count < 1) {
            throw new ParameterException(spec.commandLine(), "--count begins at 1");
        }
        PoolSource source = pool.source();
        PoolSet set = source.existing();
        SideFiles files = SideFiles.of(set);
        long pid = program(source, files.beside());
        try (LiveClient client =
                LiveClient.connect(pid, "farheap status shows how its copies are")) {
            watch(client, source, files, pid);
        }
        return 0;
    }

    private static long program(PoolSource source, Path first) {
        OptionalLong pid;
        try {
            pid = NativeFile.lockedBy(first);
        } catch (IOException e) {
            throw FarheapException.environment(
                    e, "it can't be found out who has %s open: %s", first, e.getMessage());
        }
        return pid.orElseThrow(
                () ->
                        FarheapException.environment(
                                "%s: no program has the pool open; farheap info and farheap status"
                                        + " show how it is",
                                source.path()));
    }

    private void watch(LiveClient client, PoolSource source, SideFiles files, long pid)
            throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        boolean terminal = Terminal.showsOutput();
        long poolId = RunningPool.poolId(files.beside());
        LiveFigures before = client.figures(poolId);
        if (!terminal) {
            out.println(RateLine.TITLES);
        }
        for (int looks = 0; count == null || looks < count; looks++) {
            out.flush();
            TimeUnit.NANOSECONDS.sleep((long) (interval * TimeUnit.SECONDS.toNanos(1)));
            LiveFigures now;
            try {
                now = client.figures(poolId);
            } catch (FarheapException e) {
                out.flush();
                String sentence = source.path() + ": " + e.getMessage();
                if (LiveClient.isSilence(e)) {
                    throw FarheapException.environment(e, "%s", sentence);
                }
                spec.commandLine().getErr().println(sentence); // the output may be a log
                return;
            }
            Rates rates = new Rates(before, now);
            ProgramStatus said =
                    StatusFile.read(files.status())
                            .filter(status -> status.pid() == pid)
                            .orElse(null);
            LocalTime time = LocalTime.now().truncatedTo(ChronoUnit.SECONDS);
            if (terminal) {
                out.print(CLEAR);
                out.println(source.path() + "   process " + pid + "   " + time);
                RateScreen.print(out, rates, said);
            } else {
                out.println(RateLine.of(time, rates, said));
            }
            before = now;
        }
        out.flush();
    }
}
