package io.farheap.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.simulation.engine.Stuck;
import io.farheap.simulation.loader.BrokenRule;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each rule of docs/high-availability.md is taken out of the product's classes, and histories of
 * clusters find out. Prints the rows of the table in docs/simulation.md, which says of the one that
 * is left out here what finds it.
 */
@Tag("simulation")
class BrokenRulesTest {
    private static final int ENOUGH = 2_000;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "EQUALISE")
    void aBrokenRuleIsFound(BrokenRule rule) {
        try (SimulationRun simulation = SimulationRun.ofClusters(rule)) {
            for (int seed = 1; seed <= ENOUGH; seed++) {
                SimulationRun.Result result = simulation.run(seed, false);
                if (result.failed()) {
                    // By a checker: not because the rule's place in the class is another one now.
                    assertThat(result.failure())
                            .containsAnyOf(
                                    Violation.class.getName() + ": ", Stuck.class.getName() + ": ");
                    System.out.printf(
                            "| %s | %d | %s |%n", rule.title(), seed, cause(result.failure()));
                    return;
                }
            }
        }
        assertThat(ENOUGH).as("%s: histories in which nobody noticed", rule).isZero();
    }

    /** What was thrown first, without its figures. */
    private static String cause(String failure) {
        int last = failure.lastIndexOf("\nCaused by: ");
        String text = last < 0 ? failure : failure.substring(last + 12);
        return text.lines()
                .findFirst()
                .orElse("")
                .replaceFirst("^[a-zA-Z.]*: ", "")
                .replaceAll("[0-9]{4,}", "N");
    }
}
