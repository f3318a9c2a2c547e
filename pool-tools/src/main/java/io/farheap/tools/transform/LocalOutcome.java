package io.farheap.tools.transform;

import io.farheap.layout.PoolUuid;
import io.farheap.pool.NewReplicas;
import io.farheap.pool.PartInspection;
import io.farheap.pool.PoolInspection;
import io.farheap.poolset.Part;
import io.farheap.poolset.PoolSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What the local files are to be after a change, and whether they are.
 *
 * @param change what is to be done
 */
record LocalOutcome(PoolChange change) {

    static boolean isWhole(PoolSet set) {
        PoolInspection found = PoolInspection.of(set);
        found.requireKnown();
        return found.lost().isEmpty() && found.conflict() == null;
    }

    /** Whether the local replicas are what they are to be, and nothing else is left of the old. */
    boolean isReached() {
        if (!isWhole(change.to()) || !oldLeft().isEmpty()) {
            return false;
        }
        List<List<PartInspection>> replicas = PoolInspection.of(change.to()).replicas();
        List<List<PoolUuid>> uuids =
                replicas.stream()
                        .map(
                                parts ->
                                        parts.stream()
                                                .filter(part -> part.header() != null)
                                                .map(part -> part.header().uuid())
                                                .toList())
                        .toList();
        for (int r = 0; r < uuids.size(); r++) {
            for (int p = 0; p < uuids.get(r).size(); p++) {
                if (!replicas.get(r)
                        .get(p)
                        .header()
                        .links()
                        .equals(NewReplicas.links(uuids, r, p))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Files of the old replicas that are there, and in no new one. */
    List<Path> oldLeft() {
        List<Path> stays = paths(change.to());
        return paths(change.from()).stream()
                .filter(path -> !stays.contains(path) && Files.exists(path))
                .toList();
    }

    /** Whether new parts take the place of all files of an old replica. */
    boolean isReplaced(int dropped) {
        List<Path> stays = paths(change.to());
        return change.from().localReplicas().get(dropped).parts().stream()
                .allMatch(part -> stays.contains(part.path().normalize()));
    }

    /** Whether any file is part of the old replicas and of the new ones. */
    boolean hasFilesOfBoth() {
        List<Path> stays = paths(change.to());
        return paths(change.from()).stream().anyMatch(stays::contains);
    }

    static List<Path> paths(PoolSet set) {
        return set.localReplicas().stream()
                .flatMap(replica -> replica.parts().stream())
                .map(Part::path)
                .map(Path::normalize)
                .toList();
    }
}
