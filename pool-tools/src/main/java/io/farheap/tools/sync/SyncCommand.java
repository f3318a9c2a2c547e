package io.farheap.tools.sync;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.pool.PoolSource;
import java.io.PrintWriter;
import java.nio.file.Path;
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
                    + " by checksums. Cut short, it is run again. Nobody may have the pool open."
        },
        mixinStandardHelpOptions = true)
public final class SyncCommand implements Callable<Integer> {
    @Option(
            names = "--take-over",
            description =
                    "end the right of a program that has the pool's remote replicas and hangs; what"
                            + " it has not been told to be durable may be lost to it")
    private boolean takeOver;

    @Parameters(paramLabel = "POOLSET", description = "a poolset file")
    private Path file;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        PoolSource source = PoolSource.of(file);
        if (!source.isPoolSet()) {
            // Says so where there is no such file.
            source.existing();
            throw new FarheapException(
                    Category.WRONG_USE,
                    file + " is not a poolset file: a single file has no replica to restore from");
        }
        PrintWriter out = spec.commandLine().getOut();
        new SyncRun(source, takeOver, out).run();
        out.println(file + ": synchronized");
        return 0;
    }
}
