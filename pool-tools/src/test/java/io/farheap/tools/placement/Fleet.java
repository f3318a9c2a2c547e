package io.farheap.tools.placement;

import io.farheap.availability.CataloguedPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Machines and pools of tests. */
final class Fleet {
    static final long GIB = 1L << 30;

    private Fleet() {}

    /** A machine with that much free; null: not known. */
    static Machine machine(String node, String zone, Long room) {
        return new Machine(node, node, "/srv/pools", "", Map.of("zone", zone), null, room, "");
    }

    /** A machine that counts as so many GiB. */
    static Machine weighing(String node, String zone, double weight) {
        return new Machine(node, node, "/srv/pools", "", Map.of("zone", zone), weight, null, "");
    }

    /** So many alike, one after the other in zones z0, z1 and so on. */
    static List<Machine> machines(int count, int zones) {
        return IntStream.range(0, count)
                .mapToObj(i -> machine("m" + i, "z" + i % zones, 1000 * GIB))
                .toList();
    }

    static List<Machine> with(List<Machine> machines, Machine... more) {
        List<Machine> all = new ArrayList<>(machines);
        all.addAll(List.of(more));
        return all;
    }

    static List<Machine> without(List<Machine> machines, String node) {
        return machines.stream().filter(machine -> !machine.node().equals(node)).toList();
    }

    /** The same machines, with one in another's place of that name. */
    static List<Machine> replaced(List<Machine> machines, Machine by) {
        return machines.stream()
                .map(machine -> machine.node().equals(by.node()) ? by : machine)
                .toList();
    }

    static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "p" + i).toList();
    }

    /** A pool that is whole; the first node writes, and programs wait on the others. */
    static CataloguedPool pool(String name, String... nodes) {
        return pool(name, List.of(nodes), List.of(nodes), 1);
    }

    /**
     * @param set whose copies commits wait for; the first one writes
     * @param nodes that have a copy
     */
    static CataloguedPool pool(String name, List<String> set, List<String> nodes, int minCopies) {
        return pool(name, set, nodes, minCopies, set.subList(1, set.size()), false);
    }

    /**
     * @param waiting nodes whose programs wait for their turn
     * @param paused by a person's order
     */
    static CataloguedPool pool(
            String name,
            List<String> set,
            List<String> nodes,
            int minCopies,
            List<String> waiting,
            boolean paused) {
        return new CataloguedPool(
                "main",
                name,
                7,
                set.get(0),
                set,
                set.get(0),
                7,
                "",
                Optional.empty(),
                nodes,
                minCopies,
                waiting,
                paused,
                "",
                Map.of());
    }

    /** The pools that there are when these are placed. */
    static List<CataloguedPool> placed(List<NewPool> pools) {
        return pools.stream()
                .map(
                        each ->
                                pool(
                                        each.pool(),
                                        each.machines().stream()
                                                .map(Machine::node)
                                                .toArray(String[]::new)))
                .toList();
    }
}
