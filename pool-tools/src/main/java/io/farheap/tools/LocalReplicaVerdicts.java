package io.farheap.tools;

import io.farheap.base.CheckReport;
import io.farheap.base.Inconsistency;
import io.farheap.base.Structure;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.poolset.LocalReplica;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import io.farheap.tools.survey.NextStep;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Which of a pool's local replicas a check found sound, and what brings the others back. */
final class LocalReplicaVerdicts {
    private final Path poolset;
    private final PoolSet set;
    private final CheckReport found;
    private final List<LocalReplica> sound = new ArrayList<>();
    private final List<LocalReplica> damaged = new ArrayList<>();

    /**
     * @param poolset for commands
     * @param found by a check of {@code set}
     */
    LocalReplicaVerdicts(Path poolset, PoolSet set, CheckReport found) {
        this.poolset = poolset;
        this.set = set;
        this.found = found;
        for (LocalReplica replica : set.localReplicas()) {
            (isDamaged(replica) ? damaged : sound).add(replica);
        }
    }

    private boolean isDamaged(LocalReplica replica) {
        return found.inconsistencies().stream()
                .filter(one -> one.structure() != Structure.REPLICAS)
                .map(Inconsistency::file)
                .anyMatch(file -> replica.parts().stream().anyMatch(p -> p.path().equals(file)));
    }

    /** A line for each; none where none is sound, or more was found than was kept. */
    List<String> lines() {
        boolean all = found.count() == found.inconsistencies().size();
        return sound.isEmpty() || found.isConsistent() || !all
                ? List.of()
                : set.localReplicas().stream()
                        .map(r -> name(r) + ": " + (damaged.contains(r) ? "not " : "") + "sound")
                        .toList();
    }

    private String name(LocalReplica replica) {
        int place = set.replicas().indexOf(replica);
        return "replica " + place + " (" + replica.parts().get(0).path() + ")";
    }

    /**
     * What to type where one of several is sound, or a person must choose; else empty.
     *
     * @param repairable whether {@code check -r} may be able to
     */
    String nextStep(boolean repairable) {
        if (lines().isEmpty()) {
            return "";
        }
        if (damaged.isEmpty()) {
            return "farheap verify "
                    + poolset
                    + " shows where they differ; then move the parts of each one that is not to be"
                    + " kept away, and "
                    + new NextStep(poolset).sync();
        }
        if (found.inconsistencies().stream().anyMatch(one -> one.structure() == Structure.PART)) {
            return new NextStep(poolset).sync();
        }
        if (repairable && isOfOneRun()) {
            return new NextStep(poolset).repair();
        }
        String away =
                damaged.stream()
                        .flatMap(replica -> replica.parts().stream())
                        .map(Part::path)
                        .map(Path::toString)
                        .collect(Collectors.joining(", "));
        return new NextStep(poolset).syncWithout(away);
    }

    private boolean isOfOneRun() {
        return PoolInspection.passing(set).replicas().stream()
                        .map(parts -> parts.get(0))
                        .filter(PartInspection::isHealthy)
                        .map(PartInspection::runId)
                        .distinct()
                        .count()
                == 1;
    }
}
