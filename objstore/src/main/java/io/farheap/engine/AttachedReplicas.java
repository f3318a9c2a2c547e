package io.farheap.engine;

import io.farheap.base.FarheapException;
import io.farheap.base.PoolPosition;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ScrubResult;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.poolset.RemoteReplica;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.SinkCounters;
import java.util.List;

/**
 * What an open pool tells of its remote replicas, and asks of them beside commits; also of one that
 * has none. Thread-safe.
 */
public final class AttachedReplicas {
    private final PoolMemory memory;
    private final Descriptor descriptor;
    private final ReplicatedHeapStores stores;

    /**
     * @param stores who knows the sink, which may come later
     */
    AttachedReplicas(PoolMemory memory, Descriptor descriptor, ReplicatedHeapStores stores) {
        this.memory = memory;
        this.descriptor = descriptor;
        this.stores = stores;
    }

    /** How the remote replicas are; none where there are none. */
    public List<ReplicaStatus> states() {
        ReplicaSink sink = stores.sink();
        return sink == null ? List.of() : sink.replicas();
    }

    /** How far the stream of commits has come, if there is one. */
    public PoolPosition position() {
        ReplicaSink sink = stores.sink();
        return sink == null ? new PoolPosition(descriptor.runId(), 0) : sink.position();
    }

    /** Compares the remote replicas with the pool. */
    public ScrubResult scrub() {
        ReplicaSink sink = stores.sink();
        return sink == null ? ScrubResult.NOTHING : sink.scrub();
    }

    /** When the last comparison of all of them ended, since 1970; 0: none has. */
    public long comparedMillis() {
        ReplicaSink sink = stores.sink();
        return sink == null ? 0 : sink.comparedMillis();
    }

    /**
     * From now on these are to be the remote replicas.
     *
     * @param alone whether none may be left that has every commit
     * @throws FarheapException when that must not be, or can't be now; nothing has changed then
     */
    public void reload(List<RemoteReplica> remotes, boolean alone) {
        ReplicaSink sink = stores.sink();
        if (sink != null) {
            sink.reload(remotes, alone);
        } else if (!remotes.isEmpty()) {
            throw FarheapException.wrongUse(
                    "%s was opened without remote replicas, and gets none while it is open: close"
                            + " it and open it again; nothing has changed",
                    memory.name());
        }
    }

    /** What was sent to them. */
    public SinkCounters posted() {
        ReplicaSink sink = stores.sink();
        return sink == null ? SinkCounters.NONE : sink.counters();
    }
}
