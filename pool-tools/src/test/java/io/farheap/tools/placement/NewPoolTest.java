package io.farheap.tools.placement;

import static io.farheap.tools.placement.Fleet.GIB;
import static io.farheap.tools.placement.Fleet.machine;
import static io.farheap.tools.placement.Fleet.machines;
import static io.farheap.tools.placement.Fleet.names;
import static io.farheap.tools.placement.Fleet.weighing;
import static io.farheap.tools.placement.Fleet.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NewPoolTest {
    private static final PlacementRules THREE_ZONES = rules(3, "zone");

    private static PlacementRules rules(int copies, String spread) {
        return new PlacementRules(copies, spread, GIB / 1000, GIB);
    }

    private static List<String> nodes(NewPool pool) {
        return pool.machines().stream().map(Machine::node).toList();
    }

    private static Map<String, List<String>> places(List<NewPool> pools) {
        return pools.stream().collect(Collectors.toMap(NewPool::pool, NewPoolTest::nodes));
    }

    /** What was placed once is found again by every later version. */
    @Test
    void thePlacesOfNamesAreFixed() {
        List<NewPool> pools = NewPool.place(names(4), machines(9, 3), THREE_ZONES);

        assertThat(pools.stream().map(NewPoolTest::nodes))
                .containsExactly(
                        List.of("m5", "m6", "m4"),
                        List.of("m7", "m3", "m2"),
                        List.of("m1", "m8", "m3"),
                        List.of("m4", "m6", "m8"));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theOrderOfTheMachinesSaysNothing(long seed) {
        List<Machine> machines = machines(20, 5);
        List<Machine> mixed = new ArrayList<>(machines);
        Collections.shuffle(mixed, new Random(seed));

        assertThat(places(NewPool.place(names(100), mixed, THREE_ZONES)))
                .isEqualTo(places(NewPool.place(names(100), machines, THREE_ZONES)));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void noTwoCopiesAreOfOneZone(long seed) {
        Random random = new Random(seed);
        List<Machine> machines = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            String zone = "z" + (i < 4 ? i : random.nextInt(4));
            machines.add(machine("m" + random.nextLong(), zone, (1 + random.nextInt(99)) * GIB));
        }
        for (NewPool pool : NewPool.place(names(300), machines, rules(4, "zone"))) {
            assertThat(pool.machines().stream().map(machine -> machine.labels().get("zone")))
                    .doesNotHaveDuplicates()
                    .hasSize(4);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 9, 20, 50})
    void aMachineThatComesTakesItsShareAndMovesNothingElse(int count) {
        int pools = 1000;
        List<Machine> before = machines(count, 4);
        Machine comes = machine("new", "z0", 1000 * GIB);
        List<NewPool> old = NewPool.place(names(pools), before, THREE_ZONES);
        List<NewPool> now = NewPool.place(names(pools), with(before, comes), THREE_ZONES);

        int moved = 0;
        for (int i = 0; i < pools; i++) {
            List<String> gone = new ArrayList<>(nodes(old.get(i)));
            gone.removeAll(nodes(now.get(i)));
            List<String> come = new ArrayList<>(nodes(now.get(i)));
            come.removeAll(nodes(old.get(i)));
            assertThat(gone).hasSameSizeAs(come).hasSizeLessThan(2);
            assertThat(come).isSubsetOf("new");
            moved += come.size();
        }
        double fair = 3.0 * pools / (count + 1);
        assertThat(moved)
                .as("copies that moved, fair are " + fair)
                .isBetween((int) (0.5 * fair), (int) (1.2 * fair));
    }

    @Test
    void machinesGetCopiesAndWritersByTheirRoom() {
        int pools = 4000;
        List<Machine> machines =
                List.of(
                        machine("a", "x", 1000 * GIB),
                        machine("b", "y", 2000 * GIB),
                        machine("c", "z", 3000 * GIB),
                        weighing("d", "z", 4000));
        List<NewPool> placed = NewPool.place(names(pools), machines, rules(1, ""));

        Map<String, Long> writers =
                placed.stream()
                        .collect(
                                Collectors.groupingBy(
                                        pool -> nodes(pool).get(0), Collectors.counting()));
        for (int i = 0; i < 4; i++) {
            double share = (double) writers.get(machines.get(i).node()) / pools;
            assertThat(share).isCloseTo((i + 1) / 10.0, offset(0.03));
        }
    }

    @Test
    void fewerZonesThanCopiesAreRefused() {
        assertThatThrownBy(() -> NewPool.place(names(1), machines(9, 2), THREE_ZONES))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.WRONG_USE))
                .hasMessage(
                        "for 3 copies (each of another zone) there are 2 zones (z0, z1): name more"
                                + " machines, or ask for fewer copies");
        assertThatThrownBy(() -> NewPool.place(names(1), machines(2, 2), rules(3, "")))
                .hasMessageContaining("there are 2 machines (m0, m1)");
        assertThatThrownBy(() -> NewPool.place(names(1), machines(9, 3), rules(1, "rack")))
                .hasMessageContaining("for 1 copy there are 0 racks (none)");
    }

    @Test
    void machinesThatCanTakeNoneAreLeftOutByName() {
        Machine silent = machine("silent", "z5", null).silent("no route to host");
        Machine retired = weighing("retired", "z6", 0);
        Machine unlabelled =
                new Machine("unlabelled", "u", "/srv", "", Map.of(), 5.0, 9000 * GIB, "");
        List<Machine> all =
                with(
                        machines(3, 3),
                        machine("full", "z3", 2 * GIB),
                        machine("unknown", "z4", null),
                        silent,
                        retired,
                        unlabelled);
        PlacementRules rules = new PlacementRules(3, "zone", 2 * GIB, GIB);

        NewPool pool = NewPool.place(List.of("bank"), all, rules).get(0);
        assertThat(nodes(pool)).containsExactlyInAnyOrder("m0", "m1", "m2");
        assertThat(pool.leftOut())
                .isEqualTo(
                        Map.of(
                                "full",
                                "2.0 GiB are free, and a copy takes 3.0 GiB with the margin",
                                "unknown",
                                "how much is free there is not known, and it has no weight",
                                "silent",
                                "its agent does not answer: no route to host",
                                "retired",
                                "its weight is 0",
                                "unlabelled",
                                "it has no label zone"));
        PlacementRules four = new PlacementRules(4, "zone", 2 * GIB, GIB);
        assertThatThrownBy(() -> NewPool.place(List.of("bank"), all, four))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.ENVIRONMENT))
                .hasMessageStartingWith(
                        "bank: no place for 4 copies (each of another zone): zones that can have"
                                + " one: 3 (z0, z1, z2); full: 2.0 GiB are free");
    }

    /** Ten have room for two each, beside the margin. */
    @Test
    void whatOneTakesIsNotThereForTheNext() {
        List<Machine> machines = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            machines.add(machine("m" + i, "z" + i, 21 * GIB));
        }
        PlacementRules rules = new PlacementRules(2, "", 10 * GIB, GIB);

        List<NewPool> placed = NewPool.place(names(9), machines, rules);
        Map<String, Long> copies =
                placed.stream()
                        .flatMap(pool -> nodes(pool).stream())
                        .collect(Collectors.groupingBy(node -> node, Collectors.counting()));
        assertThat(copies.values()).allMatch(count -> count <= 2);
        assertThatThrownBy(() -> NewPool.place(names(11), machines, rules))
                .hasMessageContaining("no place for 2 copies (each on another machine)")
                .hasMessageContaining(
                        "21.0 GiB are free, of which the copies above take 20.0 GiB, and");
    }

    @Test
    void aWeightCountsWhereTheRoomIsNotKnown() {
        List<Machine> machines =
                List.of(weighing("a", "x", 1), weighing("b", "y", 1), machine("c", "z", null));

        assertThat(nodes(NewPool.place(List.of("bank"), machines, rules(2, "zone")).get(0)))
                .containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void theLinesAreThoseOfPoolsetFiles() {
        Machine machine =
                new Machine("a", "ada@a.example:2222", "/srv", "sets", Map.of(), 1.0, null, "");

        assertThat(machine.partLine("bank", 10 * GIB)).isEqualTo("10G /srv/bank.part0");
        assertThat(machine.replicaLine("bank"))
                .isEqualTo("REPLICA ada@a.example:2222 sets/bank-copy.set");
    }
}
