package io.farheap.tools.status;

import io.farheap.pool.CutFeature;
import io.farheap.pool.DiskJournalRecovery;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.survey.CutLoad;
import io.farheap.tools.survey.NextStep;
import io.farheap.tools.survey.Survey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The copies on this machine, by their headers and numbers. */
final class LocalCopies {
    private final PoolInspection found;
    private final Path poolset;
    private final NextStep next;
    private final boolean open;
    private final Elsewhere elsewhere;

    /**
     * @param open whether a program has them open
     */
    LocalCopies(PoolInspection found, Path poolset, boolean open, Elsewhere elsewhere) {
        this.elsewhere = elsewhere;
        this.found = found;
        this.poolset = poolset;
        this.next = new NextStep(poolset);
        this.open = open;
    }

    /** The pool's number: the largest, a smaller one is an older copy. Null where there is none. */
    static Long number(PoolInspection found) {
        int newest = Survey.newest(found);
        return newest < 0 ? null : (Long) found.replicas().get(newest).get(0).runId();
    }

    List<CopyStatus> all() {
        PoolSet set = found.poolSet();
        List<CopyStatus> copies = new ArrayList<>();
        for (int r = 0; r < found.replicas().size(); r++) {
            copies.add(copy(set, r));
        }
        return copies;
    }

    private CopyStatus copy(PoolSet set, int r) {
        LocalReplica replica = set.localReplicas().get(r);
        int place = set.replicas().indexOf(replica);
        String name = replica.parts().get(0).path().toString();
        if (found.isPartAlone()) {
            String why = "a sound part, and not the whole pool";
            return local(place, name, Standing.BROKEN, why, null, restore());
        }
        if (found.edit() != null) {
            Long its = found.isHealthy(r) ? found.replicas().get(r).get(0).runId() : null;
            String step = found.edit().nextStep();
            return local(place, name, Standing.BROKEN, found.edit().finding(), its, step);
        }
        if (found.isAbsent() && elsewhere.empty()) {
            String why =
                    "no part file is there"
                            + (set.remoteReplicas().isEmpty() ? "" : ", and no target has a copy");
            String step =
                    "if the pool never was: farheap create "
                            + poolset
                            + "; else mount the file system that it is on, or put it back from a"
                            + " backup";
            return local(place, name, Standing.EMPTY, why, null, step);
        }
        if (!found.isHealthy(r)) {
            String why =
                    found.replicas().get(r).stream()
                            .filter(part -> !part.isHealthy())
                            .map(PartInspection::problem)
                            .collect(Collectors.joining("; "));
            if (lacksDiskJournal(r)) {
                String step =
                        "put its disk journal back where it says, then farheap recover " + poolset;
                return local(place, name, Standing.UNKNOWN, why, null, step);
            }
            return isUnreadable(r)
                    ? local(place, name, Standing.UNKNOWN, why, null, "make its files readable")
                    : local(place, name, Standing.BROKEN, why, null, restore());
        }
        long number = found.replicas().get(r).get(0).runId();
        if (found.conflict() != null) {
            return local(place, name, Standing.BROKEN, found.conflict(), number, fitting());
        }
        if (!open && isAnyUnreadable(found)) {
            String why =
                    "its number is "
                            + number
                            + "; another local copy, which can't be read, may be newer";
            return local(place, name, Standing.UNKNOWN, why, number, "make the other one readable");
        }
        if (number != number(found)) {
            String why = "its number is " + number + ": an older copy, or left in a switch";
            String step =
                    "farheap sync -d says whether a program can open them together; if not, "
                            + next.syncWithout("the parts of the copy that is not to be kept");
            return local(place, name, Standing.OTHER_RUN, why, number, step);
        }
        if (!open && CutLoad.isIn(set, r)) {
            String step = CutLoad.nextStep(poolset);
            return local(place, name, Standing.INCOMPLETE, CutLoad.WHAT, number, step);
        }
        String unclosed =
                !open && DiskJournalRecovery.isNeeded(set)
                        ? "; the pool was not closed, and its newest commits are in its disk"
                                + " journal: farheap recover "
                                + poolset
                                + ", or the next opening, brings them to its files"
                        : "";
        return local(
                place, name, Standing.CURRENT, "it has the pool's number" + unclosed, number, "");
    }

    /** Then nobody can tell the pool's number, unless a program has them all open. */
    static boolean isAnyUnreadable(PoolInspection found) {
        return found.replicas().stream()
                .flatMap(List::stream)
                .anyMatch(part -> part.condition() == PartInspection.Condition.UNREADABLE);
    }

    /** What makes one pool of healthy parts that do not fit together. */
    private String fitting() {
        CutFeature cut = found.cutFeature();
        if (cut != null) {
            return cut.command(poolset);
        }
        return found.poolSet().replicas().size() == 1
                ? "name the poolset file that the pool was made with, or put the parts back that"
                        + " belong there"
                : "name the files in the poolset file that belong there, then " + next.sync();
    }

    private boolean lacksDiskJournal(int r) {
        return found.replicas().get(r).stream().anyMatch(PartInspection::lacksDiskJournal);
    }

    private boolean isUnreadable(int r) {
        return found.replicas().get(r).stream()
                .anyMatch(part -> part.condition() == PartInspection.Condition.UNREADABLE);
    }

    private String restore() {
        boolean here = found.firstHealthy() >= 0 || found.poolSet().remoteReplicas().isEmpty();
        if (!here && !elsewhere.usable() && !found.isPartAlone() && found.cutFeature() == null) {
            if (elsewhere.silent()) {
                return "see that the target that does not answer does, then " + next.status();
            }
            if (elsewhere.refusing()) {
                return "do what the target says that refuses, then " + next.status();
            }
            return "no other copy is whole: "
                    + next.repairPlan()
                    + " says whether this one can be repaired; else put the parts back from"
                    + " a backup";
        }
        return (open ? "close the program, then " : "") + LocalRemedy.of(found, poolset);
    }

    private static CopyStatus local(
            int place, String name, Standing verdict, String why, Long number, String step) {
        return new CopyStatus(place, "", name, verdict, why, number, null, null, null, null, step);
    }
}
