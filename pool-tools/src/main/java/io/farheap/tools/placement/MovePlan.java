package io.farheap.tools.placement;

import io.farheap.availability.CataloguedPool;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which copies of the pools that there are would have to be elsewhere: those on machines that are
 * no more to have any or that are full, and those that rendezvous hashing has elsewhere by now.
 *
 * <p>A copy stays where it is unless another place is clearly better: a machine counts a quarter
 * more for the pools that it has, and what these take of it does not make it count less. So figures
 * that move a little move no copy.
 */
public final class MovePlan {
    private static final double STAYING = 1.25;

    /** More than any machine counts beside another. */
    private static final double STAYING_IN_ANY_CASE = 1e30;

    private final List<CataloguedPool> pools;
    private final List<Machine> machines;
    private final Map<String, CataloguedPool> byName = new HashMap<>();
    private final Map<String, Machine> byNode = new HashMap<>();
    private final PlacementRules rules;
    private final String store;

    /** Copies of each node. */
    private final Map<String, Integer> held = new HashMap<>();

    private MovePlan(
            List<CataloguedPool> all,
            Set<String> concerned,
            List<Machine> machines,
            PlacementRules rules,
            String store) {
        this.pools =
                all.stream()
                        .filter(pool -> concerned.isEmpty() || concerned.contains(pool.pool()))
                        .sorted(Comparator.comparing(CataloguedPool::pool))
                        .toList();
        this.machines = machines;
        this.rules = rules;
        this.store = store;
        pools.forEach(pool -> byName.put(pool.pool(), pool));
        machines.forEach(machine -> byNode.put(machine.node(), machine));
        for (CataloguedPool pool : all) {
            nodesOf(pool).forEach(node -> held.merge(node, 1, Integer::sum));
        }
    }

    /**
     * Says what is to be done about each pool, in the order of their names; the same for the same
     * arguments.
     *
     * @param all pools of one cluster
     * @param concerned names of those that may be moved; empty: all
     * @param rules where these say no number of copies, each pool keeps as many as it has; where
     *     they say fewer than that, those leave that have to, as long as so many are left
     * @param store how the store is named on a command line, the cluster with it
     */
    public static List<PoolMove> of(
            List<CataloguedPool> all,
            Set<String> concerned,
            List<Machine> machines,
            PlacementRules rules,
            String store) {
        MovePlan plan = new MovePlan(all, concerned, machines, rules, store);
        return plan.moves(plan.exodus(plan.moves(Map.of()))).stream().map(plan::answered).toList();
    }

    /** Nothing is taken away only because fewer are asked for, and that is said. */
    private PoolMove answered(PoolMove move) {
        CataloguedPool pool = byName.get(move.pool());
        return move.isInPlace() && hasMore(pool)
                ? PoolMove.none(
                        pool.pool(),
                        pool.leader(),
                        String.format(
                                "it has %d copies, %d are asked for, and none has to leave: none is"
                                        + " taken away only for that; where a move was begun, end"
                                        + " that by its steps",
                                pool.nodes().size(), copies(pool)))
                : move;
    }

    /** The machines that take no new copy, and why. */
    public static Map<String, String> leftOut(List<Machine> machines, PlacementRules rules) {
        return new Rooms(rules).leftOut(machines);
    }

    private static List<String> nodesOf(CataloguedPool pool) {
        return pool.nodes().isEmpty() ? pool.set() : pool.nodes();
    }

    /**
     * @param exodus nodes that are full, of each pool that is to leave them
     */
    private List<PoolMove> moves(Map<String, Set<String>> exodus) {
        Rooms rooms = new Rooms(rules);
        List<PoolMove> moves = new ArrayList<>();
        for (CataloguedPool pool : pools) {
            moves.add(move(pool, rooms, exodus.getOrDefault(pool.pool(), Set.of())));
        }
        return moves;
    }

    /** As many copies leave a full machine as free its margin, those first that fit it least. */
    private Map<String, Set<String>> exodus(List<PoolMove> moves) {
        Map<String, Set<String>> exodus = new HashMap<>();
        for (Machine machine : machines) {
            if (!isFull(machine)) {
                continue;
            }
            long lacks = Math.ceilDiv(rules.margin() - machine.room(), rules.size());
            lacks -= moves.stream().filter(move -> leaves(move, machine)).count();
            moves.stream()
                    .filter(move -> mayLeave(move, machine))
                    .map(PoolMove::pool)
                    .sorted(
                            Comparator.comparingDouble(
                                    pool -> Rendezvous.score(pool, machine.node(), 1)))
                    .limit(Math.max(0, lacks))
                    .forEach(
                            pool ->
                                    exodus.computeIfAbsent(pool, name -> new HashSet<>())
                                            .add(machine.node()));
        }
        return exodus;
    }

    private boolean isFull(Machine machine) {
        return machine.room() != null && machine.room() < rules.margin();
    }

    private static boolean leaves(PoolMove move, Machine machine) {
        return move.leaves().containsKey(machine.node());
    }

    private boolean mayLeave(PoolMove move, Machine machine) {
        return move.noProposal().isEmpty()
                && !leaves(move, machine)
                && byName.get(move.pool()).nodes().contains(machine.node());
    }

