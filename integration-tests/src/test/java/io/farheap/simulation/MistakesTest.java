package io.farheap.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.simulation.loader.Mistake;
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

    @ParameterizedTest
    @EnumSource(Mistake.class)
    void aPlantedMistakeIsFound(Mistake mistake) {
        SimulationRun simulation = new SimulationRun(mistake);
        for (int seed = 1; seed <= ENOUGH; seed++) {
            SimulationRun.Result result = simulation.run(seed, false);
            if (result.failed()) {
                System.out.printf("| %s | %d | %s |%n", mistake, seed, cause(result.failure()));
                return;
            }
        }
        assertThat(ENOUGH).as("%s: histories in which nobody noticed", mistake).isZero();
    }

    /** The first line of what was thrown first. */
    private static String cause(String failure) {
        int last = failure.lastIndexOf("\nCaused by: ");
        String text = last < 0 ? failure : failure.substring(last + 12);
        return text.lines().findFirst().orElse("").replaceFirst("^[a-zA-Z.]*\\.(\\w+: )", "$1");
    }
}
