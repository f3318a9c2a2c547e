package io.farheap.tools.failover;

import io.farheap.tools.placement.Machine;
import io.farheap.tools.placement.MoveStep;
import io.farheap.tools.placement.NewPool;
import io.farheap.tools.placement.PlacementRules;
import io.farheap.tools.placement.PoolMove;
import io.farheap.tools.report.Output;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Where copies go, for a person. */
final class PlaceText {
    private final PrintWriter out;
    private final PlacementRules rules;

    PlaceText(Output output, PlacementRules rules) {
        this.out = output.writer();
        this.rules = rules;
    }

    void printNew(List<NewPool> pools) {
        for (NewPool pool : pools) {
            out.println(pool.pool() + ": " + rules.apart(rules.copies()));
            for (Machine machine : pool.machines()) {
                boolean writer = machine == pool.machines().get(0);
                out.println("  " + named(machine) + (writer ? "; writes first" : ""));
                out.println("    " + machine.partLine(pool.pool(), rules.size()));
                out.println("    " + machine.replicaLine(pool.pool()));
            }
            print(pool.leftOut());
        }
        out.println(
                "On each node, the copy's poolset file has PMEMPOOLSET and its own part line; the"
                        + " file that its program opens has the other nodes' REPLICA lines, too.");
        out.flush();
    }

    private static String named(Machine machine) {
        String labels =
                machine.labels().entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(label -> ", " + label.getKey() + " " + label.getValue())
                        .collect(Collectors.joining());
        return machine.node() + labels;
    }

    private void print(Map<String, String> leftOut) {
        leftOut.forEach((node, why) -> out.println("  left out: " + node + ": " + why));
    }

    /**
     * @param leftOut machines that take no new copy
     */
    void printMoves(List<PoolMove> moves, Map<String, String> leftOut) {
        for (PoolMove move : moves) {
            if (!move.noProposal().isEmpty()) {
                out.println(move.pool() + ": nothing is proposed: " + move.noProposal());
            } else if (!move.isInPlace()) {
                print(move);
            }
        }
        long some = moves.stream().filter(move -> !move.steps().isEmpty()).count();
        long none = moves.stream().filter(move -> !move.noProposal().isEmpty()).count();
        print(leftOut);
        out.printf(
                "pools: %d, with something to do: %d, without a proposal: %d%n",
                moves.size(), some, none);
        if (some > 0) {
            out.println(
                    "Nothing was done. NAME.set stands for the poolset file that the pool's program"
                            + " opens on that node.");
        }
        out.flush();
    }

    private void print(PoolMove move) {
        out.println(move.pool() + ": " + move.writer() + " writes");
        move.comes().forEach(machine -> out.println("  comes: " + named(machine)));
        move.leaves().forEach((node, why) -> out.println("  leaves: " + node + ": " + why));
        int number = 1;
        for (MoveStep step : move.steps()) {
            String where = step.node().isEmpty() ? "" : "on " + step.node() + ": ";
            out.println("  " + number++ + ". " + where + step.what());
            step.lines().forEach(line -> out.println("       " + line));
            if (!step.command().isEmpty()) {
                out.println("       " + step.command());
            }
        }
    }
}
