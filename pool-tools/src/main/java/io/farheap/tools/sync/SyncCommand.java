package io.farheap.tools.sync;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code farheap sync}. */
@Command(
        name = "sync",
        description = {
            "Restores what is missing or broken in a replicated pool.",
            "",
            "Looks at every part of every replica, here and on other machines, says what is wrong"
                    + " with which, and makes it anew from a healthy copy; what was copied is compared"
                    + " by checksums. Nothing is copied over what may be newer. Cut short, it is run"
                    + " again. Nobody may have the pool open."
        },
        mixinStandardHelpOptions = true)
public final class SyncCommand implements Callable<Integer> {
    @Option(
            names = {"-d", "--dry-run"},
            description = "only say what is wrong, and what would be done about it")
    private boolean dryRun;

    @Option(
            names = {"-v", "--verbose"},
            description = "also say what is as it should be")
    private boolean verbose;

    @Option(
            names = "--take-over",
            description =
                    "end the right of a program that has the remote replicas and hangs: from then on"
                            + " it can neither write to them nor commit")
    private boolean takeOver;

    @Option(
            names = "--overwrite",
            paramLabel = "REPLICA",
            description =
                    "this remote replica, written as in its REPLICA line, may be overwritten whatever"
                            + " it holds; may be given several times")
    private List<String> overwrite = List.of();

    @Option(
            names = "--from",
            paramLabel = "REPLICA",
            description =
                    "replace the local pool with what this remote replica holds, whatever is here: the"
                            + " way back to a machine whose replica was promoted meanwhile")
    private String from;

    @Parameters(paramLabel = "POOLSET", description = "a poolset file")
    private Path file;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        PoolSource source = PoolSource.of(file);
        PoolSet set = source.existing();
        requireParts(source, set);
        SyncRun run = new SyncRun(source, orders(set));
        PrintWriter out = spec.commandLine().getOut();
        SyncPlan plan = run.plan();
        if (verbose) {
            run.healthy().forEach(out::println);
        }
        plan.problems().forEach(out::println);
        if (dryRun) {
            plan.steps().forEach(step -> out.println("would " + step.text()));
            out.println(file + ": nothing was changed");
            return 0;
        }
        run.run(
                plan,
                step -> {
                    out.println("now: " + step.text());
                    out.flush();
                });
        if (plan.steps().isEmpty() && set.localReplicas().size() > 1) {
            out.println(
                    "nothing is missing; what is in the local replicas was not looked at: farheap"
                            + " check "
                            + file);
        }
        out.println(file + ": synchronized");
        return 0;
    }

    private void requireParts(PoolSource source, PoolSet set) {
        if (!source.isPoolSet()) {
            throw new FarheapException(
                    Category.WRONG_USE,
                    file + " is not a poolset file: a single file has no replica to restore from");
        }
        set.localReplicas().stream()
                .flatMap(replica -> replica.parts().stream())
                .filter(part -> part.kind() != Part.Kind.FILE)
                .findFirst()
                .ifPresent(
                        part -> {
                            throw new FarheapException(
                                    Category.WRONG_USE,
                                    part.path()
                                            + " is a directory or a device: only part files can be"
                                            + " restored");
                        });
    }

    private Orders orders(PoolSet set) {
        Set<RemoteReplica> ordered = new HashSet<>();
        overwrite.forEach(name -> ordered.add(named(name, set)));
        RemoteReplica source = from == null ? null : named(from, set);
        if (ordered.contains(source)) {
            throw new FarheapException(
                    Category.WRONG_USE, "the replica " + from + " can't be source and target");
        }
        return new Orders(takeOver, ordered, source);
    }

    private RemoteReplica named(String name, PoolSet set) {
        return set.remoteReplicas().stream()
                .filter(replica -> replica.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> unknown(name, set));
    }

    private FarheapException unknown(String name, PoolSet set) {
        return new FarheapException(
                Category.WRONG_USE,
                file
                        + " has no remote replica \""
                        + name
                        + "\"; it has "
                        + (set.remoteReplicas().isEmpty() ? "none" : set.remoteReplicas()));
    }
}
