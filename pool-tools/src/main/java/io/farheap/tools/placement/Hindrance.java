package io.farheap.tools.placement;

import io.farheap.availability.CataloguedPool;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Why nothing may be proposed for a pool, whatever the machines have room for. */
final class Hindrance {
    private Hindrance() {}

    /**
     * A sentence with what to do first; empty: something may be proposed.
     *
     * @param byNode the machines
     */
    static String of(CataloguedPool pool, Map<String, Machine> byNode, PlacementRules rules) {
        if (!pool.attention().isEmpty()) {
            return String.join("; ", pool.attention()) + whereOneIsLost(pool);
        }
        if (pool.degraded().isEmpty()) {
            return "which nodes have a copy is not known: nobody writes, or a version that does not"
                    + " say it";
        }
        if (pool.degraded().get()) {
            return "it is degraded: not all of its copies have every commit";
        }
        if (!pool.nodes().containsAll(pool.set())) {
            return "the record's set has nodes that the writer does not name: "
                    + String.join(", ", without(pool.set(), pool.nodes()));
        }
        if (pool.nodes().stream().noneMatch(byNode::containsKey)) {
            return String.format(
                    "none of its nodes (%s) is one of the machines: is the file that of this"
                            + " cluster?",
                    String.join(", ", pool.nodes()));
        }
        return ofMachines(pool, byNode, rules);
    }

    /** What is to be done by hand, and in which order. */
    private static String whereOneIsLost(CataloguedPool pool) {
        return pool.missing().isEmpty()
                ? ""
                : String.format(
                        ": wait until the set has %1$s again. If that machine is lost for good, add"
                                + " another node's line first, farheap reload, and take the line of"
                                + " %1$s out when the new copy is ATTACHED"
                                + " (docs/high-availability.md#another-node)",
                        String.join(", ", pool.missing()));
    }

    private static String ofMachines(
            CataloguedPool pool, Map<String, Machine> byNode, PlacementRules rules) {
        for (String node : new TreeMap<>(byNode).keySet()) {
            Machine machine = byNode.get(node);
            if (!pool.nodes().contains(node)) {
                continue;
            }
            if (!machine.silence().isEmpty()) {
                return "the agent of " + node + " does not answer: " + machine.silence();
            }
            if (rules.labelOf(machine) == null) {
                return "its copy's machine " + node + " has no label " + rules.spread();
            }
        }
        return "";
    }

    private static List<String> without(List<String> names, List<String> others) {
        return names.stream().filter(name -> !others.contains(name)).toList();
    }
}
