package io.farheap.replication.config;

import io.farheap.poolset.RemoteReplica;
import java.util.Set;

/**
 * What the one who attaches has ordered.
 *
 * @param overwrite replicas that may be overwritten by the local pool though their histories can't
 *     be compared, or though they were taken over
 * @param takeOver end the right of whoever holds a replica
 * @param verify compare checksums after a full copy
 * @param progress told about full copies
 * @param pacer of all that is copied or compared before the pool is open
 */
public record AttachOptions(
        Set<RemoteReplica> overwrite,
        boolean takeOver,
        boolean verify,
        SyncProgress progress,
        Pacer pacer) {
    /** Nothing is ordered. */
    public static final AttachOptions NONE =
            new AttachOptions(Set.of(), false, false, SyncProgress.NONE, Pacer.UNLIMITED);

    public AttachOptions {
        overwrite = Set.copyOf(overwrite);
    }

    /** The same, where others may be overwritten. */
    public AttachOptions overwriting(Set<RemoteReplica> others) {
        return new AttachOptions(others, takeOver, verify, progress, pacer);
    }
}
