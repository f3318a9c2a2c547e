package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.pool.FileStatus;
import io.farheap.pool.JournalLook;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.PoolSource;
import io.farheap.pool.RestorationLeftovers;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.tools.command.Interruption;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.destruction.ConsentToLoss;
import io.farheap.tools.destruction.Destruction;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import io.farheap.tools.report.Tone;
import io.farheap.tools.survey.CopyState;
import io.farheap.tools.survey.Survey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code farheap restore}. */
@Command(
        name = "restore",
        description = {
            "Makes a pool of a backup.",
            "",
            "POOL is a poolset file, whose parts may differ from those that the pool had and have at"
                    + " least as much room, or the name of a pool file that is made. The files are"
                    + " made beside their places, read back and compared; only then they get their"
                    + " names. The pool has the commits that the backup has, and a number of its own:"
                    + " replicas elsewhere hold another history, are not touched, and are refused"
                    + " when the pool is opened with them, until you say which one counts.",
            "",
            "Where anything of a pool is there already nothing is done, unless -f is given: then it"
                    + " says what each copy holds, and asks; where nobody is at a terminal, --yes"
                    + " agrees. It refuses to overwrite commits that no other copy has, until the"
                    + " copy that has them is named: the command to type is printed. What is there"
                    + " may be newer than the backup. Cut short, it is given again, and removes what"
                    + " it left. Where a run that was cut has left a whole copy of the pool nothing"
                    + " is done without -f: the commands that take it, and those that move it"
                    + " aside, are printed."
        },
        footer = {
            "",
            "Examples:",
            "  farheap restore /backups bank.set  # the newest one in the directory",
            "  farheap restore --commit=1234 /backups bank.set  # what it had at that commit",
            "  farheap restore bank.farheap-backup bank.pool"
        },
        mixinStandardHelpOptions = true)
public final class RestoreCommand implements Callable<Integer> {
    @Option(
            names = {"-f", "--force"},
            description =
                    "overwrite the pool that is there, or what is left of one; remove a whole copy"
                            + " that a run which was cut has left")
    private boolean force;

    @Option(
            names = "--commit",
            paramLabel = "N",
            description =
                    "of a DIR the backup that was made at this commit of an open pool; backup"
                            + " --list shows the numbers")
    private Long commit;

    @Mixin private ConsentToLoss consent;

    @Mixin private LongWork work;

    @Mixin private Output output;

    @Parameters(
            index = "0",
            paramLabel = "DIR|FILE",
            description =
                    "a backup, or a directory of one pool's, whose newest is taken; not where any"
                            + " file of it is damaged, which may be newer, or where numbers and"
                            + " times do not tell which is the newest")
    private Path backup;

    @Parameters(
            index = "1",
            paramLabel = "POOL",
            description = "a poolset file, or a new pool file")
    private Path pool;

    @Override
    public Integer call() throws IOException {
        if (commit != null && commit < 0) {
            throw FarheapException.wrongUse("--commit begins at 0, not %s", commit);
        }
        Path chosen = new ChosenBackup(backup, pool).path(commit, output::say);
        try (BackupChain chain = BackupChain.open(chosen)) {
            PoolSource source = source(chain.newest().header().imageBytes());
            PoolSet set = set(source);
            PoolInspection local = PoolInspection.of(set);
            requireNoLinkToNothing(local);
            boolean replaces = !local.isAbsent();
            if (replaces) {
                requireAgreed(source, set, local, commandAnew(chosen));
            } else if (!force) {
                requireNoCopyLeft(local);
            }
            RestorationLeftovers.beside(local)
                    .forEach(file -> output.say("what a run that was cut has left goes: " + file));
            output.begin("restoring " + chain.newest().header().point());
            make(chain, set, local);
            return 0;
        }
    }

    private void make(BackupChain chain, PoolSet set, PoolInspection local) {
        PoolFromBackup making = new PoolFromBackup(local, chain, work);
        CutRestore cut = new CutRestore(set, making, commandAnew(chain.newest().path()));
        try (Interruption meanwhile = Interruption.says(cut::interrupted)) {
            long runId;
            try {
                runId = making.run();
            } catch (FarheapException e) {
                throw cut.after(e);
            }
            removeOutlived(PoolInspection.of(set));
            report(chain, set, runId);
        }
    }

    private String commandAnew(Path chosen) {
        return "farheap restore -f " + chosen + " " + pool;
    }

    private PoolSource source(long imageBytes) {
        if (FileStatus.of(pool).exists()) {
            return PoolSource.of(pool);
        }
        if (pool.toString().endsWith(".set")) {
            throw FarheapException.environment(
                    "there is no poolset file %s: put it back or write it first, its lines name the"
                            + " pool's files; or name a pool file to be made, whose name does not"
                            + " end in .set",
                    pool);
        }
        return PoolSource.newFile(pool, imageBytes);
    }

    /** The file system that it leads to may be missing, and with it a pool that is newer. */
    private static void requireNoLinkToNothing(PoolInspection local) {
        for (Path part : links(local)) {
            if (!Files.exists(part)) {
                throw FarheapException.environment(
                        "%s is a symbolic link, and what it leads to is not there: nothing was"
                                + " changed; is its disk mounted? If it is lost, remove the link",
                        part);
            }
        }
    }

    private static List<Path> links(PoolInspection local) {
        return local.replicas().stream()
                .flatMap(List::stream)
                .map(PartInspection::path)
                .filter(Files::isSymbolicLink)
                .toList();
    }

