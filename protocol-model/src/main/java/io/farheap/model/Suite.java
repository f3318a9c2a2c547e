package io.farheap.model;

import io.farheap.model.Explorer.Result;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * One of the models with all that is asked of it.
 *
 * @param name how the command names it
 * @param clean explorations with all rules, in which nothing may go wrong
 * @param rules explorations without one rule each, by its name, in which something must
 */
public record Suite(String name, List<Case> clean, List<Case> rules) {
    /** One exploration. */
    public record Case(String title, Supplier<Result> exploration) {}

    /** The exploration without that rule. */
    public Optional<Case> without(String rule) {
        return rules.stream().filter(one -> one.title().equals(rule)).findFirst();
    }
}
