package io.farheap.tools.placement;

import io.farheap.availability.CataloguedPool;
import io.farheap.tools.placement.MoveStep.Action;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** The steps of docs/high-availability.md#another-node, for one pool. */
final class MoveSteps {
    private final CataloguedPool pool;
    private final String store;
    private final long size;
    private final List<MoveStep> steps = new ArrayList<>();

    private MoveSteps(CataloguedPool pool, String store, long size) {
        this.pool = pool;
        this.store = store;
        this.size = size;
    }

    /**
     * @param chosen who is to have a copy, the best place first
     * @param comes of these, who has none yet
     * @param leaves nodes that are to have none any more
     * @param store how the store is named on a command line, the pool's cluster with it
     */
    static List<MoveStep> of(
            CataloguedPool pool,
            List<Machine> chosen,
            List<Machine> comes,
            Collection<String> leaves,
            String store,
            long size) {
        MoveSteps move = new MoveSteps(pool, store, size);
        if (!comes.isEmpty()) {
            move.add(comes);
        }
        if (!leaves.isEmpty()) {
            move.remove(writerThen(pool, chosen, leaves), List.copyOf(leaves));
        }
        return move.steps;
    }

    /** Who writes when it is time to remove: who waits for its turn already, if there is one. */
    private static String writerThen(
            CataloguedPool pool, List<Machine> chosen, Collection<String> leaves) {
        if (!leaves.contains(pool.leader())) {
            return pool.leader();
        }
        List<String> stay =
                chosen.stream().map(Machine::node).filter(pool.nodes()::contains).toList();
        return stay.stream()
                .filter(pool.waiting()::contains)
                .findFirst()
                .or(() -> stay.stream().findFirst())
                .orElseGet(() -> chosen.get(0).node());
    }

    private void add(List<Machine> comes) {
        String writer = pool.leader();
        for (Machine machine : comes) {
            step(
                    Action.PREPARE,
                    machine.node(),
                    String.format(
                            "write %s in the agent's poolset directory (PMEMPOOLSET, and: %s), and"
                                    + " %s, which names the other nodes besides",
                            machine.copyFile(pool.pool()),
                            machine.partLine(pool.pool(), size),
                            file()),
                    "");
        }
        String lines =
                String.join(
                        ", ", comes.stream().map(each -> each.replicaLine(pool.pool())).toList());
        String nodes = String.join(", ", comes.stream().map(Machine::node).toList());
        step(Action.ADD, writer, "add to " + file() + ": " + lines, "farheap reload " + file());
        step(
                Action.WAIT,
                "",
                "go on when farheap reload has ended with exit code 0, and when the set has "
                        + nodes
                        + ", too: from then on every commit is there",
                "farheap ha status" + ofPool());
        TreeSet<String> others = new TreeSet<>(pool.nodes());
        others.remove(writer);
        if (!others.isEmpty()) {
            step(Action.NAME, String.join(", ", others), "add the same lines to " + file(), "");
        }
        step(Action.START, nodes, "start the pool's program, which waits for its turn", "");
    }

    private void remove(String writer, List<String> leaves) {
        if (!writer.equals(pool.leader())) {
            step(
                    Action.SWITCH_OVER,
                    "",
                    "when the program on " + writer + " waits for its turn",
                    "farheap ha switchover --to " + writer + ofPool());
            step(
                    Action.WAIT,
                    "",
                    "go on when " + writer + " writes, and the pool is whole",
                    "farheap ha status" + ofPool());
        }
        String nodes = String.join(", ", leaves);
        step(
                Action.REMOVE,
                writer,
                "take the lines of " + nodes + " out of " + file(),
                "farheap reload " + file());
        step(
                Action.RETIRE,
                "",
                String.format(
                        "take them out of %s on the other nodes, then end the program on %s; the"
                                + " copy's files stay there until you remove them",
                        file(), nodes),
                "");
    }

    private String file() {
        return pool.pool() + ".set";
    }

    private String ofPool() {
        return " --pool " + pool.pool() + " " + store;
    }

    private void step(Action action, String node, String what, String command) {
        steps.add(new MoveStep(action, node, what, command));
    }
}
