package io.farheap.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.simulation.loader.Mistake;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The simulation finds what it is there to find: {@link Mistake}s planted into the product. Prints
 * the rows of the table in docs/simulation.md.
 */
@Tag("simulation")
class MistakesTest {
    private static final int ENOUGH = 2000;

    /** By a part of the message. */
    private static final Map<String, String> NOTICED =
            Map.of(
                    "lags too far", "it lags too far",
                    "and lacks Row", "a replica lacks a commit that returned",
                    "half a commit", "a copy has half a commit",
                    "is not what attempt", "an object is not what its commit wrote",
                    "the shared count is", "the commits in a copy don't add up",
                    "the heap has the objects", "a heap has other objects than are in use",
                    ": heap: ", "a heap is out of order",
                    "a commit that failed left", "a commit that threw left something",
                    "the pool opened with", "the pool opens without a commit that returned",
                    "taken over: Row", "a commit returned after another initiator took over");

    @ParameterizedTest
    @EnumSource(Mistake.class)
    void aPlantedMistakeIsFound(Mistake mistake) {
        try (SimulationRun simulation = new SimulationRun(mistake)) {
            for (int seed = 1; seed <= ENOUGH; seed++) {
                SimulationRun.Result result = simulation.run(seed, false);
                if (result.failed()) {
                    // By a checker: not because the mistake does not fit into the class any more.
                    assertThat(result.failure()).contains(Violation.class.getName() + ": ");
                    System.out.printf(
                            "| %s | %d | %s |%n", mistake.text(), seed, cause(result.failure()));
                    return;
                }
            }
        }
        assertThat(ENOUGH).as("%s: histories in which nobody noticed", mistake).isZero();
    }

    /** What was noticed: the first line of what was thrown first, without its figures. */
    private static String cause(String failure) {
        int last = failure.lastIndexOf("\nCaused by: ");
        String text = last < 0 ? failure : failure.substring(last + 12);
        String first = text.lines().findFirst().orElse("").replaceFirst("^[a-zA-Z.]*: ", "");
        return NOTICED.entrySet().stream()
                .filter(each -> first.contains(each.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(first);
    }
}
