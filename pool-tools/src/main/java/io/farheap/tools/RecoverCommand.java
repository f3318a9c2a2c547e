package io.farheap.tools;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.tools.command.PoolArgument;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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
                    + " anywhere, give the same command again."
        },
        footer = {"", "Examples:", "  farheap recover bank.pool"},
        mixinStandardHelpOptions = true)
final class RecoverCommand implements Callable<Integer> {
    @Mixin private Output output;

    @Mixin private PoolArgument pool;

    @Override
    public Integer call() {
        PoolSource source = pool.source();
        boolean needed = PoolFiles.needsDiskJournal(source.existing());
        if (needed) {
            PoolFiles.recoverFromJournal(source);
            rollBack(source);
        } else {
            PoolFiles.openPrivate(source, null).close(); // says what is wrong with it, if anything
        }
        if (output.isJson()) {
            try (Report report = output.report()) {
                report.line("recovered", needed);
            }
            return ExitCode.OK;
        }
        output.say(
                needed
                        ? source.path() + " is recovered, and closed"
                        : source.path() + " needs no disk journal: nothing was changed");
        return ExitCode.OK;
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
