package io.farheap.tools;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.RemoteReplicaClient;
import io.farheap.replication.ReplicaReport;
import io.farheap.replication.ReplicationSettings;
import java.util.ArrayList;
import java.util.List;

/** The removal of one remote replica. */
final class RemoteRemoval {
    private final RemoteReplicaClient client;
    private final RemoteReplica replica;
    private final boolean force;
    private final boolean poolsetFile;

    private RemoteRemoval(
            RemoteReplicaClient client, RemoteReplica replica, boolean force, boolean poolsetFile) {
        this.client = client;
        this.replica = replica;
        this.force = force;
        this.poolsetFile = poolsetFile;
    }

    /**
     * Looks at every remote replica of {@code set}.
     *
     * @param force whether replicas that are missing or cannot be reached are passed over
     * @throws FarheapException category REPLICA when one is missing, in use or out of reach
     */
    static List<RemoteRemoval> prepare(PoolSet set, boolean force, boolean poolsetFiles) {
        List<RemoteRemoval> removals = new ArrayList<>();
        List<RemoteReplica> replicas = set.remoteReplicas();
        for (int i = 0; i < replicas.size(); i++) {
            RemoteReplicaClient client =
                    new RemoteReplicaClient(
                            replicas.get(i), i, ReplicationSettings.fromEnvironment());
            if (isRemovable(client, replicas.get(i), force)) {
                removals.add(new RemoteRemoval(client, replicas.get(i), force, poolsetFiles));
            }
        }
        return removals;
    }

    private static boolean isRemovable(
            RemoteReplicaClient client, RemoteReplica replica, boolean force) {
        ReplicaReport found;
        try {
            found = client.inspect();
        } catch (FarheapException e) {
            if (force && e.category() == Category.REPLICA) {
                return false;
            }
            throw e;
        }
        if (found.slot() == null && found.faults().isEmpty()) {
            if (force) {
                return false;
            }
            throw new FarheapException(
                    Category.REPLICA,
                    "replica "
                            + replica
                            + " has no files on its target: nothing was removed; -f passes over"
                            + " what is missing");
        }
        if (!found.holder().isEmpty()) {
            throw new FarheapException(
                    Category.REPLICA,
                    "replica "
                            + replica
                            + " is in use by "
                            + found.holder()
                            + ": nothing was removed");
        }
        return true;
    }

    void remove() {
        client.remove(force, poolsetFile, false);
    }

    @Override
    public String toString() {
        return replica.toString();
    }
}
