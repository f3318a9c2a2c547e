package io.farheap.tools.sync;

import java.util.List;

/**
 * What sync found and what it will do about it.
 *
 * @param problems what is missing or broken, a sentence for each; empty: nothing is
 * @param copies what will be done to each copy, in the order of the poolset file
 * @param steps in order; empty: nothing is to be done
 */
record SyncPlan(List<String> problems, List<CopyPlan> copies, List<Step> steps) {
    SyncPlan {
        problems = List.copyOf(problems);
        copies = List.copyOf(copies);
        steps = List.copyOf(steps);
    }

    /** Whether something is copied from a local replica, whose content must be sound then. */
    boolean takesFromHere() {
        return steps.stream().anyMatch(step -> step instanceof Step.RestoreParts)
                || !steps.isEmpty()
                        && steps.stream().noneMatch(step -> step instanceof Step.RestorePool);
    }
}
