package io.farheap.tools;

import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolFeature;
import io.farheap.pool.PoolFeatures;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.RemoteReplica;
import io.farheap.tools.command.PoolArgument;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code farheap feature}. */
@Command(
        name = "feature",
        description = {
            "Shows and turns the switches in a pool's headers.",
            "",
            "FEATURE is SINGLEHDR, CKSUM_2K, SHUTDOWN_STATE or CHECK_BAD_BLOCKS. The first can't be"
                    + " turned; SHUTDOWN_STATE needs CKSUM_2K. All headers of all local replicas"
                    + " are changed; the pool must be closed. If it is interrupted, give the same"
                    + " command again. Remote replicas keep theirs: give the command on the target,"
                    + " too, where that matters."
        },
        footer = {
            "",
            "Examples:",
            "  farheap feature -l bank.set                 # all of them",
            "  farheap feature -q SHUTDOWN_STATE bank.set  # 1 or 0",
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

    @Mixin private Output output;

    @Mixin private PoolArgument pool;

    @Override
    public Integer call() {
        PoolSource source = pool.source();
        if (action.enable == null && action.disable == null) {
            show(PoolFeatures.read(source));
            return ExitCode.OK;
        }
        try (PoolFeatures features = PoolFeatures.open(source)) {
            turn(source, features);
        }
        return ExitCode.OK;
    }

    private void turn(PoolSource source, PoolFeatures features) {
        boolean on = action.enable != null;
        PoolFeature feature = on ? action.enable : action.disable;
        boolean changed = features.turn(feature, on);
        List<RemoteReplica> others = changed ? source.existing().remoteReplicas() : List.of();
        if (output.isJson()) {
            try (Report report = output.report()) {
                report.line(feature.name(), on);
                report.line("changed", changed);
                report.line("unchanged replicas", others.stream().map(Object::toString).toList());
            }
        }
        for (RemoteReplica other : others) {
            output.say(
                    "the replica on "
                            + other.node()
                            + " keeps its switches; there: farheap feature "
                            + (on ? "-e " : "-d ")
                            + feature
                            + " "
                            + other.descriptor());
        }
    }

    private void show(FeatureFlags flags) {
        if (!action.list && !output.isJson()) {
            output.say(action.query.isOn(flags) ? "1" : "0");
            return;
        }
        List<PoolFeature> asked =
                action.list ? List.of(PoolFeature.values()) : List.of(action.query);
        try (Report report = output.report()) {
            for (PoolFeature feature : asked) {
                boolean on = feature.isOn(flags);
                report.line(feature.name(), on, on ? "on" : "off");
            }
        }
    }
}
