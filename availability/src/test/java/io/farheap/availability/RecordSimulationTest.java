package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Three nodes write the record in random histories: right, and wrong without any one rule. */
class RecordSimulationTest {
    private static final int HISTORIES = Boolean.getBoolean("test.deep") ? 2_000 : 500;
    private static final int DEEP_HISTORIES = 30_000;
    private static final int HISTORIES_TO_FIND = 50_000;

    @Test
    @Tag("sliced")
    void nothingGoesWrongInAnyHistory() {
        run(1, HISTORIES);
    }

    @Test
    @Tag("deep")
    void nothingGoesWrongInManyHistories() {
        long seed = System.nanoTime();
        System.out.println("histories from seed " + seed);
        run(seed, DEEP_HISTORIES);
    }

    private static void run(long firstSeed, int histories) {
        for (long seed = firstSeed; seed < firstSeed + histories; seed++) {
            RecordSimulation simulation = new RecordSimulation(seed, null);
            String violation = simulation.run();
            if (violation != null) {
                fail(
                        "seed "
                                + seed
                                + ": "
                                + violation
                                + "\n"
                                + String.join("\n", simulation.trace()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void withoutARuleSomethingGoesWrong(Weakness weakness) {
        for (long seed = 1; seed <= HISTORIES_TO_FIND; seed++) {
            String violation = new RecordSimulation(seed, weakness).run();
            if (violation != null) {
                System.out.println(weakness + ", history " + seed + ": " + violation);
                return;
            }
        }
        assertThat(weakness).as("found in no history").isNull();
    }
}
