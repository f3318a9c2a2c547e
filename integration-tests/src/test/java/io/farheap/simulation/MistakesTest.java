package io.farheap.simulation;

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
                    Map.entry("can't be promoted", "a copy can't be promoted"),
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
            SimulationRun.Noticed noticed = simulation.firstNoticed(ENOUGH);
            System.out.printf(
                    "| %s | %d | %s |%n", mistake.text(), noticed.seed(), summary(noticed.what()));
        }
    }

    /** Without the figures of the one history. */
    private static String summary(String what) {
        return NOTICED.entrySet().stream()
                .filter(each -> what.contains(each.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(what);
    }
}
