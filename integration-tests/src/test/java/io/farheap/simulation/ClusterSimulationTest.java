package io.farheap.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.simulation.engine.Happening;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whole histories of 3 to 5 nodes under automatic fail-over, each with a program that waits for its
 * turn, with agents and a copy of the pool, and of a store that fails, too: the product's own
 * classes, as in {@link SimulationTest}.
 */
class ClusterSimulationTest {
    private static final int SOME = 5;
    private static final int REPEATED = 4;
    private static final int HISTORIES = 500;

    /** Of the histories of the deep build, so many at least have each break in them. */
    private static final int EACH = 5;

    @Test
    void nothingIsLostAndSomebodyWritesAgain() {
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
    @Tag("simulation")
    void manyHistories() {
        Tally unused =
                run(
                        Long.getLong("simulation.seed", System.nanoTime()),
                        Long.getLong("simulation.histories", 10_000));
    }

    @Test
    @Tag("deep")
    void aSeedIsTheSameHistoryEveryTime() {
        String later;
        try (SimulationRun simulation = SimulationRun.ofClusters(null)) {
            for (long seed = 45; seed < 45 + REPEATED; seed++) {
                String once = simulation.run(seed, false).hash();
                assertThat(simulation.run(seed, false).hash()).as("seed %s", seed).isEqualTo(once);
            }
            later = simulation.run(46, false).hash();
        }
        try (SimulationRun simulation = SimulationRun.ofClusters(null)) {
            assertThat(simulation.run(46, false).hash()).isEqualTo(later);
        }
    }

    private static Tally run(long first, long count) {
        Tally tally = new Tally(Happening::isOfClusters);
        try (SimulationRun simulation = SimulationRun.ofClusters(null)) {
            simulation.requireRight(first, count, tally, "ClusterSimulationTest#nothingIs*");
        }
        return tally;
    }
}
