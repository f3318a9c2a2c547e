package io.farheap.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.simulation.engine.Stuck;
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
            Map.ofEntries(
                    Map.entry("lags too far", "it lags too far"),
                    Map.entry("and lacks Row", "a replica lacks a commit that returned"),
                    Map.entry("half a commit", "a copy has half a commit"),
                    Map.entry("is not what attempt", "an object is not what its commit wrote"),
                    Map.entry("the shared count is", "the commits in a copy don't add up"),
                    Map.entry(
                            "the heap has the objects", "a heap has other objects than are in use"),
                    Map.entry(": heap: ", "a heap is out of order"),
                    Map.entry("a commit that failed left", "a commit that threw left something"),
                    Map.entry(
                            "the pool opened with",
                            "the pool opens without a commit that returned"),
                    Map.entry(
                            "taken over: Row",
                            "a commit returned after another initiator took over"),
                    Map.entry(
                            "a commit threw that needs no replica",
                            "a commit threw that needs no replica"),
                    Map.entry(
                            "found what is no difference",
                            "a comparison finds differences where there are none"),
                    Map.entry("not done after", "it never ends"));

    @ParameterizedTest
    @EnumSource(Mistake.class)
    void aPlantedMistakeIsFound(Mistake mistake) {
        try (SimulationRun simulation = new SimulationRun(mistake)) {
            for (int seed = 1; seed <= ENOUGH; seed++) {
                SimulationRun.Result result = simulation.run(seed, false);
                if (result.failed()) {
                    // By a checker: not because the mistake does not fit into the class any more.
                    assertThat(result.failure())
                            .containsAnyOf(
                                    Violation.class.getName() + ": ", Stuck.class.getName() + ": ");
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
