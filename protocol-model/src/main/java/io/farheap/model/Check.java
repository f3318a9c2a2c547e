package io.farheap.model;

import io.farheap.model.Explorer.Result;
import java.util.EnumSet;
import java.util.Set;

/** Explores one scenario, or one mutation. */
final class Check {
    private static final int MOST_STATES = 40_000_000;

    private Check() {}

    /** With all rules. */
    static Result scenario(Bounds bounds) {
        return new Explorer(new Protocol(bounds, Set.of()), bounds.live(), MOST_STATES).explore();
    }

    /** The ring with all rules. */
    static Result ring() {
        return new Explorer(new Ring(Set.of()), true, MOST_STATES).explore();
    }

    /** Without one rule, within the bounds that show it. */
    static Result without(Rule rule) {
        Set<Rule> removed = EnumSet.of(rule);
        Model model = rule.isOfRing() ? new Ring(removed) : new Protocol(rule.bounds(), removed);
        return new Explorer(model, rule.isOfRing(), MOST_STATES).explore();
    }
}
