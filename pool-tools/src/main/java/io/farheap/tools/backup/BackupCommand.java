package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.pool.FileStatus;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.command.Interruption;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import io.farheap.tools.report.Tone;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code farheap backup}. */
@Command(
        name = "backup",
        customSynopsis = {
            "farheap backup [-i | --since=BACKUP] [--keep=N] [--limit=RATE] [--progress=HOW] [--json]"
                    + " POOL DIR|FILE",
            "farheap backup --verify [--limit=RATE] [--progress=HOW] [--json] DIR|FILE",
            "farheap backup --list [--json] DIR"
        },
        description = {
            "Makes a backup of a pool, also while a program has it open.",
            "",
            "POOL is a poolset file or a pool file. The backup has all commits up to one, and no"
                    + " other; it says which. Of a pool that is open the program makes the copy:"
                    + " commits go on, and are held up for some milliseconds at its end. Until the"
                    + " backup is complete it has another name, and needs beside it as much room as"
                    + " the open pool's content. Run it on the pool's machine, as the program's"
                    + " user.",
            "",
            "With -i or --since it has what differs from an earlier backup, which a restoration"
                    + " then needs, too: keep them in one directory. In a DIR it gets a name of its"
                    + " own. Nothing is ever replaced. Cut short, it has made nothing, unless it says"
                    + " that the backup is there; the next one to the same place removes what is"
                    + " left. A DIR that is not there is made"
                    + " where its name ends with a slash.",
            "",
            "Exit code 0: it is complete, or all that was verified is right; 1: the pool or a"
                    + " backup is damaged, or --keep removed nothing because nothing tells which backup"
                    + " is the newest (what is called complete is, all the same); 3: there is no"
                    + " room, or the program can't be asked."
        },
        footer = {
            "",
            "Examples:",
            "  farheap backup bank.set /backups              # all of it",
            "  farheap backup -i --keep=7 bank.set /backups  # what changed; keep seven",
            "  farheap backup --limit=50M bank.set /backups  # at most 50 MiB a second",
            "  farheap backup --verify /backups              # read and check everything"
        },
        mixinStandardHelpOptions = true)
public final class BackupCommand implements Callable<Integer> {
    static final int BAD_DATA = 1;
    private static final double MIB = 1 << 20;

    @Option(
            names = {"-i", "--incremental"},
            description =
                    "only what differs from the pool's newest backup in DIR, which is read and"
                            + " verified first; all, if there is none, it is damaged, or nothing"
                            + " tells which is the newest")
    private boolean incremental;

    @Option(
            names = "--since",
            paramLabel = "BACKUP",
            description = "only what differs from this backup, which is in the same directory")
    private Path since;

    @Option(
            names = "--keep",
            paramLabel = "N",
            description =
                    "afterwards remove from DIR the pool's backups but the N newest and those that"
                            + " these build on, which are read and verified first; nothing, and exit"
                            + " code 1, where one of them is damaged or none is surely newer than"
                            + " what would go")
    private Integer keep;

    @Option(
            names = "--verify",
            description = "read a backup, or all in DIR, with all below it, and check every byte")
    private boolean verify;

    @Option(names = "--list", description = "say what is in DIR; contents are not read")
    private boolean list;

    @Mixin private Output output;

    @Mixin private LongWork work;

    @Parameters(
            arity = "1..2",
            paramLabel = "POOL DIR|FILE",
            description = "the pool, and where its backup goes")
    private List<Path> paths;

    @Spec private CommandSpec spec;

    /** Where a backup is to go; null: it was there. */
    private Path madeDirectory;

    @Override
    public Integer call() throws IOException, InterruptedException {
        try {
            return called();
        } catch (IOException | InterruptedException | RuntimeException e) {
            removeMadeDirectory(e);
            throw e;
        }
    }

