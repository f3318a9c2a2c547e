package io.farheap.replication.dirty;

import io.farheap.layout.PoolUuid;
import io.farheap.poolset.RemoteReplica;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a dirty map beside a pool says of a replica that was left out, for tools.
 *
 * @param bases numbers that the replica has if it is provably older than the pool; empty: the map
 *     does not go with the pool's number, and proves nothing
 * @param bytes at most so many differ
 */
public record DirtyMapSummary(List<Long> bases, long bytes) {
    public DirtyMapSummary {
        bases = List.copyOf(bases);
    }

    /**
     * Looks at the map, whether a program has the pool open or not.
     *
     * @param beside {@link io.farheap.pool.SideFiles#beside} of the pool
     * @param runId the pool's number
     * @return empty where there is no map
     * @throws io.farheap.base.FarheapException ENVIRONMENT when it can't be read
     */
    public static Optional<DirtyMapSummary> of(
            Path beside, PoolUuid poolset, RemoteReplica replica, long runId) {
        try (DirtyMapFiles files = new DirtyMapFiles(beside, poolset.bytes(), () -> 0)) {
            if (!Files.exists(files.path(replica))) {
                return Optional.empty();
            }
            DirtyMap map = files.find(replica, runId);
            return Optional.of(
                    map == null
                            ? new DirtyMapSummary(List.of(), 0)
                            : new DirtyMapSummary(map.bases().numbers(), map.bytes()));
        }
    }
}
