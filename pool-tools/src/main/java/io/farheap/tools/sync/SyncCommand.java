package io.farheap.tools.sync;

import io.farheap.base.FarheapException;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.pool.RestorationLeftovers;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import io.farheap.tools.command.Interruption;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.destruction.ConsentToLoss;
import io.farheap.tools.destruction.Destruction;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Tone;
import io.farheap.tools.verify.VerifyReport;
import io.farheap.tools.verify.VerifyResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code farheap sync}. */
@Command(
        name = "sync",
        description = {
            "Restores what is missing or broken in a replicated pool.",
            "",
            "Looks at every part of every replica, here and on other machines, says what is wrong"
                    + " with which and what will be done to each, and makes it anew from a healthy"
                    + " copy; a local one that others are made from is checked before. Where no copy is"
                    + " whole, local replicas that each lost another part are made whole from each"
                    + " other, if the pool was closed and nothing says that they are not of one moment: -d says"
                    + " which bytes would come from which part. Then all copies"
                    + " are read and compared by checksums. Nothing is copied over what may be newer."
                    + " Nobody may have the pool open. Cut short, it is run again: what was made until"
                    + " then lies beside the parts' places, and is removed when the pool is whole.",
            "",
            "With --from or --overwrite it says what each copy holds and which ones are"
                    + " overwritten, and asks; where nobody is at a terminal, --yes agrees. It refuses"
                    + " to overwrite commits that no other copy has, until the copy that has them is"
                    + " named: the command to type is printed.",
            "",
            "Exit code 0: all copies are equal, or nothing needed to be done; 1: what is needed is"
                    + " damaged, or copies differ; 3 and 4: something here, or a target, is in the"
                    + " way; 5: a copy could not be read back."
        },
        footer = {
            "",
            "Examples:",
            "  farheap sync -d bank.set  # what is wrong, and what would be done",
            "  farheap sync bank.set     # do it, and compare all copies",
            "  farheap sync --limit=50M bank.set  # no more than 50 MiB a second",
            "  farheap sync --overwrite \"far bank.set\" bank.set  # the pool here is right",
            "  farheap sync --from \"far bank.set\" bank.set       # that replica is right"
        },
        mixinStandardHelpOptions = true)
public final class SyncCommand implements Callable<Integer> {
    private static final int BAD_DATA = 1;
    private static final String KEPT =
            " as a whole copy: it is renamed to end in .farheap-restored,"
                    + " and goes when the pool is whole";

    @Option(
            names = {"-d", "--dry-run"},
            description = "only say what is wrong, and what would be done about it")
    private boolean dryRun;

    @Option(
            names = {"-v", "--verbose"},
            description = "also say what is as it should be")
    private boolean verbose;

    @Mixin private ConsentToLoss consent;

    @Mixin private Output output;

    @Mixin private LongWork work;

    @Option(
            names = "--take-over",
            description =
                    "end the right of a program that has the remote replicas and hangs: from then"
                            + " on it can neither write to them nor commit")
    private boolean takeOver;

    @Option(
            names = "--overwrite",
            paramLabel = "REPLICA",
            description =
                    "this remote replica, written as in its REPLICA line, may be overwritten"
                            + " whatever it holds; may be given several times")
    private List<String> overwrite = List.of();

    @Option(
            names = "--from",
            paramLabel = "REPLICA",
            description =
                    "replace the local pool with what this remote replica holds, whatever is here:"
                            + " the way back to a machine whose replica was promoted meanwhile. Others"
                            + " that can't be reached are left out")
    private String from;

    @Parameters(paramLabel = "POOLSET", description = "a poolset file")
    private Path file;

    @Override
    public Integer call() throws InterruptedException, IOException {
        PoolSource source = PoolSource.of(file);
        PoolSet set = source.existing();
        requireParts(source, set);
        try (SyncRun run = new SyncRun(source, orders(set), work)) {
            return sync(run, set);
        }
    }

