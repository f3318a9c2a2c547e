package io.farheap.tools.sync;

import java.util.List;

/**
 * What sync found and what it will do about it.
 *
 * @param problems what is missing or broken, a sentence for each; empty: nothing is
 * @param steps in order; empty: nothing is to be done
 */
record SyncPlan(List<String> problems, List<Step> steps) {
    SyncPlan {
        problems = List.copyOf(problems);
        steps = List.copyOf(steps);
    }
}
