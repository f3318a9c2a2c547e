package io.farheap.tools;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolFeature;
import io.farheap.pool.PoolFeatures;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.RemoteReplica;
import io.farheap.tools.report.Report;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code farheap feature}. */
@Command(
        name = "feature",
        description = {
            "Shows and turns the switches in a pool's headers.",
            "",
            "FEATURE is SINGLEHDR, CKSUM_2K, SHUTDOWN_STATE or CHECK_BAD_BLOCKS. The first can't be"
                    + " turned; SHUTDOWN_STATE needs CKSUM_2K. All headers of all local replicas are changed; the pool must be"
                    + " closed. Cut anywhere, give the same command again. Remote replicas keep theirs:"
                    + " give the command on the target, too, where that matters."
        },
        footer = {
            "",
            "Examples:",
            "  farheap feature -l bank.set                     all of them",
            "  farheap feature -q SHUTDOWN_STATE bank.set      1 or 0",
            "  farheap feature -d SHUTDOWN_STATE bank.set"
        },
        mixinStandardHelpOptions = true)
final class FeatureCommand implements Callable<Integer> {
    /** One of these. */
    static final class Action {
        @Option(
                names = {"-e", "--enable"},
                paramLabel = "FEATURE",
                description = "turn it on")
        private PoolFeature enable;

        @Option(
                names = {"-d", "--disable"},
                paramLabel = "FEATURE",
                description = "turn it off; SHUTDOWN_STATE is forgotten, too")
        private PoolFeature disable;

        @Option(
                names = {"-q", "--query"},
                paramLabel = "FEATURE",
                description = "print 1 where it is on, else 0")
        private PoolFeature query;

        @Option(
                names = {"-l", "--list"},
                description = "print all of them")
        private boolean list;
    }

    @ArgGroup(multiplicity = "1")
    private Action action;

    @Option(names = "--json", description = "print one JSON object; for -q and -l")
    private boolean json;

    @Parameters(paramLabel = "FILE", description = "a poolset file or a pool file")
    private Path file;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        PoolSource source = PoolSource.of(file);
        boolean change = action.enable != null || action.disable != null;
        if (change && json) {
            throw new FarheapException(Category.WRONG_USE, "--json is for -q and -l");
        }
        try (PoolFeatures features = PoolFeatures.open(source)) {
            if (change) {
                turn(source, features);
            } else {
                show(features.flags());
            }
        }
        return ExitCode.OK;
    }

    private void turn(PoolSource source, PoolFeatures features) {
        boolean on = action.enable != null;
        PoolFeature feature = on ? action.enable : action.disable;
        if (features.turn(feature, on)) {
            for (RemoteReplica remote : source.existing().remoteReplicas()) {
                spec.commandLine()
                        .getOut()
                        .println(
                                "the replica on "
                                        + remote.node()
                                        + " keeps its switches; there: farheap feature "
                                        + (on ? "-e " : "-d ")
                                        + feature
                                        + " "
                                        + remote.descriptor());
            }
        }
    }

    private void show(FeatureFlags flags) {
        if (!action.list && !json) {
            spec.commandLine().getOut().println(action.query.isOn(flags) ? 1 : 0);
            return;
        }
        List<PoolFeature> asked =
                action.list ? List.of(PoolFeature.values()) : List.of(action.query);
        try (Report report = Report.to(spec.commandLine().getOut(), json)) {
            for (PoolFeature feature : asked) {
                boolean on = feature.isOn(flags);
                report.line(feature.name(), on, on ? "on" : "off");
            }
        }
    }
}
