package io.farheap.model.failover;

import io.farheap.model.Suite;
import io.farheap.model.Suite.Case;
import java.util.List;
import java.util.stream.Stream;

/** Automatic fail-over: docs/high-availability.md. */
public final class FailoverSuite {
    private FailoverSuite() {}

    /** All scenarios, all rules. */
    public static Suite suite() {
        return new Suite(
                "ha",
                Stream.of(FailoverScenarios.SMALL, FailoverScenarios.LARGE)
                        .flatMap(List::stream)
                        .map(bounds -> new Case(bounds.name(), () -> FailoverModel.explore(bounds)))
                        .toList(),
                Stream.of(FailoverRule.values())
                        .map(rule -> new Case(rule.title(), () -> FailoverModel.without(rule)))
                        .toList());
    }
}
