package io.farheap.tools.placement;

import static io.farheap.tools.placement.Fleet.GIB;
import static io.farheap.tools.placement.Fleet.machine;
import static io.farheap.tools.placement.Fleet.machines;
import static io.farheap.tools.placement.Fleet.names;
import static io.farheap.tools.placement.Fleet.placed;
import static io.farheap.tools.placement.Fleet.pool;
import static io.farheap.tools.placement.Fleet.replaced;
import static io.farheap.tools.placement.Fleet.weighing;
import static io.farheap.tools.placement.Fleet.with;
import static io.farheap.tools.placement.Fleet.without;
import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.availability.CataloguedPool;
import io.farheap.tools.placement.MoveStep.Action;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MovePlanTest {
    private static final String STORE = "--store etcd:http://e1:2379";
    private static final PlacementRules AS_MANY = rules(0);

    private static PlacementRules rules(int copies) {
        return new PlacementRules(copies, "zone", GIB / 1000, GIB);
    }

    private static List<PoolMove> plan(List<CataloguedPool> pools, List<Machine> machines) {
        return MovePlan.of(pools, Set.of(), machines, AS_MANY, STORE);
    }

    private static PoolMove plan(CataloguedPool pool, List<Machine> machines) {
        return plan(List.of(pool), machines).get(0);
    }

    private static List<CataloguedPool> pools(int count, List<Machine> machines) {
        return placed(NewPool.place(names(count), machines, rules(3)));
    }

    private static int copiesOn(String node, List<CataloguedPool> pools) {
        return (int) pools.stream().filter(pool -> pool.nodes().contains(node)).count();
    }

    private static List<String> comes(PoolMove move) {
        return move.comes().stream().map(Machine::node).toList();
    }

    @Test
    void whatWasPlacedStays() {
        List<Machine> machines = machines(12, 4);

        assertInPlace(plan(pools(500, machines), machines));
    }

    private static void assertInPlace(List<PoolMove> moves) {
        assertThat(moves.stream().filter(move -> !move.isInPlace())).isEmpty();
    }

    /** Copies take of what is free, and each machine's files grow and shrink besides. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void figuresThatMoveALittleMoveNothing(long seed) {
        List<Machine> machines = machines(12, 4);
        List<CataloguedPool> pools = pools(500, machines);
        PlacementRules large = new PlacementRules(0, "zone", 4 * GIB, GIB);
        Random random = new Random(seed);
        List<Machine> now = new ArrayList<>();
        for (Machine machine : machines) {
            long taken = 4 * GIB * copiesOn(machine.node(), pools);
            double noise = 0.9 + 0.2 * random.nextDouble();
            now.add(machine.withRoom((long) (noise * (machine.room() - taken))));
        }

        assertInPlace(MovePlan.of(pools, Set.of(), now, large, STORE));
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 12, 40})
    void aMachineThatComesTakesItsShareAtMost(int count) {
        List<Machine> machines = machines(count, 4);
        List<CataloguedPool> pools = pools(1000, machines);
        List<Machine> now = with(machines, machine("new", "z9", 1000 * GIB));

        List<PoolMove> moves = plan(pools, now);
        int moved = 0;
        for (PoolMove move : moves) {
            assertThat(move.noProposal()).isEmpty();
            assertThat(comes(move)).isSubsetOf("new").hasSize(move.leaves().size());
            moved += move.comes().size();
        }
        double fair = 3.0 * 1000 / (count + 1);
        assertThat(moved).isBetween((int) (fair / 3), (int) (1.2 * fair));

        List<CataloguedPool> then = carriedOut(pools, moves);
        List<Machine> later = new ArrayList<>();
        for (Machine machine : now) {
            int more = copiesOn(machine.node(), then) - copiesOn(machine.node(), pools);
            later.add(machine.withRoom(machine.room() - more * AS_MANY.size()));
        }
        assertInPlace(plan(then, later));
    }

    @Test
    void copiesOfAMachineThatIsGoneGoToAllOthers() {
        List<Machine> machines = machines(12, 4);
        List<CataloguedPool> pools = pools(1000, machines);

        List<PoolMove> moves = plan(pools, without(machines, "m3"));
        Set<String> targets = new HashSet<>();
        for (PoolMove move : moves) {
            assertThat(move.leaves().keySet()).isSubsetOf("m3");
            move.leaves().values().forEach(why -> assertThat(why).contains("none of the machines"));
            targets.addAll(comes(move));
        }
        assertThat(moves.stream().filter(move -> !move.isInPlace())).hasSize(copiesOn("m3", pools));
        assertThat(targets).hasSizeGreaterThan(8);
        assertThat(plan(pools, replaced(machines, weighing("m3", "z3", 0))))
                .as("a weight of 0 is the same, but for the reason")
                .usingElementComparator((one, other) -> one.comes().equals(other.comes()) ? 0 : 1)
                .isEqualTo(moves);
    }

    /** It lacks not quite two copies to its margin. */
    @Test
    void asManyCopiesLeaveAFullMachineAsFreeItsMargin() {
        List<Machine> machines = machines(12, 4);
        long copy = 100 << 20;
        PlacementRules rules = new PlacementRules(0, "zone", copy, GIB);
        List<CataloguedPool> pools = new ArrayList<>(pools(500, machines));
        Machine full = weighing("m5", "z1", 1000).withRoom(GIB - 2 * copy + 1);
        List<Machine> now = replaced(machines, full);

        List<PoolMove> moves = moved(pools, now, rules);
        assertThat(moves)
                .hasSize(2)
                .allSatisfy(
                        move -> {
                            assertThat(move.leaves()).containsOnlyKeys("m5");
                            assertThat(move.leaves().get("m5")).startsWith("it is full: 0.8 GiB");
                            assertThat(comes(move)).hasSize(1).doesNotContain("m5");
                        });

        CataloguedPool leavesAnyway =
                names(20).stream()
                        .map(name -> pool("twins-" + name, "m5", "m1"))
                        .filter(twins -> plan(twins, now).leaves().containsKey("m5"))
                        .findFirst()
                        .get();
        pools.add(leavesAnyway);
        List<PoolMove> others = moved(pools, now, rules);
        assertThat(others).hasSize(2);
        assertThat(others.stream().map(PoolMove::pool)).contains(leavesAnyway.pool());
    }

    private static List<PoolMove> moved(
            List<CataloguedPool> pools, List<Machine> machines, PlacementRules rules) {
        return MovePlan.of(pools, Set.of(), machines, rules, STORE).stream()
                .filter(move -> !move.isInPlace())
                .toList();
    }

    @Test
    void twoOfOneZonePart() {
        PoolMove move = plan(pool("bank", "a", "b"), zones("a:x", "b:x", "c:y"));

        assertThat(comes(move)).containsExactly("c");
        assertThat(move.leaves().values())
                .containsOnly(
                        move.leaves().containsKey("a")
                                ? "it is of the same zone as b"
                                : "it is of the same zone as a");
    }

    private static List<Machine> zones(String... nodes) {
        return List.of(nodes).stream()
                .map(node -> machine(node.split(":")[0], node.split(":")[1], 100 * GIB))
                .toList();
    }

    @Test
    void theStepsOfAMove() {
        PoolMove move = plan(pool("bank", "a", "b", "d"), zones("a:x", "b:y", "c:z"));

        assertThat(move.writer()).isEqualTo("a");
        assertThat(move.leaves()).containsExactly(Map.entry("d", "it is none of the machines"));
        assertThat(move.steps().stream().map(MoveStep::action))
                .containsExactly(
                        Action.PREPARE,
                        Action.ADD,
                        Action.WAIT,
                        Action.NAME,
                        Action.START,
                        Action.REMOVE,
                        Action.WAIT,
                        Action.RETIRE);
        assertThat(move.steps().get(0).what())
                .contains(
                        "bank-copy.set in the agent's poolset directory, which must not be there",
                        "part lines of the same sizes as in bank.set on a, the first one at"
                                + " /srv/pools/bank.part0",
                        "and bank.set, which has besides the REPLICA line of each of a, b, d, word"
                                + " for word as bank.set has it on another one of them. If",
                        "If one of these files, or a part, is there, stop");
        assertThat(move.steps().get(1))
                .isEqualTo(
                        new MoveStep(
                                Action.ADD,
                                "a",
                                "add to bank.set",
                                List.of("REPLICA c bank-copy.set"),
                                "farheap reload bank.set"));
        assertThat(move.steps().get(2).what())
                .contains("the set is a, b, c, d: ", "To go back, take what was added out");
        assertThat(move.steps().get(3).node()).isEqualTo("b, d");
        assertThat(move.steps().get(3).what())
                .isEqualTo(
                        "see to it that bank.set has, but for the node's own, the REPLICA line of"
                                + " each of a, b, d, word for word as bank.set has it on another one"
                                + " of them, and these lines");
        assertThat(move.steps().get(3).lines()).containsExactly("REPLICA c bank-copy.set");
        assertThat(move.steps().get(4).node()).isEqualTo("c");
        assertThat(move.steps().get(5))
                .isEqualTo(
                        new MoveStep(
                                Action.REMOVE,
                                "a",
                                "take the lines of d out of bank.set",
                                List.of(),
                                "farheap reload bank.set"));
        assertThat(move.steps().get(6).what())
                .contains("go on only when", "exit code 0", "the set has no d", "else stop here");
        assertThat(move.steps().get(7).what())
                .contains("only while the set has no d, and before place is run again");
    }

    /** Else it would be in place by the plan, and nobody could take over there. */
    @Test
    void whoHasACopyAndDoesNotWaitIsStarted() {
        List<String> three = List.of("a", "b", "c");
        PoolMove move =
                plan(
                        pool("bank", three, three, 1, List.of("b"), false),
                        zones("a:x", "b:y", "c:z"));

        assertThat(move.isInPlace()).isFalse();
        assertThat(move.steps().stream().map(MoveStep::action))
                .containsExactly(Action.NAME, Action.START);
        assertThat(move.steps().get(0).what())
                .endsWith(
                        "each of a, b, c, word for word as bank.set has it on another one of them");
        assertThat(move.steps().get(0).lines()).isEmpty();
        assertThat(move.steps().get(1).node()).isEqualTo("c");
    }

    /** It was cut when the new copy had come, and fewer are asked for than there are. */
    @Test
    void aMoveThatWasCutIsEndedByTheNumberOfCopies() {
        CataloguedPool cut = pool("bank", "a", "b", "gone", "c");
        List<Machine> machines = zones("a:x", "b:y", "c:z", "d:w");
        PoolMove move = MovePlan.of(List.of(cut), Set.of(), machines, rules(3), STORE).get(0);

        assertThat(move.comes()).isEmpty();
        assertThat(move.leaves()).containsOnlyKeys("gone");
        assertThat(move.steps().stream().map(MoveStep::action))
                .containsExactly(Action.REMOVE, Action.WAIT, Action.RETIRE);
        assertNothing(plan(cut, zones("a:x", "b:y", "c:z")), "say how many are to be left by");

        List<Machine> full = replaced(with(machines, machine("gone", "v", GIB / 2)), full("a"));
        assertThat(MovePlan.of(List.of(cut), Set.of(), full, rules(2), STORE).get(0).leaves())
                .as("both that are full, and no other")
                .containsOnlyKeys("a", "gone");
        assertThat(MovePlan.of(List.of(cut), Set.of(), full, rules(3), STORE).get(0))
                .as("one comes first where too few would be left")
                .satisfies(three -> assertThat(comes(three)).containsExactly("d"))
                .satisfies(three -> assertThat(three.leaves()).containsOnlyKeys("a", "gone"));
        List<String> four = cut.nodes();
        assertThat(
                        MovePlan.of(
                                        List.of(pool("bank", four, four, 3)),
                                        Set.of(),
                                        full,
                                        rules(1),
                                        STORE)
                                .get(0)
                                .comes())
                .as("commits need three")
                .hasSize(1);
    }

    private static Machine full(String node) {
        return machine(node, "x", GIB / 2);
    }

    /** Whose program waits already is asked first. */
    @Test
    void aWriterHandsOverBeforeItsCopyLeaves() {
        PoolMove move = plan(pool("bank", "d", "b"), zones("b:y", "c:z"));

        assertThat(move.steps().stream().map(MoveStep::action))
                .containsSubsequence(
                        Action.ADD,
                        Action.WAIT,
                        Action.START,
                        Action.SWITCH_OVER,
                        Action.WAIT,
                        Action.REMOVE);
        assertThat(move.steps().get(5).command())
                .isEqualTo("farheap ha switchover --to b --pool bank " + STORE);
        assertThat(move.steps().get(6).what())
                .isEqualTo("go on when the leader is b, and the set is b, c, d");
        assertThat(move.steps().get(7).node()).isEqualTo("b");
        List<String> three = List.of("d", "b", "c");
        for (String waits : List.of("b", "c")) {
            CataloguedPool pool = pool("bank", three, three, 1, List.of(waits), false);
            assertThat(plan(pool, zones("a:x", "b:y", "c:z")).steps().stream())
                    .filteredOn(step -> step.action() == Action.SWITCH_OVER)
                    .singleElement()
                    .satisfies(step -> assertThat(step.command()).contains("--to " + waits + " "));
        }
        PoolMove whole =
                plan(
                        pool("bank", "d", "e"),
                        with(zones("b:y", "c:z"), weighing("d", "v", 0), weighing("e", "w", 0)));
        assertThat(whole.steps().get(0).what())
                .as("who leaves is named until then")
                .contains("of each of d, e, word for word", "of them, and these lines. If");
        assertThat(whole.steps().get(0).lines())
                .containsExactly(
                        whole.steps().get(0).node().equals("b")
                                ? "REPLICA c bank-copy.set"
                                : "REPLICA b bank-copy.set");
        assertThat(whole.steps().get(6).command())
                .matches("farheap ha switchover --to [bc] --pool bank " + STORE);
    }

    @Test
    void aPoolThatWantsAttentionGetsASentence() {
        List<Machine> machines = zones("a:x", "b:y", "c:z", "d:w");
        assertNothing(
                plan(pool("bank", List.of("a"), List.of("a", "gone"), 1), machines),
                "commits do without the copy of gone: wait until the set has gone again",
                "add another node's line first, farheap reload, and take the line of gone out when"
                        + " the new copy is ATTACHED");
        assertNothing(
                plan(pool("bank", "q", "r"), machines),
                "none of its nodes (q, r) is one of the machines: is the file that of this");
        assertNothing(
                plan(pool("bank", List.of("a", "gone"), List.of("a", "gone"), 3), machines),
                "the set has 2 of the 3 copies");
        assertNothing(
                plan(pool("bank", List.of("a", "gone"), List.of(), 0), machines),
                "which nodes have a copy is not known");
        assertNothing(
                plan(pool("bank", List.of("a", "b", "gone"), List.of("a", "b"), 1), machines),
                "has nodes that the writer does not name: gone");
        assertNothing(
                plan(pool("bank", "a", "gone"), replaced(machines, silent("a"))),
                "the agent of a does not answer: no route to host");
        Machine unlabelled = new Machine("b", "b", "/srv", "", Map.of(), 5.0, null, "");
        assertNothing(
                plan(pool("bank", "b", "gone"), replaced(machines, unlabelled)),
                "machine b has no label zone");
        assertNothing(
                plan(pool("bank", "a", "gone"), zones("a:x", "b:x")),
                "no place for 2 copies (each of another zone): zones that can have one: 1 (x)");
        assertNothing(
                MovePlan.of(
                                List.of(pool("bank", "a", "b", "c")),
                                Set.of(),
                                machines,
                                rules(2),
                                STORE)
                        .get(0),
                "it has 3 copies, 2 are asked for, and none has to leave");
        Machine named =
                new Machine("c", "c.example", "/srv", "", Map.of("zone", "z"), 5e9, null, "");
        assertNothing(
                plan(pool("bank", "a", "gone"), replaced(machines, named)),
                "c would come, and c has another name than its host");
        Machine member = new Machine("a", "h", "/srv", "", Map.of("zone", "x"), 5e9, null, "");
        assertNothing(
                plan(pool("bank", "a", "gone"), replaced(machines, member)),
                "and a has another name than its host");
        assertThat(plan(pool("bank", "a", "b"), replaced(zones("a:x", "b:y"), member)).isInPlace())
                .isTrue();
        List<String> both = List.of("a", "gone");
        assertNothing(
                plan(pool("bank", both, both, 1, List.of(), true), machines),
                "take-overs are paused");
    }

    private static Machine silent(String node) {
        return machine(node, "x", null).silent("no route to host");
    }

    private static void assertNothing(PoolMove move, String... why) {
        assertThat(move.noProposal()).contains(why);
        assertThat(move.steps()).isEmpty();
        assertThat(move.comes()).isEmpty();
        assertThat(move.leaves()).isEmpty();
    }

    @Test
    void moreCopiesAreAddedAndNoneLeaves() {
        PoolMove move =
                MovePlan.of(
                                List.of(pool("bank", "a", "b"), pool("cards", "a", "b")),
                                Set.of("bank"),
                                zones("a:x", "b:y", "c:z"),
                                rules(3),
                                STORE)
                        .get(0);

        assertThat(comes(move)).containsExactly("c");
        assertThat(move.leaves()).isEmpty();
        assertThat(move.steps().stream().map(MoveStep::action))
                .doesNotContain(Action.REMOVE, Action.SWITCH_OVER, Action.RETIRE);
    }

    /** Such as where a person has placed them by other rules. */
    @Test
    void onlyWhatIsNeededMovesWhereThatIsWanted() {
        List<Machine> machines = with(machines(3, 3), machine("large", "z9", 1_000_000 * GIB));
        List<CataloguedPool> pools = new ArrayList<>();
        names(50).forEach(name -> pools.add(pool(name, "m0", "m1")));
        pools.add(pool("moves", "m0", "gone"));
        PlacementRules needed = new PlacementRules(0, "zone", GIB / 1000, GIB, true);

        assertThat(moved(pools, machines, AS_MANY)).hasSizeGreaterThan(40);
        assertThat(moved(pools, machines, needed))
                .hasSize(1)
                .allSatisfy(move -> assertThat(move.leaves()).containsOnlyKeys("gone"));
    }

    @Test
    void aCopyOfAnOldAgentStaysWhereItIs() {
        List<Machine> machines =
                List.of(
                        machine("a", "x", null),
                        machine("b", "y", 100 * GIB),
                        machine("c", "x", 100 * GIB),
                        machine("d", "z", null));

        assertThat(plan(pool("bank", "a", "b"), machines).isInPlace()).isTrue();
    }

    /** Whatever the machines and pools are: no step leaves fewer copies in sync than there were. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void noStepLeavesFewerCopiesInSync(long seed) {
        Random random = new Random(seed);
        List<Machine> before = machines(4 + random.nextInt(20), 4);
        List<CataloguedPool> pools = pools(200, before);
        List<Machine> after = new ArrayList<>();
        for (Machine machine : before) {
            switch (random.nextInt(5)) {
                case 0 -> after.add(machine.withRoom(random.nextLong(2 * GIB)));
                case 1 -> after.add(weighing(machine.node(), "z" + random.nextInt(4), 0));
                case 2 -> after.add(machine.withRoom(random.nextLong(9000 * GIB)));
                case 3 -> after.add(machine);
                default -> {}
            }
        }
        for (int i = 0; i < 4; i++) {
            after.add(machine("n" + i, "z" + i, (1 + random.nextInt(2000)) * GIB + GIB));
        }
        int moved = 0;
        int ended = 0;
        List<PoolMove> moves = plan(pools, after);
        assertThat(moves).isEqualTo(plan(pools, after));
        for (PoolMove move : moves) {
            CataloguedPool pool =
                    pools.stream().filter(p -> p.pool().equals(move.pool())).findFirst().get();
            walk(pool, move, 3);
            for (int cut = 1; cut <= move.steps().size(); cut++) {
                CataloguedPool then = cutAfter(cut, pool, move);
                PoolMove next = MovePlan.of(List.of(then), Set.of(), after, rules(3), STORE).get(0);
                walk(then, next, 3);
                if (next.isInPlace()) {
                    ended++;
                    assertThat(then.nodes()).hasSize(3);
                }
            }
            moved += move.leaves().size();
        }
        assertThat(moved).isPositive();
        assertThat(ended).isPositive();
    }

    /** What the store says of a pool when so many steps of a move were made. */
    private static CataloguedPool cutAfter(int steps, CataloguedPool pool, PoolMove move) {
        TreeSet<String> nodes = new TreeSet<>(pool.nodes());
        TreeSet<String> waiting = new TreeSet<>(pool.waiting());
        String writer = pool.leader();
        for (MoveStep step : move.steps().subList(0, steps)) {
            switch (step.action()) {
                case ADD -> nodes.addAll(comes(move));
                case START -> waiting.addAll(List.of(step.node().split(", ")));
                case SWITCH_OVER -> {
                    waiting.add(writer);
                    writer = step.command().replaceFirst(".*--to (\\S+) .*", "$1");
                    waiting.remove(writer);
                }
                case REMOVE -> nodes.removeAll(move.leaves().keySet());
                default -> {}
            }
        }
        List<String> set = new ArrayList<>(nodes);
        set.remove(writer);
        set.add(0, writer);
        return pool(pool.pool(), set, set, 1, List.copyOf(waiting), false);
    }

    private static void walk(CataloguedPool pool, PoolMove move, int least) {
        Set<String> inSync = new TreeSet<>(pool.nodes());
        Set<String> coming = new TreeSet<>();
        String writer = pool.leader();
        for (MoveStep step : move.steps()) {
            switch (step.action()) {
                case ADD -> {
                    assertThat(step.node()).isEqualTo(writer);
                    coming.addAll(comes(move));
                }
                case WAIT -> inSync.addAll(coming);
                case SWITCH_OVER -> {
                    writer = step.command().replaceFirst(".*--to (\\S+) .*", "$1");
                    assertThat(inSync).contains(writer);
                }
                case REMOVE -> {
                    assertThat(step.node()).isEqualTo(writer);
                    inSync.removeAll(move.leaves().keySet());
                }
                default -> {}
            }
            assertThat(inSync).hasSizeGreaterThanOrEqualTo(least).contains(writer);
        }
    }

    private static List<CataloguedPool> carriedOut(
            List<CataloguedPool> pools, List<PoolMove> moves) {
        List<CataloguedPool> then = new ArrayList<>();
        for (PoolMove move : moves) {
            CataloguedPool pool =
                    pools.stream().filter(p -> p.pool().equals(move.pool())).findFirst().get();
            List<String> nodes = new ArrayList<>(pool.nodes());
            nodes.removeAll(move.leaves().keySet());
            nodes.addAll(comes(move));
            then.add(pool(pool.pool(), nodes.toArray(String[]::new)));
        }
        return then;
    }
}
