package io.farheap.tools;

import io.farheap.FarheapException;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.ReplicationSettings;
import io.farheap.replication.control.ControlClient;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.control.Request;
import java.util.ArrayList;
import java.util.List;

/** The removal of one remote replica, which its agent holds locked meanwhile. */
final class RemoteRemoval implements AutoCloseable {
    private final ControlClient agent;
    private final boolean force;
    private final boolean poolsetFile;

    private RemoteRemoval(ControlClient agent, boolean force, boolean poolsetFile) {
        this.agent = agent;
        this.force = force;
        this.poolsetFile = poolsetFile;
    }

    /** Locks every remote replica of {@code set}; with {@code force} those that can be reached. */
    static List<RemoteRemoval> prepare(PoolSet set, boolean force, boolean poolsetFiles) {
        List<RemoteRemoval> removals = new ArrayList<>();
        if (set.remoteReplicas().isEmpty()) {
            return removals;
        }
        ReplicationSettings settings = ReplicationSettings.fromEnvironment();
        try {
            for (int i = 0; i < set.remoteReplicas().size(); i++) {
                RemoteReplica replica = set.remoteReplicas().get(i);
                try {
                    removals.add(
                            new RemoteRemoval(locked(settings, replica, i), force, poolsetFiles));
                } catch (FarheapException e) {
                    if (!force) {
                        throw e;
                    }
                }
            }
            return removals;
        } catch (RuntimeException e) {
            removals.forEach(RemoteRemoval::close);
            throw e;
        }
    }

    private static ControlClient locked(
            ReplicationSettings settings, RemoteReplica replica, int index) {
        return ReplicaAgent.connect(settings, replica, index, Purpose.REMOVE);
    }

    /** Removes the files of the replica, with {@code force} as far as that is possible. */
    void remove() {
        try {
            agent.perform(new Request.Remove(force, poolsetFile));
        } catch (RefusedException e) {
            if (!force) {
                throw e;
            }
        }
    }

    @Override
    public void close() {
        if (agent.failure() == null) {
            agent.close();
        }
    }
}
