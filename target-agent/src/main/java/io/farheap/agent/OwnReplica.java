package io.farheap.agent;

import io.farheap.agent.journal.JournalDevices;
import io.farheap.agent.lock.ReplicaLock;
import io.farheap.agent.replica.ReplicaInspection;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.poolset.PoolSet;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.ReplicaReport;
import java.nio.file.Path;
import java.util.Optional;

/** A replica of another machine's pool, looked at on its own machine. */
public final class OwnReplica {
    private OwnReplica() {}

    /**
     * Looks at the files without changing them, whether an agent has them or not.
     *
     * @param file a poolset file; one that names copies on other machines, too, is what their
     *     program opens when it is this machine's turn to write, and its part files are a replica's
     *     until then
     * @param set what it says
     * @return empty where that is no replica of another machine's pool
     */
    public static Optional<ReplicaReport> look(Path file, PoolSet set) {
        if (set.localReplicas().size() != 1 || set.isDirectorySet()) {
            return Optional.empty();
        }
        ReplicaPaths paths = new ReplicaPaths(file.toString(), file, set, JournalDevices.NONE);
        if (!paths.journal().exists()) {
            return Optional.empty();
        }
        String holder = ReplicaLock.holder(paths.lock());
        ReplicaInspection found = ReplicaInspection.of(paths, !holder.isEmpty());
        boolean owned = found.slot() == null || found.slot().state() == ReplicaState.PROMOTED;
        if (owned && paths.hasReplicas()) {
            return Optional.empty(); // a pool with replicas of its own
        }
        return Optional.of(
                new ReplicaReport(
                        found.slot(),
                        found.header(),
                        set.poolSize(),
                        found.faults(),
                        holder.isEmpty() ? found.program() : holder));
    }
}
