package io.farheap.tools;

import io.farheap.ObjectPool;
import io.farheap.base.CheckReport;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Inconsistency;
import io.farheap.base.Structure;
import io.farheap.check.PoolRepair;
import io.farheap.pool.CutFeature;
import io.farheap.pool.DiskJournalRecovery;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSetEdit;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.tools.command.Interruption;
import io.farheap.tools.command.PoolArgument;
import io.farheap.tools.destruction.ConsentToLoss;
import io.farheap.tools.destruction.Destruction;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import io.farheap.tools.report.Tone;
import io.farheap.tools.status.LocalRemedy;
import io.farheap.tools.survey.CopyState;
import io.farheap.tools.survey.CutLoad;
import io.farheap.tools.survey.NotClosed;
import io.farheap.tools.survey.Survey;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code farheap check}. */
@Command(
        name = "check",
        description = {
            "Checks the local replicas of a pool, and repairs them.",
            "",
            "That is: headers and their links, descriptor, lanes and their logs, the whole heap"
                    + " with every object's header, the root, and log extensions that nobody has, after"
                    + " a recovery that is done in memory only. Remote replicas are left out: see"
                    + " \"farheap sync --dry-run\".",
            "",
            "Of a pool that was not closed it says so: a crash leaves it like that, and so does a"
                    + " copy of its files made with cp while it was open, which can pass and yet"
                    + " lack commits. The exit code is the same; --json has \"notClosed\".",
            "",
            "With --repair: a damaged local replica gets the content of one that has no fault;"
                    + " where there is none, headers, descriptor and heap header are restored from what"
                    + " they must have been. All is done in memory first: unless the whole pool is"
                    + " consistent then, nothing is written. Asks before; where nobody is at a"
                    + " terminal, --yes agrees. Where a replica is overwritten it says what each copy"
                    + " holds, and refuses to overwrite commits that no other copy has, until the"
                    + " copy that has them is named: the command to type is printed. Missing files"
                    + " are not made: see \"farheap sync\". If it is interrupted, give the same"
                    + " command again."
        },
        footer = {
            "",
            "Examples:",
            "  farheap check bank.set                  # look; changes nothing",
            "  farheap check -r -d bank.set            # what would be repaired, and how",
            "  farheap check -r -b bank.old bank.pool  # keep a copy of what was there"
        },
        mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {
    private static final int MAX_PRINTED = 100;

    private static final String HALF_REPAIRED =
            "the pool may be half repaired; give the same command again, which goes on";

    /** The words of the report, which stay as they are. */
    private enum Verdict {
        CONSISTENT("consistent", Tone.GOOD),
        REPAIRED("repaired", Tone.GOOD),
        NOT_CONSISTENT("not consistent", Tone.BAD),
        CANNOT_REPAIR("cannot repair", Tone.BAD);

        private final String word;
        private final Tone tone;

        Verdict(String word, Tone tone) {
            this.word = word;
            this.tone = tone;
        }
    }

    @Option(
            names = {"-r", "--repair"},
            description = "repair it, after a question")
    private boolean repair;

    @Option(
            names = {"-d", "--dry-run"},
            description = "say what --repair would do, and change nothing")
    private boolean dryRun;

    @Option(
            names = {"-a", "--advanced"},
            description =
                    "with --repair, also what is likely but not proven: each step says so. Also"
                            + " forgets a shutdown state that tells of data lost in a power failure")
    private boolean advanced;

    @Option(
            names = {"-b", "--backup"},
            paramLabel = "BACKUP",
            description =
                    "copy all part files there before they are changed: a new file, or for several"
                            + " parts a poolset file of the same shape")
    private Path backup;

    // Its verdict is always said; scripts for pmempool ask for it.
    @SuppressWarnings("unused")
    @Option(
            names = {"-v", "--verbose"},
            description = "no effect: the verdict is always said")
    private boolean verbose;

    @Option(
            names = {"-q", "--quiet"},
            description = "the exit code says it all")
    private boolean quiet;

    @Mixin private ConsentToLoss consent;

    @Mixin private Output output;

    @Mixin private PoolArgument pool;

    private boolean loadIsCut;

    private boolean notClosed;

    @Override
    public Integer call() throws IOException {
        requireFit();
        if (PoolSource.of(pool.file()).isPoolSet()) {
            ReplicationSettings unused = ReplicationSettings.of(pool.file());
        }
        try {
            return checked();
        } catch (FarheapException e) {
            PoolSetEdit edit = edit();
            throw edit == null
                    ? e
                    : new FarheapException(e.category(), e.getMessage() + "; " + edit.text(), e);
        }
    }

    private PoolSetEdit edit() {
        return found().edit();
    }

    private PoolInspection found() {
        return PoolInspection.passing(pool.source().existing());
    }

    private int checked() throws IOException {
        if (!repair) {
            CheckReport report = withLoad(ObjectPool.check(pool.file()));
            notClosed = NotClosed.isIn(found());
            boolean sound = report.isConsistent();
            say(report, List.of(), sound ? Verdict.CONSISTENT : Verdict.NOT_CONSISTENT, "");
            return sound ? ExitCode.OK : ExitCode.BAD_DATA;
        }
        PoolBackup copies = backup == null ? null : new PoolBackup(pool.file(), backup);
        try (PoolRepair plan = PoolRepair.plan(pool.file(), advanced)) {
            notClosed = NotClosed.isIn(found());
            return repaired(plan, copies);
        }
    }

    /** A pool can be consistent, and yet no program could open it. */
    private CheckReport withLoad(CheckReport found) {
        loadIsCut = found.isConsistent() && CutLoad.isIn(pool.source().existing(), 0);
        if (!loadIsCut) {
            return found;
        }
        Inconsistency root =
                new Inconsistency(Structure.ROOT, null, 0, pool.file() + ": " + CutLoad.WHAT);
        return new CheckReport(List.of(root), 1, found.objects(), found.internalObjects());
    }

    private void requireFit() {
        require(
                repair || !(consent.isGiven() || dryRun || advanced || backup != null),
                "-y, -d, -a and -b say how to repair: add -r, or leave them out");
        require(!(dryRun && backup != null), "-b can't be used with -d");
        require(!(output.isJson() && quiet), "--json can't be used with -q");
        boolean unasked = !repair || consent.isGiven() || dryRun;
        require(!output.isJson() || unasked, "--json asks nothing: add -y or -d");
        require(!quiet || unasked, "-q asks nothing: add -y or -d");
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new FarheapException(Category.WRONG_USE, otherwise);
        }
    }

    private int repaired(PoolRepair plan, PoolBackup copies) throws IOException {
        if (plan.found().isConsistent()) {
            if (copies != null) {
                copies.keep();
            }
            CheckReport found = withLoad(plan.found());
            say(found, List.of(), loadIsCut ? Verdict.CANNOT_REPAIR : Verdict.CONSISTENT, "");
            return loadIsCut ? ExitCode.BAD_DATA : ExitCode.OK;
        }
        if (!plan.isPossible()) {
            say(plan.found(), List.of(), Verdict.CANNOT_REPAIR, advice(plan.found()));
            return ExitCode.BAD_DATA;
        }
        List<String> steps = plan.steps();
        if (dryRun) {
            say(plan.found(), steps, Verdict.NOT_CONSISTENT, ", can be repaired");
            return ExitCode.BAD_DATA;
        }
        if (!agreed(plan)) {
            output.say(pool.file() + ": not repaired");
            return ExitCode.BAD_DATA;
        }
        if (copies != null && copies.make(plan.parts()) && !quiet) {
            output.say("kept the backup of the repair that was cut");
        }
        try (Interruption meanwhile = Interruption.says(() -> HALF_REPAIRED)) {
            plan.apply();
        }
        if (copies != null) {
            copies.keep();
        }
        boolean unsaid = consent.isGiven();
        say(unsaid ? plan.found() : null, unsaid ? steps : List.of(), Verdict.REPAIRED, "");
        return ExitCode.OK;
    }

    private String advice(CheckReport found) {
        if (!nextStep(found, Verdict.CANNOT_REPAIR).isEmpty()) {
            return "; nothing was changed";
        }
        return "; nothing was changed: " + LocalRemedy.beyondRepair(found(), pool.file(), advanced);
    }

    private boolean agreed(PoolRepair plan) throws IOException {
        Destruction destruction = new Destruction(consent, output);
        tell(plan, destruction);
        if (quiet) {
            destruction.requireNames();
        } else {
            destruction.show();
        }
        if (consent.isGiven()) {
            return true;
        }
        problems(plan.found());
        plan.steps().forEach(output::say);
        destruction.requireAsked("this repairs the files");
        return destruction.isAgreed("repair " + pool.file());
    }

    /** The copies that get another one's content; what else is repaired stays what it was. */
    private void tell(PoolRepair plan, Destruction destruction) {
        Map<Integer, Boolean> overwritten = plan.overwritten();
        if (overwritten.isEmpty()) {
            return;
        }
        PoolSet set = pool.source().existing();
        Survey survey = Survey.look(set, ReplicationSettings.of(pool.file()));
        List<CopyState> gone = new ArrayList<>();
        Set<CopyState> proven = new HashSet<>();
        overwritten.forEach(
                (replica, same) -> {
                    LocalReplica local = set.localReplicas().get(replica);
                    CopyState copy = survey.at(set.replicas().indexOf(local));
                    gone.add(copy);
                    if (same) {
                        proven.add(copy);
                    }
                });
        destruction.of(survey, gone, proven::contains, "is overwritten");
    }

    private String nextStep(CheckReport found, Verdict verdict) {
        if (loadIsCut) {
            return CutLoad.nextStep(pool.file());
        }
        if (verdict == Verdict.NOT_CONSISTENT || verdict == Verdict.CANNOT_REPAIR) {
            PoolSetEdit edit = edit();
            if (edit != null) {
                return edit.nextStep();
            }
            if (DiskJournalRecovery.isNeeded(pool.source().existing())) {
                return "farheap recover "
                        + pool.file()
                        + " brings its disk journal to its files; then farheap check -r "
                        + pool.file();
            }
            CutFeature cut = found().cutFeature();
            if (cut != null) {
                return cut.command(pool.file());
            }
        }
        return switch (verdict) {
            case CONSISTENT, REPAIRED -> "";
            case NOT_CONSISTENT -> repair ? "" : afterCheck(found);
            case CANNOT_REPAIR -> verdicts(found).nextStep(false);
        };
    }

    /** Of a pool without a sound replica too: what a repair of it could do is found out at once. */
    private String afterCheck(CheckReport found) {
        String step = verdicts(found).nextStep(true);
        if (!step.isEmpty()) {
            return step;
        }
        for (boolean likely : new boolean[] {false, true}) {
            try (PoolRepair plan = PoolRepair.plan(pool.file(), likely)) {
                if (plan.isPossible()) {
                    return "farheap check -r " + (likely ? "-d -a " : "") + pool.file();
                }
            }
        }
        return LocalRemedy.beyondRepair(found(), pool.file(), true);
    }

    private List<String> lines(CheckReport found) {
        return loadIsCut ? List.of() : verdicts(found).lines();
    }

    private LocalReplicaVerdicts verdicts(CheckReport found) {
        return new LocalReplicaVerdicts(pool.file(), PoolSource.of(pool.file()).existing(), found);
    }

    /**
     * @param found null: it was said already
     * @param more what a person is told behind the verdict
     */
    private void say(CheckReport found, List<String> steps, Verdict verdict, String more) {
        if (output.isJson()) {
            try (Report report = output.report()) {
                report.line("file", pool.file().toString());
                report.line("verdict", verdict.word);
                report.line("not closed", notClosed ? NotClosed.WHAT : "");
                report.line("count", found.count());
                report.line(
                        "inconsistencies",
                        found.inconsistencies().stream().map(Object::toString).toList());
                report.line("replicas", lines(found));
                report.line("steps", steps);
                report.line("next step", nextStep(found, verdict));
            }
        } else if (!quiet) {
            if (found != null) {
                problems(found);
                lines(found).forEach(output::say);
            }
            steps.forEach(step -> output.say((dryRun ? "would " : "did ") + step));
            output.say(
                    pool.file()
                            + ": "
                            + output.toned(verdict.tone, verdict.word)
                            + more
                            + (notClosed ? "; it was not closed: " + NotClosed.WHAT : ""));
            String next = found == null ? "" : nextStep(found, verdict);
            if (!next.isEmpty()) {
                output.say("next step: " + next);
            }
        }
    }

    private void problems(CheckReport report) {
        PrintWriter err = output.errors();
        report.inconsistencies().stream()
                .limit(MAX_PRINTED)
                .forEach(found -> err.println("farheap: " + found));
        if (report.count() > MAX_PRINTED) {
            err.println("farheap: and " + (report.count() - MAX_PRINTED) + " more of these");
        }
    }
}
