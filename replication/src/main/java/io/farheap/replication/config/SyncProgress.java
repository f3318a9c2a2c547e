package io.farheap.replication.config;

import io.farheap.poolset.RemoteReplica;

/** Told how far a copy of a whole image is; called on the copying thread, often. */
@FunctionalInterface
public interface SyncProgress {
    /** Nobody listens. */
    SyncProgress NONE = (replica, done, total) -> {};

    /**
     * @param replica the remote end
     * @param done bytes of the image dealt with so far
     * @param total bytes of the image
     */
    void copied(RemoteReplica replica, long done, long total);
}
