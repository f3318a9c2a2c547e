package io.farheap.tools.verify;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.PoolSet;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.command.PoolArgument;
import io.farheap.tools.report.Output;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code farheap verify}. */
@Command(
        name = "verify",
        description = {
            "Compares all copies of a pool, here and on other machines, by checksums.",
            "",
            "No content travels and nothing is changed. Says of each place that differs where it is,"
                    + " what lies there, and which copy is right where that can be told: a copy whose"
                    + " structure is damaged is wrong, and so is one against a majority of equal"
                    + " ones. Free memory is left out, and what is each copy's own: headers, lanes."
                    + " Of an older copy, pages are counted. Nobody may have the pool open, and it"
                    + " is compared from its own machine: a replica's does not know the others.",
            "",
            "Exit code 0: all copies are equal; 1: copies differ that must be equal, or one is broken;"
                    + " 3: a program has the pool; 5: a copy is of another version, or could not be"
                    + " compared."
        },
        footer = {
            "",
            "Examples:",
            "  farheap verify bank.set         # how each copy compares, and what to do",
            "  farheap verify --json bank.set  # up to 1000 places a copy",
            "  farheap verify -q bank.set      # the exit code says it"
        },
        mixinStandardHelpOptions = true)
public final class VerifyCommand implements Callable<Integer> {
    @Mixin private Output output;

    @Mixin private LongWork work;

    @Option(
            names = {"-q", "--quiet"},
            description = "the exit code says it all")
    private boolean quiet;

    @Mixin private PoolArgument pool;

    @Override
    public Integer call() throws InterruptedException, JsonProcessingException {
        PoolSource source = pool.source();
        PoolSet set = source.existing();
        VerifyResult result =
                ReplicaAlone.isIt(source, set)
                        ? ReplicaAlone.result(source, set)
                        : Verification.run(
                                source, set, ReplicationSettings.of(source.path()), work);
        if (output.isJson()) {
            output.print(result);
        } else if (!quiet) {
            new VerifyReport(output).print(result);
        }
        return result.exitCode();
    }
}
