package io.farheap.spi;

import io.farheap.layout.PoolUuid;
import io.farheap.poolset.RemoteReplica;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Found by {@link java.util.ServiceLoader}; the replication module provides the one there is. */
public interface ReplicaSinkProvider {

    /**
     * Attaches every remote replica of the pool (the switch of the replication protocol, full copy
     * and reconciliation included) and returns when commits may begin. {@code pool.runId()} has
     * changed then.
     *
     * @throws io.farheap.base.FarheapException category REPLICA when a replica can't be attached
     */
    ReplicaSink attach(ReplicatedPool pool);

    /**
     * A pool without remote replicas is about to be made or opened, and nothing was done to it yet.
     *
     * @throws io.farheap.base.FarheapException where that must not be
     */
    default void goesAlone(Path pool) {
        // Most pools do.
    }

    /**
     * Asks every target whether it holds a copy, before a pool of that name is made; changes
     * nothing.
     *
     * @param settings as {@link ReplicatedPool#settings}
     * @throws io.farheap.base.FarheapException WRONG_USE where one does, naming what it holds;
     *     REPLICA where one can't be asked
     */
    default void requireAbsent(
            Path poolset, List<RemoteReplica> remotes, Map<String, String> settings) {
        // Who reaches no target knows of no copy.
    }

    /**
     * Removes what {@link #attach} made of a new pool whose creation failed; that was closed. Only
     * replicas with the pool's own uuid are its.
     *
     * @param settings as {@link ReplicatedPool#settings}
     * @param failure why; where a replica is left, or may be, the reason is added to it
     */
    default void discard(
            Path poolset,
            PoolUuid uuid,
            List<RemoteReplica> remotes,
            Map<String, String> settings,
            Throwable failure) {
        // Who makes none has none to remove.
    }
}
