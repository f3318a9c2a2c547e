package io.farheap.model;

import io.farheap.model.Suite.Case;
import java.util.List;
import java.util.stream.Stream;

/** Commits and replication: docs/protocol.md. */
public final class ProtocolSuite {
    private ProtocolSuite() {}

    /** The ring, all scenarios, all rules. */
    public static Suite suite() {
        Stream<Case> scenarios =
                Stream.of(Scenarios.SMALL, Scenarios.LARGE)
                        .flatMap(List::stream)
                        .map(bounds -> new Case(bounds.name(), () -> Check.scenario(bounds)));
        return new Suite(
                "protocol",
                Stream.concat(
                                Stream.of(new Case("flow control of the ring", Check::ring)),
                                scenarios)
                        .toList(),
                Stream.of(Rule.values())
                        .map(rule -> new Case(rule.title(), () -> Check.without(rule)))
                        .toList());
    }
}
