package io.farheap.tools.status;

import io.farheap.pool.CutFeature;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PartInspection.Condition;
import io.farheap.pool.PoolInspection;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.survey.NextStep;
import java.nio.file.Path;
import java.util.List;

/** What brings local parts back that can't be used: it depends on what else there is. */
public final class LocalRemedy {
    private static final String NAME_THE_SET =
            "it is one file of a pool of several: name the poolset file that lists them all";

    private static final String USE_ITS_MAKER =
            "nothing in it is damaged: open it with what made it";

    private LocalRemedy() {}

    /**
     * @param named the poolset file, or the plain pool file
     */
    public static String of(PoolInspection found, Path named) {
        if (found.isPartAlone()) {
            return NAME_THE_SET;
        }
        if (found.edit() != null) {
            return found.edit().nextStep();
        }
        CutFeature cut = found.cutFeature();
        if (cut != null) {
            return cut.command(named);
        }
        if (isAnyOfAnotherMaker(found)) {
            return USE_ITS_MAKER;
        }
        PoolSet set = found.poolSet();
        NextStep next = new NextStep(named);
        if (found.firstHealthy() >= 0 && found.needsDiskJournal()) {
            return "farheap recover " + named + ", then " + next.sync();
        }
        if (found.firstHealthy() >= 0 || !set.remoteReplicas().isEmpty()) {
            return next.sync();
        }
        String none =
                set.replicas().size() == 1
                        ? "there is no other copy: "
                        : "no other copy is whole: ";
        return none
                + (isAnyMissing(found)
                        ? missingFiles(found, named)
                        : together(found, named)
                                + next.repairPlan()
                                + " says whether it can be repaired; else "
                                + fromBackup(found, "put the parts back from a backup"));
    }

    private static String together(PoolInspection found, Path named) {
        return found.isSpread()
                ? "farheap sync -d "
                        + named
                        + " says whether the replicas have all of it together; else "
                : "";
    }

    private static String missingFiles(PoolInspection found, Path named) {
        return together(found, named)
                + fromBackup(found, "put the missing files back from a backup");
    }

    /** An older file among others would pass for a replica that is whole. */
    private static String fromBackup(PoolInspection found, String single) {
        return found.isSpread()
                ? "move all part files away, keep them, and put all files of a backup in place, not"
                        + " single ones"
                : single;
    }

    /**
     * The same where a repair was planned already, and can't do it.
     *
     * @param advanced whether what is likely was tried, too
     */
    public static String beyondRepair(PoolInspection found, Path named, boolean advanced) {
        if (found.isPartAlone()) {
            return NAME_THE_SET;
        }
        if (isAnyOfAnotherMaker(found)) {
            return USE_ITS_MAKER;
        }
        PoolSet set = found.poolSet();
        NextStep next = new NextStep(named);
        boolean another = found.firstHealthy() >= 0 || !set.remoteReplicas().isEmpty();
        if (isAnyMissing(found)) {
            return another
                    ? "missing files are made by " + next.sync()
                    : missingFiles(found, named);
        }
        String restore =
                another
                        ? "put it back from a backup"
                        : fromBackup(found, "put it back from a backup");
        if (!found.lost().isEmpty() && another) {
            restore = next.sync();
        } else if (!set.remoteReplicas().isEmpty()) {
            restore =
                    next.from(set.remoteReplicas().get(0))
                            + " replaces it by what that replica holds";
        }
        return (another ? "" : together(found, named))
                + (advanced
                        ? restore
                        : "farheap check -r -d -a "
                                + named
                                + " says whether --advanced can; else "
                                + restore);
    }

    private static boolean isAnyOfAnotherMaker(PoolInspection found) {
        return found.replicas().stream()
                .flatMap(List<PartInspection>::stream)
                .anyMatch(PartInspection::isOfAnotherMaker);
    }

    private static boolean isAnyMissing(PoolInspection found) {
        return found.replicas().stream()
                .flatMap(List<PartInspection>::stream)
                .anyMatch(part -> part.condition() == Condition.MISSING);
    }
}