    /** It holds nothing where there is no backup. */
    private void removeMadeDirectory(Exception failure) {
        if (madeDirectory == null) {
            return;
        }
        try {
            boolean unused = Files.deleteIfExists(madeDirectory);
        } catch (DirectoryNotEmptyException used) {
            madeDirectory = null; // it stays
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private Integer called() throws IOException, InterruptedException {
        if (verify || list) {
            require(
                    !(verify && list) && !incremental && since == null && keep == null,
                    "--verify and --list go with nothing else");
            require(paths.size() == 1, "name one directory or backup");
            return new BackupLook(output, work, verify).at(paths.get(0).toAbsolutePath());
        }
        require(paths.size() == 2, "name the pool, and a directory or a file for the backup");
        Path destination = paths.get(1);
        boolean inDirectory = Files.isDirectory(destination) || isDirectoryByName();
        require(!incremental || since == null, "-i and --since can't be given together");
        require(!incremental || inDirectory, "-i needs a directory; of a file: --since");
        require(keep == null || inDirectory, "--keep needs a directory");
        require(keep == null || keep > 0, "--keep keeps 1 at least");
        PoolSource source = PoolSource.of(paths.get(0));
        prepare(source, destination, inDirectory);
        BackupRun run = BackupRun.of(source, destination, since, incremental, work, output::say);
        BackupResult made;
        try (Interruption meanwhile = Interruption.says(run::interrupted)) {
            made = run.run(work, output::say);
        }
        say(made);
        Expiry expiry = keep == null ? null : new Expiry(run, keep, output, work);
        List<Path> removed = expiry == null ? List.of() : expiry.run();
        String obstacle = expiry == null ? null : expiry.obstacle();
        if (output.isJson()) {
            print(made, removed, obstacle);
        }
        boolean damaged = run.base().damaged() || expiry != null && expiry.isDamaged();
        return damaged || obstacle != null ? BAD_DATA : 0;
    }

    /** A path keeps no slash at its end, and who writes one means a directory. */
    private boolean isDirectoryByName() {
        List<String> words =
                spec.commandLine().getParseResult().matchedPositionals().stream()
                        .flatMap(word -> word.originalStringValues().stream())
                        .toList();
        return words.get(words.size() - 1).endsWith("/");
    }

    private void prepare(PoolSource source, Path destination, boolean inDirectory) {
        if (FileStatus.of(destination.toAbsolutePath()).exists()) {
            return;
        }
        PoolSet unused = source.existing(); // of what is no pool nothing is made
        if (inDirectory) {
            try {
                madeDirectory = Files.createDirectory(destination.toAbsolutePath());
                output.say("made the directory " + madeDirectory);
            } catch (IOException e) {
                throw FarheapException.environment(
                        e,
                        "cannot make the directory %s: %s; make it, or name another",
                        destination,
                        why(e));
            }
        } else {
            output.say(
                    destination
                            + " is not there, and becomes a file; with a slash at its end it would"
                            + " be a directory, in which each backup has a name of its own");
        }
    }

    /** Its message may be the path alone. */
    private static String why(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "its parent is missing";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        return e instanceof FileSystemException failed && failed.getReason() != null
                ? failed.getReason()
                : e.toString();
    }

    private static void require(boolean right, String otherwise) {
        if (!right) {
            throw FarheapException.wrongUse("%s; see \"farheap backup --help\"", otherwise);
        }
    }

    private void say(BackupResult made) {
        String what = made.base() == null ? "full" : "builds on " + made.base();
        output.say(
                String.format(
                        Locale.ROOT,
                        "%s: %s, %s, %s; %.1f MiB of %.1f MiB, in %.1f MiB",
                        made.file(),
                        output.toned(Tone.GOOD, "complete"),
                        what,
                        point(made),
                        made.contentBytes() / MIB,
                        made.imageBytes() / MIB,
                        made.fileBytes() / MIB));
        if (made.commits() != null) {
            output.say(
                    String.format(Locale.ROOT, "commits were held for %.1f ms", made.heldMillis()));
        }
        if (made.state().equals(BackupHeader.State.NOT_CLOSED.name())) {
            output.say(
                    made.pool()
                            + " was not closed: a crash left it so, and the backup is what recovery"
                            + " begins with; or its files were copied while it was open, and nothing"
                            + " tells whether they fit together: then this is no backup of it");
        }
    }

    private static String point(BackupResult made) {
        return switch (BackupHeader.State.valueOf(made.state())) {
            case OPEN -> "commit " + made.commits() + " of run " + made.runId();
            case CLOSED -> "all of run " + made.runId() + ", which was closed";
            case NOT_CLOSED -> "run " + made.runId() + ", which was not closed";
        };
    }

    private void print(BackupResult made, List<Path> removed, String obstacle) {
        try (Report report = output.report()) {
            report.line("pool", made.pool());
            report.line("file", made.file());
            if (made.base() != null) {
                report.line("base", made.base());
            }
            report.line("state", made.state());
            report.line("run id", made.runId());
            if (made.commits() != null) {
                report.line("commits", made.commits());
                report.line("held millis", made.heldMillis());
            }
            report.line("image bytes", made.imageBytes());
            report.line("content bytes", made.contentBytes());
            report.line("file bytes", made.fileBytes());
            report.line("removed", removed.stream().map(Path::toString).toList());
            if (obstacle != null) {
                report.line("nothing removed", obstacle);
            }
        }
    }
}
