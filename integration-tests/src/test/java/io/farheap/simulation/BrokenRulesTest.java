package io.farheap.simulation;

import io.farheap.simulation.loader.BrokenRule;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each rule of docs/high-availability.md is taken out of the product's classes, and histories of
 * clusters find out. Prints the rows of the table in docs/simulation.md.
 */
@Tag("simulation")
class BrokenRulesTest {
    private static final int ENOUGH = 2_000;

    @ParameterizedTest
    @EnumSource
    void aBrokenRuleIsFound(BrokenRule rule) {
        try (SimulationRun simulation = SimulationRun.ofClusters(rule)) {
            SimulationRun.Noticed noticed = simulation.firstNoticed(ENOUGH);
            System.out.printf(
                    "| %s | %d | %s |%n",
                    rule.title(), noticed.seed(), noticed.what().replaceAll("[0-9]{4,}", "N"));
        }
    }
}