    private PoolMove move(CataloguedPool pool, Rooms rooms, Set<String> full) {
        String why = Hindrance.of(pool, byNode, rules);
        if (!why.isEmpty()) {
            return PoolMove.none(pool.pool(), pool.leader(), why);
        }
        int copies = copies(pool);
        List<Contender> contenders = contenders(pool, rooms, full);
        List<Machine> chosen = chosen(pool, contenders, copies);
        if (chosen.size() < copies) {
            return PoolMove.none(
                    pool.pool(),
                    pool.leader(),
                    String.format(
                            "no place for %s: %s%s",
                            rules.apart(copies),
                            Contender.shortage(contenders, rules),
                            rules.copies() == 0
                                    ? "; it has so many: where a move was begun, end that by its"
                                            + " steps, or say how many are to be left by --copies"
                                    : ""));
        }
        List<Machine> comes =
                chosen.stream().filter(each -> !pool.nodes().contains(each.node())).toList();
        Optional<Machine> otherwise = comes.isEmpty() ? Optional.empty() : named(pool, comes);
        if (otherwise.isPresent()) {
            return PoolMove.none(
                    pool.pool(),
                    pool.leader(),
                    String.format(
                            "%s would come, and %s has another name than its host: no node is added"
                                    + " then while the pool is open",
                            String.join(", ", comes.stream().map(Machine::node).toList()),
                            otherwise.get().node()));
        }
        comes.forEach(rooms::plan);
        Map<String, String> leaves = leaves(pool, chosen, full);
        return new PoolMove(
                pool.pool(),
                pool.leader(),
                comes,
                leaves,
                "",
                MoveSteps.of(pool, chosen, comes, leaves.keySet(), store));
    }

    private int copies(CataloguedPool pool) {
        return rules.copies() == 0
                ? pool.nodes().size()
                : Math.max(rules.copies(), pool.minCopies());
    }

    /** Whether fewer copies are enough: a move that was begun and not ended has one too many. */
    private boolean hasMore(CataloguedPool pool) {
        return copies(pool) < pool.nodes().size();
    }

    /** Who is to have a copy; where there are more than enough, all of them that may. */
    private List<Machine> chosen(CataloguedPool pool, List<Contender> contenders, int copies) {
        if (hasMore(pool)) {
            List<Contender> have =
                    contenders.stream()
                            .filter(each -> pool.nodes().contains(each.machine().node()))
                            .toList();
            List<Machine> stay = Contender.best(have, pool.nodes().size(), rules);
            if (stay.size() >= copies) {
                return stay;
            }
        }
        return Contender.best(contenders, copies, rules);
    }

    /** One because of which none is added by reload: docs/high-availability.md#another-node. */
    private Optional<Machine> named(CataloguedPool pool, List<Machine> comes) {
        return machines.stream()
                .filter(each -> comes.contains(each) || pool.nodes().contains(each.node()))
                .filter(each -> !each.isNamedByHost())
                .findFirst();
    }

    private List<Contender> contenders(CataloguedPool pool, Rooms rooms, Set<String> full) {
        List<Contender> contenders = new ArrayList<>();
        for (Machine machine : machines) {
            boolean stays = pool.nodes().contains(machine.node());
            if (stays
                    ? machine.isRetired() || full.contains(machine.node())
                    : !rooms.takes(machine)) {
                continue;
            }
            contenders.add(new Contender(machine, score(pool, machine, stays)));
        }
        return contenders;
    }

    private double score(CataloguedPool pool, Machine machine, boolean stays) {
        if (!machine.hasClaim()) {
            return Double.POSITIVE_INFINITY; // it has a copy, and nothing is known against that
        }
        double copies = held.getOrDefault(machine.node(), 0);
        double claim = machine.claim(copies * rules.size()) * (stays ? staying(pool) : 1);
        return Rendezvous.score(pool.pool(), machine.node(), claim);
    }

    private double staying(CataloguedPool pool) {
        return rules.onlyNeeded() || hasMore(pool) ? STAYING_IN_ANY_CASE : STAYING;
    }

    private Map<String, String> leaves(
            CataloguedPool pool, List<Machine> chosen, Set<String> full) {
        Map<String, String> leaves = new LinkedHashMap<>();
        for (String node : pool.nodes()) {
            if (chosen.stream().noneMatch(machine -> machine.node().equals(node))) {
                leaves.put(node, reason(pool, node, full));
            }
        }
        return leaves;
    }

    private String reason(CataloguedPool pool, String node, Set<String> full) {
        Machine machine = byNode.get(node);
        if (machine == null) {
            return "it is none of the machines";
        }
        if (machine.isRetired()) {
            return "its weight is 0";
        }
        if (full.contains(node)) {
            return "it is full: " + Rooms.text(machine.room()) + " are free";
        }
        String label = rules.labelOf(machine);
        for (String other : pool.nodes()) {
            if (!other.equals(node)
                    && byNode.containsKey(other)
                    && label.equals(rules.labelOf(byNode.get(other)))) {
                return "it is of the same " + rules.spread() + " as " + other;
            }
        }
        return "another machine is the better place by now";
    }
}
