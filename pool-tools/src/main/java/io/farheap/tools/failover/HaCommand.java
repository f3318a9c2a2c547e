package io.farheap.tools.failover;

import io.farheap.availability.FailOverControl;
import io.farheap.availability.FailOverState;
import io.farheap.base.FarheapException;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import java.io.IOException;
import java.time.Duration;
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
                    + " reaches it, and no order loses a commit."
        },
        footer = {
            "",
            "Examples:",
            "  farheap ha status --store etcd:http://e1:2379,http://e2:2379 --pool bank",
            "  farheap ha switchover --to b --store etcd:http://e1:2379 --pool bank",
            "  farheap ha pause --store etcd:http://e1:2379 --pool bank"
        },
        mixinStandardHelpOptions = true)
public final class HaCommand implements Callable<Integer> {
    private enum Action {
        status,
        switchover,
        pause,
        resume
    }

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

    @Mixin private PoolInStore pool;

    @Mixin private Output output;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if ((action == Action.switchover) != (to != null)) {
            throw FarheapException.wrongUse("Say with --to which node is to write: switchover.");
        }
        try (FailOverControl control = pool.reached().control()) {
            switch (action) {
                case switchover -> control.switchOver(to, Duration.ofSeconds(wait));
                case pause -> control.pause();
                case resume -> control.resume();
                default -> output.begin("asking the store");
            }
            print(control.lookForNames());
        }
        return 0;
    }

    private void print(FailOverState state) {
        try (Report report = output.report()) {
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
