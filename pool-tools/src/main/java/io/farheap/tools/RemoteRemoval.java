package io.farheap.tools;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.PoolUuid;
import io.farheap.replication.RemoteReplicaClient;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.session.ReplicaReport;
import io.farheap.tools.survey.TargetAnswer;
import java.util.ArrayList;
import java.util.List;

/** The removal of one remote replica. */
final class RemoteRemoval {
    private final RemoteReplicaClient client;
    private final TargetAnswer found;
    private final PoolUuid seen;
    private final boolean force;
    private final boolean poolsetFile;

    private RemoteRemoval(
            RemoteReplicaClient client,
            TargetAnswer found,
            PoolUuid pool,
            boolean force,
            boolean poolsetFile) {
        this.client = client;
        this.found = found;
        PoolUuid its = found.finding().poolsetUuid();
        this.seen = its == null ? pool : its;
        this.force = force;
        this.poolsetFile = poolsetFile;
    }

    /**
     * Of all remote replicas those that go.
     *
     * @param answers what their targets said
     * @param pool the uuid of the pool that they are of; null: nothing here tells
     * @param force whether replicas that are missing or cannot be reached are passed over
     * @throws FarheapException category REPLICA when one is missing, in use, out of reach or of
     *     another pool
     */
    static List<RemoteRemoval> prepare(
            List<TargetAnswer> answers,
            PoolUuid pool,
            ReplicationSettings settings,
            boolean force,
            boolean poolsetFiles) {
        List<RemoteRemoval> removals = new ArrayList<>();
        for (TargetAnswer found : answers) {
            if (isRemovable(found, pool, force)) {
                RemoteReplicaClient client =
                        new RemoteReplicaClient(found.replica(), found.index(), settings);
                removals.add(new RemoteRemoval(client, found, pool, force, poolsetFiles));
            }
        }
        return removals;
    }

    /**
     * Whether it is passed over though there may be something of it: its target was not reached, or
     * does not show it. One without even a poolset there does not show it: the file system that it
     * is on may not be mounted.
     */
    static boolean isLeft(TargetAnswer found) {
        return found.report() == null;
    }

    private static boolean isRemovable(TargetAnswer found, PoolUuid pool, boolean force) {
        ReplicaReport report = found.report();
        if (report == null) {
            if (force && found.failure().category() == Category.REPLICA) {
                return false;
            }
            throw found.failure();
        }
        if (found.finding().isAbsent()) {
            if (force) {
                // Its poolset stays, too: what it names may lie on a file system that is not there.
                return false;
            }
            throw refusal(
                    found,
                    "has no files on its target: nothing was removed; -f passes over what is"
                            + " missing");
        }
        PoolUuid its = found.finding().poolsetUuid();
        if (pool != null && its != null && !pool.equals(its)) {
            throw refusal(
                    found,
                    "is of another pool ("
                            + its
                            + ") than the files here ("
                            + pool
                            + "), and may be its last copy: nothing was removed; take its REPLICA"
                            + " line out of the poolset file, or name another poolset in it");
        }
        if (!report.holder().isEmpty()) {
            throw refusal(found, "is in use by " + report.holder() + ": nothing was removed");
        }
        return true;
    }

    private static FarheapException refusal(TargetAnswer found, String why) {
        return FarheapException.replica("replica %s %s", found.replica(), why);
    }

    /** Its place in the poolset file, all replicas counted. */
    int place() {
        return found.place();
    }

    void remove() {
        // Of what was looked at, and shown: the target may hold another pool by now.
        client.remove(seen, force, poolsetFile, false);
    }

    @Override
    public String toString() {
        return found.replica().toString();
    }
}
