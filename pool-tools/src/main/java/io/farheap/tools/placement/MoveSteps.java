package io.farheap.tools.placement;

import io.farheap.availability.CataloguedPool;
import io.farheap.tools.placement.MoveStep.Action;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The steps of docs/high-availability.md#another-node, for one pool. Each says when to go on in
 * words that {@code farheap ha status} prints.
 */
final class MoveSteps {
    private final CataloguedPool pool;
    private final List<Machine> chosen;
    private final List<Machine> comes;
    private final String store;
    private final List<MoveStep> steps = new ArrayList<>();

    private MoveSteps(
            CataloguedPool pool, List<Machine> chosen, List<Machine> comes, String store) {
        this.pool = pool;
        this.chosen = chosen;
        this.comes = comes;
        this.store = store;
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
            String store) {
        MoveSteps move = new MoveSteps(pool, chosen, comes, store);
        if (!comes.isEmpty()) {
            move.add();
        }
        move.start();
        if (!leaves.isEmpty()) {
            move.remove(List.copyOf(leaves));
        }
        return move.steps;
    }

    private void add() {
        for (Machine machine : comes) {
            step(
                    Action.PREPARE,
                    machine.node(),
                    String.format(
                            "write %s in the agent's poolset directory, which must not be there"
                                    + " yet: PMEMPOOLSET, and part lines of the same sizes as in %s"
                                    + " on %s, the first one at %s; and %s, which has besides"
                                    + " %s%s. If one of these files, or a part, is there, stop: it"
                                    + " is another pool's or another try's",
                            machine.copyFile(pool.pool()),
                            file(),
                            pool.leader(),
                            machine.partFile(pool.pool()),
                            file(),
                            linesThatThereAre(),
                            comes.size() > 1 ? ", and these lines" : ""),
                    lines(comes.stream().filter(each -> each != machine)),
                    "");
        }
        step(
                Action.ADD,
                pool.leader(),
                "add to " + file(),
                lines(comes.stream()),
                "farheap reload " + file());
        waitFor(
                "go on when farheap reload has ended with exit code 0, and when the set is "
                        + whole()
                        + ": from then on every commit is there. To go back, take what was added"
                        + " out of "
                        + file()
                        + ", and reload it again");
    }

    /**
     * Of those that leave, too: until they have left, whoever writes has their copies. How a copy's
     * poolset file is called where it was not placed here, poolset files alone tell.
     */
    private String linesThatThereAre() {
        return pool.nodes().size() == 1
                ? String.format(
                        "the REPLICA line of %s: its address, and what its program calls its copy",
                        pool.leader())
                : String.format(
                        "the REPLICA line of each of %s, word for word as %s has it on another one"
                                + " of them",
                        String.join(", ", new TreeSet<>(pool.nodes())), file());
    }

    /** Also where a move was cut before this, and nobody comes any more. */
    private void start() {
        List<String> idle = chosen.stream().map(Machine::node).filter(this::isIdle).toList();
        if (idle.isEmpty() && comes.isEmpty()) {
            return;
        }
        TreeSet<String> others = new TreeSet<>(pool.nodes());
        others.remove(pool.leader());
        if (!others.isEmpty()) {
            step(
                    Action.NAME,
                    String.join(", ", others),
                    String.format(
                            "see to it that %s has, but for the node's own, %s%s",
                            file(),
                            linesThatThereAre(),
                            comes.isEmpty() ? "" : ", and these lines"),
                    lines(comes.stream()),
                    "");
        }
        if (!idle.isEmpty()) {
            step(
                    Action.START,
                    String.join(", ", idle),
                    "start the pool's program, which waits for its turn",
                    List.of(),
                    "");
        }
    }

    private List<String> lines(Stream<Machine> machines) {
        return machines.map(each -> each.replicaLine(pool.pool())).toList();
    }

    private boolean isIdle(String node) {
        return !node.equals(pool.leader()) && !pool.waiting().contains(node);
    }

    private void remove(List<String> leaves) {
        String writer = writerThen(leaves);
        String nodes = String.join(", ", leaves);
        if (!writer.equals(pool.leader())) {
            step(
                    Action.SWITCH_OVER,
                    "",
                    "when the program on " + writer + " waits for its turn",
                    List.of(),
                    "farheap ha switchover --to " + writer + ofPool());
            waitFor("go on when the leader is " + writer + ", and the set is " + whole());
        }
        step(
                Action.REMOVE,
                writer,
                "take the lines of " + nodes + " out of " + file(),
                List.of(),
                "farheap reload " + file());
        waitFor(
                String.format(
                        "go on only when farheap reload has ended with exit code 0, and the set has"
                                + " no %s any more; else stop here",
                        String.join(", and no ", leaves)));
        step(
                Action.RETIRE,
                "",
                String.format(
                        "take them out of %s on the other nodes, then end the program on %s. The"
                                + " copy's files stay there until you remove them: only while the"
                                + " set has no %s, and before place is run again, for which the"
                                + " machine is as full as it was until then",
                        file(), nodes, String.join(", and no ", leaves)),
                List.of(),
                "");
    }

    /** Who writes when it is time to remove: who waits for its turn already, if there is one. */
    private String writerThen(Collection<String> leaves) {
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

    /** The set before anybody leaves, as it is printed. */
    private String whole() {
        TreeSet<String> set = new TreeSet<>(pool.nodes());
        comes.forEach(machine -> set.add(machine.node()));
        return String.join(", ", set);
    }

    private void waitFor(String what) {
        step(Action.WAIT, "", what, List.of(), "farheap ha status" + ofPool());
    }

    private String file() {
        return pool.pool() + ".set";
    }

    private String ofPool() {
        return " --pool " + pool.pool() + " " + store;
    }

    private void step(Action action, String node, String what, List<String> lines, String command) {
        steps.add(new MoveStep(action, node, what, lines, command));
    }
}
