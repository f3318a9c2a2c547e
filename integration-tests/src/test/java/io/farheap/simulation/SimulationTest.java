package io.farheap.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.simulation.engine.Happening;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whole histories of a pool, its replicas and everything that breaks, on virtual time: the
 * product's own classes, rewritten as they load ({@code SimulationLoader}). A seed is a history;
 * one that fails prints the command that shows it again.
 */
class SimulationTest {
    private static final int SOME = 40;
    private static final int HISTORIES = 2000;
    private static final int REPEATED = 10;

    /** Of the histories of the deep build, so many at least have each break in them. */
    private static final int EACH = 20;

    @Test
    void nothingIsLostNothingIsStaleAndNothingHangs() {
        Tally unused =
                run(Long.getLong("simulation.seed", 1), Long.getLong("simulation.histories", SOME));
    }

    @Test
    @Tag("deep")
    void eachBreakIsInManyHistories() {
        long count = Long.getLong("simulation.histories", HISTORIES);
        Tally tally = run(Long.getLong("simulation.seed", 1), count);
        if (count >= HISTORIES) {
            assertThat(tally.inFewerThan(EACH)).as("what happened too seldom").isEmpty();
        }
    }

    @Test
    void whatNeverHappenedIsTooSeldom() {
        Tally tally = new Tally();
        tally.add(new SimulationRun.Result("", "", "", Map.of(Happening.CUT, 3), List.of()));
        assertThat(tally.inFewerThan(1)).hasSize(tally.size() - 1);
        assertThat(tally.inFewerThan(2)).contains(Happening.CUT);
        assertThat(tally.toString()).contains("| " + Happening.CUT.text() + " | 3 | 1 |");
    }

    @Test
    @Tag("simulation")
    void manyHistories() {
        Tally unused =
                run(
                        Long.getLong("simulation.seed", System.nanoTime()),
                        Long.getLong("simulation.histories", 20_000));
    }

    @Test
    @Tag("deep")
    void aSeedIsTheSameHistoryEveryTime() {
        String later;
        try (SimulationRun simulation = new SimulationRun(null)) {
            for (long seed = 45; seed < 45 + REPEATED; seed++) {
                String once = simulation.run(seed, false).hash();
                assertThat(simulation.run(seed, false).hash()).as("seed %s", seed).isEqualTo(once);
            }
            later = simulation.run(50, false).hash();
        }
        // Classes that were loaded meanwhile, and what the first history left behind, are no part
        // of it either.
        try (SimulationRun simulation = new SimulationRun(null)) {
            assertThat(simulation.run(50, false).hash()).isEqualTo(later);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-ea", "-da"})
    @Tag("deep")
    void aSeedIsTheSameHistoryInEveryVirtualMachine(String assertions) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of(assertions, "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(SimulationRun.class.getName(), "45", "3"));
        Process other = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> said = other.inputReader().lines().toList();
        assertThat(other.waitFor()).as("%s", said).isZero();
        try (SimulationRun simulation = new SimulationRun(null)) {
            for (long seed = 45; seed < 48; seed++) {
                SimulationRun.Result here = simulation.run(seed, false);
                assertThat(said)
                        .contains("seed " + seed + ": " + here.summary() + " " + here.hash());
            }
        }
    }

    private static Tally run(long first, long count) {
        Tally tally = new Tally();
        try (SimulationRun simulation = new SimulationRun(null)) {
            simulation.requireRight(first, count, tally, "SimulationTest#nothingIs*");
        }
        return tally;
    }
}