    private int sync(SyncRun run, PoolSet set) throws InterruptedException, IOException {
        SyncPlan plan = run.plan(output::begin);
        if (verbose) {
            run.healthy().forEach(output::say);
        }
        plan.problems().forEach(output::say);
        plan.copies().forEach(copy -> output.say("plan: " + copy.line()));
        boolean done = !dryRun && !plan.steps().isEmpty();
        List<String> damages = List.of();
        VerifyResult verified = null;
        boolean isRoots = done && run.isOwnerUnknown();
        if (done) {
            if (from != null || !overwrite.isEmpty()) {
                Destruction destruction = new Destruction(consent, output);
                run.tell(plan, destruction);
                destruction.require("overwrite these copies");
            }
            run.cut(plan).forEach(file -> output.begin("removing " + left(file)));
            run.cutWhole(plan).forEach(file -> output.begin("keeping " + left(file) + KEPT));
            try (Interruption meanwhile = Interruption.says(() -> interrupted(set))) {
                damages = run.run(plan, step -> output.begin(step.text()));
            }
            verified = run.verify(plan);
        }
        if (dryRun) {
            run.cut(plan).forEach(file -> output.say("would remove " + left(file)));
            run.cutWhole(plan).forEach(file -> output.say("would keep " + left(file) + KEPT));
        }
        if (isRoots) {
            output.say(
                    "the new files belong to root, because none was left here that tells whose they"
                            + " were: where another user runs the program, give them to that user"
                            + " (chown)");
        }
        if (verified == null ? plan.steps().isEmpty() : verified.equal()) {
            leftovers(set);
        }
        if (output.isJson()) {
            List<String> steps = plan.steps().stream().map(SyncStep::text).toList();
            output.print(
                    new SyncResult(
                            file.toString(),
                            plan.problems(),
                            plan.copies(),
                            steps,
                            done,
                            damages,
                            verified));
        } else {
            say(plan, damages, verified);
            if (done) {
                run.leftOut().forEach(output::say);
            }
        }
        return !damages.isEmpty() ? BAD_DATA : verified == null ? 0 : verified.exitCode();
    }

    /** The pool is whole: what a run that was cut has left is of no use any more. */
    private void leftovers(PoolSet set) {
        PoolInspection found = PoolInspection.of(set);
        List<Path> left = RestorationLeftovers.outlived(found);
        for (Path file : left) {
            output.say((dryRun ? "would remove " : "removed ") + left(file));
        }
        if (!dryRun) {
            RestorationLeftovers.removeOutlived(found);
        }
    }

    private static String left(Path file) {
        return file + " (" + file.toFile().length() + " bytes), which a run that was cut has left";
    }

    private static String interrupted(PoolSet set) {
        String left =
                set.localReplicas().stream()
                        .flatMap(replica -> replica.parts().stream())
                        .map(part -> RestorationLeftovers.unfinished(part.path()))
                        .filter(Files::exists)
                        .map(file -> file + " (" + file.toFile().length() + " bytes)")
                        .collect(Collectors.joining(", "));
        return "a copy that is not complete is in no part's place, a remote one is known as begun;"
                + " give the same command again"
                + (left.isEmpty()
                        ? ""
                        : ", which removes what is left, or keeps what is whole: " + left);
    }

    private void say(SyncPlan plan, List<String> damages, VerifyResult verified) {
        if (dryRun && !plan.steps().isEmpty()) {
            output.say(file + ": nothing was changed");
        } else if (verified != null) {
            new VerifyReport(output).print(verified);
            damages.forEach(output::say);
            output.say(file + ": " + verdict(verified.equal(), !damages.isEmpty()));
        } else {
            if (plan.copies().size() > 1) {
                output.say(
                        "what the copies hold was not read: farheap verify "
                                + file
                                + " compares them, farheap check "
                                + file
                                + " looks into those here");
            }
            output.say(file + (dryRun ? ": nothing was changed" : ": nothing needs to be done"));
        }
    }

    private String verdict(boolean equal, boolean damaged) {
        if (damaged) {
            return output.toned(Tone.WARNING, "restored, and damaged")
                    + "; nobody else got it: farheap check -r -d "
                    + file
                    + " says what can be repaired; then run this again";
        }
        return equal
                ? output.toned(Tone.GOOD, "synchronized")
                : output.toned(Tone.BAD, "not synchronized");
    }

    private void requireParts(PoolSource source, PoolSet set) {
        if (!source.isPoolSet()) {
            throw FarheapException.wrongUse(
                    "%s is not a poolset file: a single file has no replica to restore from", file);
        }
        set.localReplicas().stream()
                .flatMap(replica -> replica.parts().stream())
                .filter(part -> part.kind() != Part.Kind.FILE)
                .findFirst()
                .ifPresent(
                        part -> {
                            throw FarheapException.wrongUse(
                                    "%s is a directory or a device: only part files can be restored",
                                    part.path());
                        });
    }

    private SyncOptions orders(PoolSet set) {
        Set<RemoteReplica> ordered = new HashSet<>();
        overwrite.forEach(name -> ordered.add(named(name, set)));
        RemoteReplica source = from == null ? null : named(from, set);
        if (ordered.contains(source)) {
            throw FarheapException.wrongUse("the replica %s can't be source and target", from);
        }
        return new SyncOptions(takeOver, ordered, source);
    }

    private RemoteReplica named(String name, PoolSet set) {
        return set.remoteReplicas().stream()
                .filter(replica -> replica.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> unknown(name, set));
    }

    private FarheapException unknown(String name, PoolSet set) {
        return FarheapException.wrongUse(
                "%s has no remote replica \"%s\"; it has %s",
                file, name, set.remoteReplicas().isEmpty() ? "none" : set.remoteReplicas());
    }
}
