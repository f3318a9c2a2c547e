package io.farheap.tools.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.farheap.agent.OwnReplica;
import io.farheap.base.FarheapException;
import io.farheap.live.LiveClient;
import io.farheap.live.LiveFigures;
import io.farheap.pool.PoolSource;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.PoolSet;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.session.ReplicaReport;
import io.farheap.tools.command.PoolArgument;
import io.farheap.tools.command.RunningPool;
import io.farheap.tools.command.WholeFile;
import io.farheap.tools.report.Output;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code farheap status}. */
@Command(
        name = "status",
        description = {
            "Says how each copy of a pool is, and what can be done about it.",
            "",
            "Changes nothing and needs no lock: a program may have the pool open. Targets that do"
                    + " not answer within FARHEAP_ATTACH_TIMEOUT are said to be unreachable. On a"
                    + " target it shows the replica that is there. Exit code 0: every copy is current;"
                    + " 5: one is not."
        },
        footer = {
            "",
            "Examples:",
            "  farheap status bank.set         # each copy, what it lacks, what to type",
            "  farheap status copy.set         # on a target: the replica that is there",
            "  farheap status --json bank.set  # for programs",
            "  farheap status --prometheus=bank.prom bank.set  # for Prometheus"
        },
        mixinStandardHelpOptions = true)
public final class StatusCommand implements Callable<Integer> {
    /** A copy is not current, or can't be looked at. */
    public static final int NOT_CURRENT = 5;

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Path STANDARD_OUTPUT = Path.of("-");

    @Mixin private Output output;

    @Mixin private PoolArgument pool;

    @Option(
            names = "--prometheus",
            paramLabel = "OUT",
            description =
                    "write it as metrics for Prometheus instead, as a whole or not at all; -:"
                            + " print them")
    private Path prometheus;

    @Override
    public Integer call() throws InterruptedException, JsonProcessingException {
        PoolSource source = pool.source();
        PoolSet set = source.existing();
        Optional<ReplicaReport> own =
                source.isPoolSet() ? OwnReplica.look(source.path(), set) : Optional.empty();
        PoolStatus status =
                own.isPresent()
                        ? TargetLook.status(source.path(), set, own.get())
                        : new StatusLook(source, set, ReplicationSettings.of(source.path())).look();
        if (prometheus != null) {
            export(StatusMetrics.of(status, counted(status, set), Instant.now()));
        } else if (output.isJson()) {
            output.print(status);
        } else {
            new StatusReport(output).print(status);
        }
        return status.current() ? 0 : NOT_CURRENT;
    }

    /** By the program that has it open; empty where that can't be asked: the rest is told. */
    private static Optional<LiveFigures> counted(PoolStatus status, PoolSet set)
            throws InterruptedException {
        if (status.openIn() == null) {
            return Optional.empty();
        }
        try (LiveClient program = LiveClient.connect(status.openIn(), "nothing")) {
            long poolId = RunningPool.poolId(SideFiles.of(set).beside());
            return Optional.of(program.figures(poolId, PATIENCE));
        } catch (FarheapException silent) {
            return Optional.empty();
        }
    }

    private void export(String metrics) {
        if (prometheus.equals(STANDARD_OUTPUT)) {
            output.writer().print(metrics);
            output.writer().flush();
        } else {
            StatusMetrics.requireSamePool(prometheus, metrics);
            WholeFile.replaceOwn(
                    prometheus, StatusMetrics.BEGIN, metrics, "metrics of farheap status");
        }
    }
}
