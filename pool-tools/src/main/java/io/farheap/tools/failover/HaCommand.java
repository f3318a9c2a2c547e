package io.farheap.tools.failover;

import io.farheap.availability.FailOverControl;
import io.farheap.availability.FailOverState;
import io.farheap.availability.RecordRepair;
import io.farheap.base.FarheapException;
import io.farheap.tools.destruction.Consent;
import io.farheap.tools.destruction.Destruction;
import io.farheap.tools.report.Output;
import io.farheap.tools.report.Report;
import java.io.IOException;
import java.nio.file.Path;
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
                    + " nobody takes over until resume. These ask the store only, from any machine"
                    + " that reaches it, and none of them loses a commit.",
            "",
            "The others are a person's decisions, made on a node with a copy. They show the record"
                    + " and what each copy holds, and ask. force has this node's copy go on where"
                    + " every copy of the set is lost, which are named: what they had and this one"
                    + " has not is lost to the pool. rebase writes the record anew, by what the"
                    + " copies say, where the store was restored from a backup or is empty. Neither"
                    + " touches another copy: those named are set apart, and no writer writes to"
                    + " them until discard, run on their node, has given them up."
        },
        footer = {
            "",
            "Examples:",
            "  farheap ha status --store etcd:http://e1:2379,http://e2:2379 --pool bank",
            "  farheap ha switchover --to b --store etcd:http://e1:2379 --pool bank",
            "  farheap ha pause --store etcd:http://e1:2379 --pool bank",
            "  farheap ha force x --copy y --from b --lost a --store etcd:http://e --pool x",
            "  farheap ha rebase x.set --copy y.set --node b --store etcd:http://e --pool x",
            "  farheap ha discard x.set --copy y.set --node a --store etcd:http://e --pool x"
        },
        mixinStandardHelpOptions = true)
public final class HaCommand implements Callable<Integer> {
    private enum Action {
        status,
        switchover,
        pause,
        resume,
        force,
        rebase,
        discard;

        boolean repairs() {
            return compareTo(force) >= 0;
        }
    }

    @Parameters(index = "0", paramLabel = "ACTION", description = "${COMPLETION-CANDIDATES}")
    private Action action;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "POOLSET",
            description =
                    "force, rebase, discard: the poolset file that the program of this node opens,"
                            + " which names the other nodes' copies")
    private Path poolset;

    @Option(names = "--to", paramLabel = "NODE", description = "switchover: who is to write")
    private String to;

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "switchover: when to give it up; default: ${DEFAULT-VALUE}")
    private int wait;

    @Mixin private RepairOptions repairs;

    @Mixin private PoolInStore pool;

    @Mixin private Consent consent;

    @Mixin private Output output;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if ((action == Action.switchover) != (to != null)) {
            throw FarheapException.wrongUse("Say with --to which node is to write: switchover.");
        }
        if (action.repairs()) {
            repair();
            return 0;
        }
        repairs.requireNone(poolset);
        try (FailOverControl control = pool.reached().control()) {
            switch (action) {
                case switchover -> control.switchOver(to, Duration.ofSeconds(wait));
                case pause -> control.pause();
                case resume -> control.resume();
                default -> output.begin("asking the store");
            }
            print(control.look());
        }
        return 0;
    }

    private void repair() throws IOException {
        output.begin("asking the store and the copies");
        try (RecordRepair repair =
                repairs.repair(
                        pool.reached(),
                        poolset,
                        action == Action.force,
                        action == Action.discard)) {
            RepairRun run = new RepairRun(repair, new Destruction(consent, output), output);
            switch (action) {
                case force -> run.run(repair.force(repairs.lost()), "have this copy go on");
                case rebase -> run.run(repair.rebase(repairs.lost()), "write the record anew");
                default -> run.discard(repairs.discarded());
            }
        }
    }

    private void print(FailOverState state) {
        try (Report report = output.report()) {
            report.line("term", state.term());
            report.line("writer", state.writer());
            report.line("set", state.set(), String.join(", ", state.set()));
            report.line(
                    "set apart",
                    state.apart(),
                    state.apart().isEmpty() ? "none" : String.join(", ", state.apart()));
            report.line("number", state.number());
            report.line(
                    "leader",
                    state.leader(),
                    state.leader().isEmpty()
                            ? "nobody"
                            : state.leader() + " (process " + state.pid() + ")");
            report.line("endpoint", state.endpoint());
            report.line("waiting", state.waiting(), String.join(", ", state.waiting()));
            report.line("paused", state.paused());
            report.line("ordered", state.ordered());
        }
    }
}