    private static PoolSet set(PoolSource source) {
        PoolSet set = source.size() > 0 ? source.forCreation() : source.existing();
        boolean files =
                !set.isDirectorySet()
                        && set.localReplicas().stream()
                                .flatMap(replica -> replica.parts().stream())
                                .allMatch(part -> part.kind() == Part.Kind.FILE);
        if (!files) {
            throw FarheapException.wrongUse(
                    "%s names directories or devices, and a pool is restored to part files only",
                    source.path());
        }
        return set;
    }

    private void requireAgreed(PoolSource source, PoolSet set, PoolInspection local, String anew)
            throws IOException {
        List<Path> left = RestorationLeftovers.beside(local);
        if (!force && !left.isEmpty()) {
            throw FarheapException.wrongUse(
                    "%s is there, or a part of it, and a run that was cut has left %s beside it:"
                            + " nothing was changed; either may be newer than the backup (farheap"
                            + " status %s); to make the pool of the backup, move what was left"
                            + " aside, and keep it until you know that it is not wanted: %s, then"
                            + " %s",
                    pool,
                    joined(left),
                    pool,
                    String.join(" && ", RestorationLeftovers.commandsToMoveAside(local)),
                    anew);
        }
        if (!force) {
            throw FarheapException.wrongUse(
                    "%s is there, or a part of it: nothing was changed; what is there may be newer"
                            + " than the backup: farheap status %s; to overwrite it: -f",
                    pool, pool);
        }
        local.requireKnown();
        local.requireNoDiskJournal();
        Survey survey = Survey.look(set, ReplicationSettings.of(source.path()));
        List<CopyState> gone =
                survey.copies().stream().filter(copy -> copy.host().isEmpty()).toList();
        links(local)
                .forEach(
                        link ->
                                output.say(
                                        link
                                                + " is a symbolic link, which a new file replaces:"
                                                + " what it leads to stays"));
        Destruction destruction = new Destruction(consent, output);
        destruction.of(survey, gone, "is overwritten");
        destruction.require("overwrite these copies by the backup");
    }

    /** It may be the last one of what the pool was, and newer than any backup. */
    private void requireNoCopyLeft(PoolInspection local) {
        List<Path> copies = RestorationLeftovers.ofWholeCopies(local);
        if (copies.isEmpty()) {
            return;
        }
        List<String> commands = RestorationLeftovers.commandsForWholeCopy(local);
        throw FarheapException.wrongUse(
                "%s: a run that was cut has left a whole copy (%s), as old as that run, and maybe"
                        + " newer than the backup: nothing was changed; to take it: %s, then farheap"
                        + " check %s; to make the pool of the backup, move it aside, and keep it"
                        + " until you know that it is not wanted: %s, then do this again",
                pool,
                joined(copies),
                commands.isEmpty()
                        ? "give its files, beside the parts' places, the names of the parts"
                        : String.join(" && ", commands),
                pool,
                String.join(" && ", RestorationLeftovers.commandsToMoveAside(local)));
    }

    private static String joined(List<Path> files) {
        return files.stream().map(Path::toString).collect(Collectors.joining(", "));
    }

    private void removeOutlived(PoolInspection restored) {
        List<Path> left = RestorationLeftovers.outlived(restored);
        RestorationLeftovers.removeOutlived(restored);
        left.forEach(file -> output.say("removed " + file + ", which a run that was cut has left"));
    }

    /** Its last commits may be in that alone, and the new parts can't use it. */
    private static Optional<Path> journalOfTheLost(PoolInspection restored) {
        PartInspection first = restored.replicas().get(0).get(0);
        boolean left = // a program that has the part by now may hide its header
                first.header() != null
                        && JournalLook.isAnothersBeside(first.path(), first.header());
        return left ? Optional.of(new SideFiles(first.path()).diskJournal()) : Optional.empty();
    }

    private void report(BackupChain chain, PoolSet set, long runId) {
        BackupHeader header = chain.newest().header();
        Optional<Path> journal = journalOfTheLost(PoolInspection.of(set));
        if (output.isJson()) {
            try (Report report = output.report()) {
                report.line("pool", pool.toString());
                report.line("backup", chain.newest().path().toString());
                report.line("run id of backup", header.runId());
                if (header.commits() >= 0) {
                    report.line("commits", header.commits());
                }
                report.line("run id", runId);
                if (journal.isPresent()) {
                    report.line("journal of lost pool", journal.get().toString());
                }
            }
            return;
        }
        output.say(
                pool
                        + ": "
                        + output.toned(Tone.GOOD, "restored")
                        + ", "
                        + header.point()
                        + "; its number is "
                        + runId
                        + " from now on");
        if (journal.isPresent()) {
            output.say(
                    journal.get()
                            + " is the disk journal of the pool that was lost, was left as it is, and"
                            + " may have its last commits, which the backup has not; the restored"
                            + " pool gets a journal of its own once that is moved away: mv "
                            + journal.get()
                            + " "
                            + journal.get()
                            + ".old");
        }
        if (!set.remoteReplicas().isEmpty()) {
            output.say(
                    "its remote replicas hold another history, maybe newer commits, and were not"
                            + " touched: farheap status "
                            + pool
                            + " shows both, and farheap sync -d "
                            + pool
                            + " names the commands that make one of them count");
        }
    }
}
