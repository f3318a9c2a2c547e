package io.farheap.tools.poolset;

import io.farheap.pool.PoolSource;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSetParser;
import io.farheap.poolset.PoolSetRules;
import io.farheap.poolset.PoolSetSyntaxException;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code farheap poolset}. */
@Command(
        name = "poolset",
        description = {
            "Says whether a poolset file is right, and what it makes.",
            "",
            "Of a mistake it says file, line, column and what should stand there; exit code 1."
                    + " Otherwise: how large the pool is, what each part holds of it, what is there"
                    + " already, and what is worth a thought. Nothing is opened or changed."
        },
        footer = {
            "",
            "Examples:",
            "  farheap poolset bank.set           # before farheap create",
            "  farheap poolset --target copy.set  # on the target, the set of a replica",
            "  farheap poolset --json bank.set    # for programs"
        },
        mixinStandardHelpOptions = true)
public final class PoolSetCommand implements Callable<Integer> {
    private static final int MISTAKE = 1;

    @Option(
            names = "--target",
            description = "it is the set of a replica, on the target: it may have no replicas")
    private boolean target;

    @Mixin private Output output;

    @Parameters(paramLabel = "POOLSET", description = "a poolset file")
    private Path file;

    @Override
    public Integer call() throws IOException {
        PoolSource.of(file).requireFile();
        PoolSet set;
        try {
            set = PoolSetParser.parse(file);
            if (target) {
                PoolSetRules.checkTarget(set);
            } else {
                PoolSetRules.checkLocal(set);
            }
        } catch (PoolSetSyntaxException e) {
            if (!output.isJson()) {
                throw e;
            }
            try (Report report = output.report()) {
                mistake(report, e);
            }
            return MISTAKE;
        }
        ReplicationSettings unused = ReplicationSettings.of(file);
        try (Report report = output.report()) {
            new PoolSetFacts(report, set).print(file);
        }
        return 0;
    }

    private static void mistake(Report report, PoolSetSyntaxException e) {
        report.line("poolset", e.file());
        report.line("valid", false);
        report.line("line", e.line());
        report.line("column", e.column());
        report.line("problem", e.problem());
        report.line("expected", e.expected());
    }
}
