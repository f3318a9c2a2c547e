package io.farheap.tools.failover;

import io.farheap.agent.Promotion;
import io.farheap.agent.ReplicaAside;
import io.farheap.availability.FailOverControl;
import io.farheap.availability.FailOverState;
import io.farheap.base.FarheapException;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code farheap ha}. */
@Command(
        name = "ha",
        description = {
            "Shows and orders who writes a pool under automatic fail-over.",
            "",
            "status says what the store has of the pool. switchover has another node write, when"
                    + " the program that writes has closed the pool, which it is told to. pause:"
                    + " nobody takes over until resume. It asks the store only, from any machine that"
                    + " reaches it, and no order loses a commit.",
            "",
            "reinit, on a node whose copy has left the set: moves all files of the copy aside,"
                    + " under other names beside their own, so that the writer makes it anew. Refused"
                    + " where the copy may count, and while somebody has it. It removes nothing."
        },
        footer = {
            "",
            "Examples:",
            "  farheap ha status --store etcd:http://e1:2379,http://e2:2379 --pool bank",
            "  farheap ha switchover --to b --store etcd:http://e1:2379 --pool bank",
            "  farheap ha pause --store etcd:http://e1:2379 --pool bank",
            "  farheap ha reinit --node c --copy c.set --store etcd:http://e:2379 --pool b"
        },
        mixinStandardHelpOptions = true)
public final class HaCommand implements Callable<Integer> {
    private enum Action {
        status,
        switchover,
        pause,
        resume,
        reinit
    }

    private static final DateTimeFormatter SUFFIX =
            DateTimeFormatter.ofPattern("'.aside-'yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    @Parameters(paramLabel = "ACTION", description = "${COMPLETION-CANDIDATES}")
    private Action action;

    @Option(names = "--to", paramLabel = "NODE", description = "switchover: who is to write")
    private String to;

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "switchover: when to give it up; default: ${DEFAULT-VALUE}")
    private int wait;

    @Option(names = "--node", paramLabel = "NAME", description = "reinit: this node")
    private String node;

    @Option(
            names = "--copy",
            paramLabel = "POOLSET",
            description = "reinit: the poolset file of this node's copy")
    private Path copy;

    @Option(
            names = "--yes",
            description =
                    "reinit: the copy is of this pool, also where nothing in its files proves that")
    private boolean isOfThisPool;

    @Mixin private PoolInStore pool;

    @Mixin private Output output;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if ((action == Action.switchover) != (to != null)) {
            throw FarheapException.wrongUse("Say with --to which node is to write: switchover.");
        }
        boolean isReinit = action == Action.reinit;
        boolean isSaid = isReinit ? node != null && copy != null : node != null || copy != null;
        if (isSaid != isReinit || isOfThisPool && !isReinit) {
            throw FarheapException.wrongUse(
                    "reinit, and nothing else, wants --node, which node this is, and --copy, which"
                            + " poolset file its copy has; and takes --yes.");
        }
        try (FailOverControl control = pool.reached().control()) {
            List<ReplicaAside.Moved> moved = List.of();
            switch (action) {
                case switchover -> control.switchOver(to, Duration.ofSeconds(wait));
                case pause -> control.pause();
                case resume -> control.resume();
                case reinit -> moved = moveAside(control);
                default -> output.begin("asking the store");
            }
            print(control, moved);
        }
        return 0;
    }

    private List<ReplicaAside.Moved> moveAside(FailOverControl control) {
        return Promotion.of(copy)
                .aside()
                .move(
                        SUFFIX.format(Instant.now()),
                        () -> control.requireLeftOut(node, copy, isOfThisPool));
    }

    private void print(FailOverControl control, List<ReplicaAside.Moved> moved) {
        try (Report report = output.report()) {
            // Before the store is asked again, which may fail.
            report.rows("moved", moved.stream().map(ReplicaAside.Moved::toString).toList());
            if (!moved.isEmpty()) {
                report.line(
                        "next",
                        "the writer makes the copy anew; start the program of "
                                + node
                                + " when the set has it; keep what was moved until nobody can need"
                                + " what it holds");
            }
            FailOverState state = control.lookForNames();
            report.line("term", state.term());
            report.line("writer", state.writer());
            report.line("set", state.set(), String.join(", ", state.set()));
            report.line("number", state.number());
            report.line(
                    "leader",
                    state.leader(),
                    state.leader().isEmpty()
                            ? "nobody"
                            : state.leader() + " (process " + state.pid() + ")");
            report.line("machine", state.machine());
            report.line("endpoint", state.endpoint());
            report.line("waiting", state.waiting(), String.join(", ", state.waiting()));
            report.line("paused", state.paused());
            report.line("ordered", state.ordered());
            report.rows(
                    "reasons",
                    state.reasons().entrySet().stream()
                            .map(one -> one.getKey() + " waits: " + one.getValue())
                            .toList());
            report.rows("attention", state.attention());
        }
    }
}
