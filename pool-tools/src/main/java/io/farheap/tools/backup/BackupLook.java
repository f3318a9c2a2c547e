package io.farheap.tools.backup;

import io.farheap.base.FarheapException;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import io.farheap.tools.report.Tone;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What {@code farheap backup --list} and {@code --verify} say of backups that are there. */
final class BackupLook {
    private static final double MIB = 1 << 20;

    private final Output output;
    private final LongWork work;
    private final boolean verify;

    /** Of a directory, each file is read once. */
    private final Set<Path> verified = new HashSet<>();

    /**
     * @param verify whether contents are read
     */
    BackupLook(Output output, LongWork work, boolean verify) {
        this.output = output;
        this.work = work;
        this.verify = verify;
    }

    /**
     * Looks at a backup, or at all in a directory.
     *
     * @return the exit code
     */
    int at(Path named) {
        List<Path> files = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        if (Files.isDirectory(named)) {
            StoredBackups stored = StoredBackups.in(named);
            stored.complete().forEach(one -> files.add(one.path()));
            wrong.addAll(stored.others());
            if (files.isEmpty() && wrong.isEmpty()) {
                throw FarheapException.wrongUse(
                        "%s has no backup (NAME%s); see \"farheap backup --help\"",
                        named, BackupPlace.SUFFIX);
            }
        } else {
            files.add(named);
        }
        try (Report report = output.isJson() ? output.report() : null) {
            if (report != null) {
                report.beginList("backups");
            }
            files.forEach(file -> look(file, report, wrong));
            if (report != null) {
                report.end();
                report.line("damages", wrong);
            }
        }
        if (wrong.isEmpty()) {
            return 0;
        }
        if (!Files.isDirectory(named)) {
            throw FarheapException.badData("%s", wrong.get(0));
        }
        wrong.forEach(sentence -> output.say(output.toned(Tone.BAD, "wrong") + ": " + sentence));
        return BackupCommand.BAD_DATA;
    }

    private void look(Path file, Report report, List<String> wrong) {
        try (BackupChain chain = BackupChain.open(file)) {
            for (BackupFile part : verify ? chain.files() : List.<BackupFile>of()) {
                if (!verified.contains(part.path())) {
                    part.verify(work);
                    verified.add(part.path());
                }
            }
            BackupFile newest = chain.newest();
            BackupHeader header = newest.header();
            int below = chain.files().size() - 1;
            output.say(
                    String.format(
                            Locale.ROOT,
                            "%s: %s, %s, %s; %.1f MiB, in %.1f MiB",
                            file,
                            verify ? output.toned(Tone.GOOD, "right") : "complete",
                            below == 0 ? "full" : "builds on " + below + " others",
                            header.point(),
                            header.imageBytes() / MIB,
                            newest.fileBytes() / MIB));
            if (report != null) {
                describe(report, file, chain);
            }
        } catch (FarheapException e) {
            if (e.category() != FarheapException.Category.BAD_DATA) {
                throw e;
            }
            wrong.add(e.getMessage());
        }
    }

    private void describe(Report report, Path file, BackupChain chain) {
        BackupHeader header = chain.newest().header();
        report.item(file.toString());
        report.line("file", file.toString());
        report.line("verified", verify);
        report.line("below", chain.files().size() - 1);
        report.line("pool set uuid", header.ofPool().poolsetUuid().toString());
        report.line("state", header.state().name());
        report.line("run id", header.runId());
        if (header.commits() >= 0) {
            report.line("commits", header.commits());
        }
        report.line("image bytes", header.imageBytes());
        report.line("file bytes", chain.newest().fileBytes());
        report.end();
    }
}
