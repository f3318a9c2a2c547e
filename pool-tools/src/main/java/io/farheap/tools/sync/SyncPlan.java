package io.farheap.tools.sync;

import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import java.util.ArrayList;
import java.util.List;

/**
 * What sync found and what it will do about it.
 *
 * @param problems what is missing or broken, a sentence for each; empty: nothing is
 * @param copies what will be done to each copy, in the order of the poolset file
 * @param steps in order; empty: nothing is to be done
 */
record SyncPlan(List<String> problems, List<CopyPlan> copies, List<SyncStep> steps) {
    SyncPlan {
        problems = List.copyOf(problems);
        copies = List.copyOf(copies);
        steps = List.copyOf(steps);
    }

    /**
     * The place of the local copy that all others are made from, whole; -1: there is none, or some
     * copies keep bytes of their own.
     */
    int originalOfAll(PoolInspection local) {
        if (steps.stream().anyMatch(step -> step instanceof SyncStep.RestorePool)) {
            return -1;
        }
        PoolSet set = local.poolSet();
        int original = -1;
        for (CopyPlan copy : copies) {
            if (set.replicas().get(copy.replica()) instanceof LocalReplica replica) {
                boolean anew =
                        local.replicas().get(set.localReplicas().indexOf(replica)).stream()
                                .allMatch(PartInspection::isLost);
                if (!anew && original >= 0) {
                    return -1;
                }
                original = anew ? original : copy.replica();
            } else if (copy.action() != CopyPlan.Action.COPIED) {
                return -1;
            }
        }
        return copies.size() == set.replicas().size() ? original : -1;
    }

    /** The same, with more to say. */
    SyncPlan noting(List<String> sentences) {
        List<String> all = new ArrayList<>(problems);
        all.addAll(sentences);
        return new SyncPlan(all, copies, steps);
    }

    /** Whether local parts are made from what several local replicas have together. */
    boolean combinesParts() {
        return steps.stream().anyMatch(step -> step instanceof SyncStep.CombineParts);
    }

    /** Whether local parts come from local ones, and nothing else is done. */
    boolean staysHere() {
        return steps.stream()
                .allMatch(
                        step ->
                                step instanceof SyncStep.RestoreParts
                                        || step instanceof SyncStep.CombineParts);
    }

    /** Whether something is copied from a local replica, whose content must be sound then. */
    boolean takesFromHere() {
        return steps.stream().anyMatch(step -> step instanceof SyncStep.RestoreParts)
                || !steps.isEmpty()
                        && steps.stream().noneMatch(step -> step instanceof SyncStep.RestorePool);
    }
}
