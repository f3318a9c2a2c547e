package io.farheap.tools.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.farheap.agent.OwnReplica;
import io.farheap.pool.PoolSource;
import io.farheap.poolset.PoolSet;
import io.farheap.replication.ReplicaReport;
import io.farheap.replication.ReplicationSettings;
import io.farheap.tools.report.Json;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

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
            "  farheap status bank.set           every copy, what it lacks, and what to type",
            "  farheap status copy.set           on a target: the replica that is there",
            "  farheap status --json bank.set    for programs"
        },
        mixinStandardHelpOptions = true)
public final class StatusCommand implements Callable<Integer> {
    /** A copy is not current, or can't be looked at. */
    public static final int NOT_CURRENT = 5;

    @Option(names = "--json", description = "print one JSON object")
    private boolean json;

    @Parameters(paramLabel = "POOLSET", description = "a poolset file or a pool file")
    private Path file;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException, JsonProcessingException {
        PoolSource source = PoolSource.of(file);
        PoolSet set = source.existing();
        Optional<ReplicaReport> own =
                source.isPoolSet() ? OwnReplica.look(source.path(), set) : Optional.empty();
        PoolStatus status =
                own.isPresent()
                        ? TargetLook.status(source.path(), set, own.get())
                        : new StatusLook(source, set, ReplicationSettings.of(source.path())).look();
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Json.print(out, status);
        } else {
            new StatusReport(out).print(status);
        }
        out.flush();
        return status.current() ? 0 : NOT_CURRENT;
    }
}
