package io.farheap.tools.verify;

import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.Verdicts;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * What follows from a comparison, for an operator.
 *
 * @param poolset the poolset file
 * @param set what it says
 * @param equal how many copies are equal
 * @param judgement which copy is right
 * @param differ whether copies differ that must be equal
 */
record Conclusion(Path poolset, PoolSet set, int equal, Judgement judgement, boolean differ) {

    String verdict() {
        int copies = set.replicas().size();
        if (copies == 1 && equal == 1) {
            return "there is only one copy: nothing to compare it with; farheap check looks at it";
        }
        if (isDecision()) {
            return judgement.why();
        }
        if (!judgement.wrong().isEmpty()) {
            return name(judgement.right())
                    + (judgement.right().size() == 1 ? " is right, " : " are right, ")
                    + name(judgement.wrong())
                    + (judgement.wrong().size() == 1 ? " is wrong: " : " are wrong: ")
                    + judgement.why();
        }
        return equal == copies
                ? "all " + copies + " copies are equal"
                : "of "
                        + copies
                        + " copies "
                        + (equal == 1 ? "one is current" : equal + " are equal")
                        + ", the others are of another version or could not be compared";
    }

    private boolean isDecision() {
        return judgement.right().isEmpty();
    }

    private static String name(List<Integer> places) {
        return (places.size() == 1 ? "replica " : "replicas ")
                + places.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    /**
     * @param steps what farheap status says for each copy
     */
    String nextStep(List<String> steps) {
        if (differ && isDecision()) {
            return decision();
        }
        return differ
                ? repair()
                : steps.stream()
                        .filter(step -> !step.isEmpty())
                        .distinct()
                        .collect(Collectors.joining("; "));
    }

    /** Copies that are wrong come back from one that is right. */
    private String repair() {
        boolean localIsRight =
                judgement.right().stream()
                        .anyMatch(place -> replica(place) instanceof LocalReplica);
        if (!localIsRight) {
            return "farheap sync --from \"" + replica(judgement.right().get(0)) + "\" " + poolset;
        }
        String away =
                judgement.wrong().stream()
                        .map(place -> replica(place) instanceof LocalReplica here ? here : null)
                        .filter(Objects::nonNull)
                        .flatMap(here -> here.parts().stream())
                        .map(part -> part.path().toString())
                        .collect(Collectors.joining(", "));
        String overwrite =
                judgement.wrong().stream()
                        .map(place -> replica(place) instanceof RemoteReplica there ? there : null)
                        .filter(Objects::nonNull)
                        .map(there -> "--overwrite \"" + there + "\" ")
                        .collect(Collectors.joining());
        return (away.isEmpty() ? "" : "move " + away + " away, then ")
                + "farheap sync "
                + overwrite
                + poolset;
    }

    private Object replica(int place) {
        return set.replicas().get(place);
    }

    /** Which copy to keep is for a person to say. */
    private String decision() {
        String look = "look at the disks and at farheap check, then decide: ";
        return set.remoteReplicas().isEmpty()
                ? look
                        + "move the parts of the copy that is not to be kept away, then farheap sync "
                        + poolset
                : look + Verdicts.directions(poolset, set.remoteReplicas().get(0));
    }
}
