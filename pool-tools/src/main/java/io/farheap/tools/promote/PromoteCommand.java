package io.farheap.tools.promote;

import io.farheap.replication.ReplicationSettings;
import io.farheap.replication.control.Reply;
import io.farheap.tools.sync.Holders;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code farheap promote}. */
@Command(
        name = "promote",
        description = {
            "Makes a replica a pool of its own, where the pool it is a replica of is lost.",
            "",
            "Run on the replica's machine with its poolset file there, or anywhere with the replica"
                    + " as in its REPLICA line. Whoever writes to it is stopped first; then all"
                    + " records that reached it are applied: every commit that returned is in it. That"
                    + " poolset file is the pool's from now on, for C programs, too. The old pool,"
                    + " should it come back, is refused. Cut short, it is run again."
        },
        mixinStandardHelpOptions = true)
public final class PromoteCommand implements Callable<Integer> {
    @Option(
            names = {"-d", "--dry-run"},
            description = "only say what the replica holds, and what would be done")
    private boolean dryRun;

    @Option(
            names = "--take-over",
            description =
                    "end the right of a program that still has the replica: it can't commit any more"
                            + " from then on")
    private boolean takeOver;

    @Parameters(
            paramLabel = "REPLICA",
            description =
                    "a replica's poolset file on this machine, or \"[USER@]HOST[:PORT] NAME.set\"")
    private String name;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        ReplicationSettings settings = ReplicationSettings.fromEnvironment();
        Candidate candidate = Candidate.of(name, settings);
        PrintWriter out = spec.commandLine().getOut();
        Holding found =
                new Holding(
                        name,
                        dryRun || takeOver
                                ? candidate.look()
                                : Holders.whenFree(candidate::look, settings));
        found.requireWhole();
        out.println(found.text());
        if (found.isDone()) {
            out.println(name + ": nothing is to be done");
            return 0;
        }
        out.println(Holding.UNKNOWN);
        if (dryRun) {
            if (found.isHeld()) {
                out.println("would end the right of " + found.report().holder() + " (--take-over)");
            }
            out.println("would apply what is not applied yet and make it a pool of its own");
            out.println(name + ": nothing was changed");
            return 0;
        }
        if (!takeOver) {
            found.requireFree();
        }
        out.flush();
        Reply.Promoted promoted = candidate.promote(takeOver);
        out.println(name + ": applied " + promoted.replayed() + " records");
        out.println(name + ": promoted, a pool of its own with the number " + promoted.runId());
        return 0;
    }
}
