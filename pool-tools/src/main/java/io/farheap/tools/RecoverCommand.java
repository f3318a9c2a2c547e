package io.farheap.tools;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.pool.DiskJournalRecovery;
import io.farheap.pool.DroppedBatches;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.tools.command.PoolArgument;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code farheap recover}. */
@Command(
        name = "recover",
        description = {
            "Recovers a pool that was not closed, and closes it.",
            "",
            "FILE is a pool that a program left with its newest commits in a disk journal. They are"
                    + " brought to the pool's files, transactions under way are rolled back, and"
                    + " every program can open the pool after it. The journal must lie beside the"
                    + " pool's first part. Of a pool that was closed nothing is changed. Cut"
                    + " anywhere, give the same command again.",
            "",
            "A journal that is damaged between whole batches is refused: what lies behind the"
                    + " damage was committed. Put a sound copy back, or where there is none give"
                    + " that up with --drop-behind-damage. The pool's files may have some of it"
                    + " already, so check them afterwards: farheap check, farheap verify."
        },
        footer = {
            "",
            "Examples:",
            "  farheap recover bank.pool",
            "  farheap recover --drop-behind-damage bank.pool"
        },
        mixinStandardHelpOptions = true)
final class RecoverCommand implements Callable<Integer> {
    @Mixin private Output output;

    @Mixin private PoolArgument pool;

    @Option(
            names = "--drop-behind-damage",
            description =
                    "Give up the commits in a damaged disk journal from the damage on, and keep the"
                            + " journal under another name, PART.disk-journal.damaged.")
    private boolean dropping;

    @Override
    public Integer call() {
        PoolSource source = pool.source();
        boolean needed = DiskJournalRecovery.isNeeded(source.existing());
        List<DroppedBatches> dropped = List.of();
        if (needed) {
            dropped = recovered(source);
            rollBack(source);
        } else {
            PoolFiles.openPrivate(source, null).close(); // says what is wrong with it, if anything
        }
        if (output.isJson()) {
            try (Report report = output.report()) {
                report.line("recovered", needed);
                report.beginList("given up");
                dropped.forEach(each -> report(report, each));
                report.end();
            }
            return ExitCode.OK;
        }
        output.say(
                needed
                        ? source.path() + " is recovered, and closed"
                        : source.path() + " needs no disk journal: nothing was changed");
        return ExitCode.OK;
    }

    private List<DroppedBatches> recovered(PoolSource source) {
        if (!dropping) {
            DiskJournalRecovery.recover(source);
            return List.of();
        }
        List<DroppedBatches> dropped = DiskJournalRecovery.recoverDroppingDamaged(source);
        for (DroppedBatches each : dropped) { // at once: what comes may fail
            output.say(
                    "gave up "
                            + each.hole().bytes()
                            + " bytes of "
                            + each.hole().place()
                            + " from byte "
                            + each.hole().offset()
                            + " on, with "
                            + each.hole().batches()
                            + " batches behind the damage; all of it is kept in "
                            + each.kept()
                            + "; next: farheap check "
                            + source.path()
                            + ", farheap verify "
                            + source.path());
        }
        return dropped;
    }

    private static void report(Report report, DroppedBatches dropped) {
        report.item(dropped.hole().place().toString());
        report.line("journal", dropped.hole().place().toString());
        report.line("from byte", dropped.hole().offset());
        report.line("bytes", dropped.hole().bytes());
        report.line("batches behind damage", dropped.hole().batches());
        report.line("kept as", dropped.kept().toString());
        report.end();
    }

    private static void rollBack(PoolSource source) {
        try {
            ObjectPool.open(source.path(), null).close();
        } catch (FarheapException e) {
            boolean bad = e.category() == Category.BAD_DATA;
            throw new FarheapException(
                    e.category(),
                    "the disk journal is brought to the pool's files, as far as they are whole, and"
                            + " is needed no more; but: "
                            + e.getMessage()
                            + (bad ? "; next: farheap check -r " + source.path() : ""),
                    e);
        }
    }
}
