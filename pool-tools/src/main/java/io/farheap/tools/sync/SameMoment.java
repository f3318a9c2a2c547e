package io.farheap.tools.sync;

import io.farheap.layout.FeatureFlags;
import io.farheap.layout.PoolHeader;
import io.farheap.layout.ShutdownState;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.RestorationLeftovers;
import io.farheap.poolset.PoolSet.Option;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Whether headers say that replicas of one run have ended at the same moment: only a run that was
 * closed has in all of them; a crash may have kept the last stores from any.
 */
final class SameMoment {
    private final PoolInspection local;
    private final List<Integer> holders;
    private final List<Integer> numbered;

    /**
     * @param holders the local replicas that hold anything
     * @param numbered those of them of which the run's number is known
     */
    SameMoment(PoolInspection local, List<Integer> holders, List<Integer> numbered) {
        this.local = local;
        this.holders = holders;
        this.numbered = numbered;
    }

    /** Why they may be of different moments; null: nothing says so. */
    String doubt() {
        if (local.poolSet().has(Option.SINGLEHDR)) {
            return "they have all of the pool together, but with OPTION SINGLEHDR later parts have"
                    + " no headers, and nothing tells of which pool they are";
        }
        return Stream.concat(
                        holders.stream().map(r -> wrongChain(local.replicas().get(r))),
                        numbered.stream().map(r -> notClosed(local.replicas().get(r).get(0))))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /** Neighbours that are there were compared already; across what is lost, and over replicas. */
    private static String wrongChain(List<PartInspection> all) {
        List<PartInspection> there = all.stream().filter(PartInspection::isHealthy).toList();
        PoolHeader.Links before = there.get(0).header().links();
        for (PartInspection part : there) {
            PoolHeader.Links links = part.header().links();
            int next = (part.index() + 2) % all.size();
            boolean across =
                    all.size() > 2
                            && all.get((part.index() + 1) % all.size()).isLost()
                            && all.get(next).isHealthy();
            if (across && !all.get(next).header().links().previousPart().equals(links.nextPart())) {
                return "%s and %s do not name the same part between them: they are not of one replica"
                        .formatted(part.path(), all.get(next).path());
            }
            if (!links.previousReplica().equals(before.previousReplica())
                    || !links.nextReplica().equals(before.nextReplica())) {
                return "%s and %s name different replicas as their neighbours: they are not of one"
                        .formatted(there.get(0).path(), part.path());
            }
        }
        return null;
    }

    private String notClosed(PartInspection first) {
        FeatureFlags features = (first.isHealthy() ? first.header() : local.anyHeader()).features();
        String what = "they have all of the pool together, but ";
        // Without the short checksum nobody keeps it.
        if (!features.hasShutdownState() || !features.hasShortChecksum()) {
            return what
                    + "the pool keeps no shutdown state (farheap feature), and nothing tells that"
                    + " it was closed, and so that they are of one moment";
        }
        ShutdownState state = first.header().shutdownState();
        if (!state.checksumMatches()) {
            return what + first.path() + " has a shutdown state that is wrong";
        }
        return state.isDirty()
                ? what
                        + "the pool was not closed ("
                        + first.path()
                        + "): the last commits may be in one of them only"
                : null;
    }

    /** Which whole copy of another run a restoration that was cut has left; null: none. */
    String leftoverOfAnotherRun(long number) {
        List<Path> others = RestorationLeftovers.ofOtherRuns(local, number);
        return others.isEmpty()
                ? null
                : "they have all of the pool together, with number "
                        + Long.toUnsignedString(number)
                        + ", but "
                        + others.get(0)
                        + ", which a run of sync that was cut has left, is of a whole copy of"
                        + " another run, or can't be read; it may be newer: move it away with the"
                        + " others of its name if it is not wanted, and run this again";
    }
}
