package io.farheap.spi;

/** Found by {@link java.util.ServiceLoader}; the replication module provides the one there is. */
public interface ReplicaSinkProvider {

    /**
     * Attaches every remote replica of the pool (the switch of the replication protocol, full copy
     * and reconciliation included) and returns when commits may begin. {@code pool.runId()} has
     * changed then.
     *
     * @throws io.farheap.FarheapException category REPLICA when a replica can't be attached
     */
    ReplicaSink attach(ReplicatedPool pool);
}
