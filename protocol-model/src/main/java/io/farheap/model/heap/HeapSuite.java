package io.farheap.model.heap;

import io.farheap.model.Suite;
import io.farheap.model.Suite.Case;
import java.util.stream.Stream;

/** Transactions of typed objects: docs/objects-transactions.md. */
public final class HeapSuite {
    private HeapSuite() {}

    /** All pairs of writers, all rules. */
    public static Suite suite() {
        return new Suite(
                "heap",
                Stream.of(Script.values())
                        .map(script -> new Case(script.title(), () -> HeapModel.explore(script)))
                        .toList(),
                Stream.of(HeapRule.values())
                        .map(rule -> new Case(rule.title(), () -> HeapModel.without(rule)))
                        .toList());
    }
}
