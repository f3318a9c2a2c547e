package io.farheap.tools.verify;

import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.tools.survey.NextStep;
import io.farheap.tools.verify.CopyResult.Finding;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * What follows from a comparison, for an operator.
 *
 * @param poolset the poolset file
 * @param set what it says
 * @param subjects the copies, each with what was found
 * @param judgement which copy is right
 * @param differ whether copies differ that must be equal
 */
record VerifySummary(
        Path poolset, PoolSet set, List<Subject> subjects, Judgement judgement, boolean differ) {

    String verdict() {
        int copies = subjects.size();
        if (copies == 1 && subjects.get(0).finding == Finding.EQUAL) {
            return "there is only one copy: nothing to compare it with; farheap check looks at it";
        }
        if (copies == 1 && subjects.get(0).finding == Finding.BROKEN) {
            return "nothing was compared: there is only one copy, and it is broken";
        }
        if (places(Finding.EQUAL).size() == copies) {
            return allEqual(copies);
        }
        List<String> parts = new ArrayList<>();
        if (differ && isDecision() && !allAreDamaged()) {
            parts.add(
                    name(places(Finding.DIFFERENT))
                            + " differ, and which is right can't be told: "
                            + judgement.why());
        } else if (!judgement.wrong().isEmpty()) {
            String right =
                    judgement.right().isEmpty() ? "" : verb(judgement.right(), "right") + ", ";
            parts.add(right + verb(judgement.wrong(), "wrong") + ": " + judgement.why() + caveat());
        } else {
            add(parts, Finding.EQUAL, "equal");
        }
        add(parts, Finding.OTHER_VERSION, "of another version");
        List<Integer> broken = places(Finding.BROKEN);
        broken.removeAll(judgement.wrong());
        if (!broken.isEmpty()) {
            parts.add(verb(broken, "broken"));
        }
        add(parts, Finding.NOT_COMPARED, "not compared");
        return String.join("; ", parts);
    }

    private void add(List<String> parts, Finding finding, String word) {
        List<Integer> places = places(finding);
        if (!places.isEmpty()) {
            parts.add(verb(places, word));
        }
    }

    private List<Integer> places(Finding finding) {
        return subjects.stream()
                .filter(subject -> subject.finding == finding)
                .map(Subject::place)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    /** Only the structure of copies here was looked at: of the others there are checksums. */
    private String caveat() {
        boolean allFar =
                judgement.right().stream()
                        .allMatch(place -> replica(place) instanceof RemoteReplica);
        return allFar && judgement.right().size() == 1
                ? " (that of "
                        + name(judgement.right())
                        + " was not looked at: farheap check there, on its poolset file)"
                : "";
    }

    /** What can be compared: nothing shows what any of them ought to hold. */
    private boolean allAreDamaged() {
        return judgement.right().isEmpty()
                && !judgement.wrong().isEmpty()
                && places(Finding.DIFFERENT).isEmpty();
    }

    private boolean isDecision() {
        return judgement.right().isEmpty();
    }

    private static String verb(List<Integer> places, String what) {
        return name(places) + (places.size() == 1 ? " is " : " are ") + what;
    }

    private static String name(List<Integer> places) {
        return (places.size() == 1 ? "replica " : "replicas ")
                + places.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    /** What an operator can type; empty: nothing needs to be done. */
    String nextStep() {
        if (differ && !allAreDamaged()) {
            return isDecision() ? decision() : repair();
        }
        String steps =
                subjects.stream()
                        .map(subject -> subject.status.nextStep())
                        .filter(step -> !step.isEmpty())
                        .distinct()
                        .collect(Collectors.joining("; "));
        if (steps.isEmpty() && allAreDamaged()) {
            return new NextStep(poolset).repair() + "; where that can't mend it, a backup";
        }
        boolean lost = steps.isEmpty() && !places(Finding.NOT_COMPARED).isEmpty();
        return lost ? "mend what is said above, then farheap verify " + poolset : steps;
    }

    /** Copies that are wrong come back from one that is right. */
    private String repair() {
        boolean localIsRight =
                judgement.right().stream()
                        .anyMatch(place -> replica(place) instanceof LocalReplica);
        if (!localIsRight) {
            return new NextStep(poolset).from((RemoteReplica) replica(judgement.right().get(0)));
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
                        + new NextStep(poolset)
                                .syncWithout("the parts of the copy that is not to be kept")
                : look + AttachDecisions.directions(poolset, set.remoteReplicas().get(0));
    }

    static String allEqual(int copies) {
        return "all " + copies + " copies are equal";
    }
}
