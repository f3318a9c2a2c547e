package io.farheap.tools.transform;

import io.farheap.base.FarheapException;
import io.farheap.pool.PoolSource;
import io.farheap.tools.command.Interruption;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.destruction.ConsentToLoss;
import io.farheap.tools.destruction.Destruction;
import io.farheap.tools.report.Output;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code farheap transform}. */
@Command(
        name = "transform",
        description = {
            "Changes which parts and replicas a pool has.",
            "",
            "SOURCE is the poolset file, or the plain file, that the pool has; TARGET a poolset file"
                    + " that says what it is to have: replicas more or fewer, in another order, other"
                    + " parts, OPTION SINGLEHDR or not. Replicas in both files stay as they are; all"
                    + " others are copied from one that is whole, which takes as much room again"
                    + " until the old files go, and compared. Remote replicas get their copies"
                    + " through their agents before others go.",
            "",
            "The files of a replica that goes are removed, on its target, too, where its poolset file"
                    + " stays. Before that it says what each copy holds, and asks; where nobody is at"
                    + " a terminal, --yes agrees. It refuses to remove commits that no other copy has,"
                    + " until the copy that has them is named: the command to type is printed. The"
                    + " files stay if the target can't be reached, or where it may hold commits"
                    + " that the pool lacks; that is said. From then on use TARGET: SOURCE is not"
                    + " changed. The pool must be closed. Cut short, give the same command again."
        },
        footer = {
            "",
            "Examples:",
            "  farheap transform -d bank.set new.set  # what would be done",
            "  farheap transform bank.set new.set     # new.set names a replica more:",
            "                                         # REPLICA ada@far bank.set",
            "  farheap transform --limit=50M bank.set new.set  # leaves disks to others",
            "  farheap transform bank.pool bank.set   # a plain pool gets a replica",
            "  farheap transform -y new.set bank.set  # and loses it again"
        },
        mixinStandardHelpOptions = true)
public final class TransformCommand implements Callable<Integer> {
    @Option(
            names = {"-d", "--dry-run"},
            description = "only say what would be done")
    private boolean dryRun;

    @Option(
            names = {"-v", "--verbose"},
            description = "also say what stays as it is")
    private boolean verbose;

    @Mixin private ConsentToLoss consent;

    @Mixin private LongWork work;

    @Mixin private Output output;

    @Parameters(
            index = "0",
            paramLabel = "SOURCE",
            description = "the pool's poolset file, or a pool file")
    private Path source;

    @Parameters(index = "1", paramLabel = "TARGET", description = "the poolset file it is to have")
    private Path target;

    @Override
    public Integer call() throws InterruptedException, IOException {
        PoolSource wanted = PoolSource.of(target);
        wanted.requireFile();
        if (!wanted.isPoolSet()) {
            throw FarheapException.badData(
                    "%s is not a poolset file: write one that says what the pool is to have",
                    target);
        }
        TransformRun run = new TransformRun(source, target, work);
        List<String> plan = run.plan(output::begin);
        if (verbose) {
            run.staying().forEach(output::say);
        }
        if (plan.isEmpty()) {
            output.say("nothing is left to do");
        }
        plan.forEach(step -> output.say((dryRun ? "would " : "will ") + step));
        if (!dryRun) {
            Destruction destruction = new Destruction(consent, output);
            run.tell(destruction);
            destruction.require("remove these copies");
        }
        List<ReplicaVerdict> verdicts = dryRun ? List.of() : done(run);
        if (output.isJson()) {
            output.print(
                    new TransformResult(
                            source.toString(), target.toString(), dryRun, plan, verdicts));
            return 0;
        }
        for (ReplicaVerdict verdict : verdicts) {
            output.say(
                    verdict.replica()
                            + ": "
                            + verdict.verdict().toString().toLowerCase(Locale.ROOT)
                            + ", "
                            + verdict.detail());
        }
        output.say(
                dryRun
                        ? source + ": nothing was changed"
                        : target + ": the pool is as this file says; use it from now on");
        return 0;
    }

    private List<ReplicaVerdict> done(TransformRun run) throws InterruptedException {
        try (Interruption whileChanging = Interruption.says(run::interrupted)) {
            return run.run(output::begin);
        }
    }
}
