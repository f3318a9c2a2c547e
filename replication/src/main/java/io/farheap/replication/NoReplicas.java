package io.farheap.replication;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.RefusedException;
import io.farheap.replication.epoch.Parallel;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.ReplicaReport;
import java.nio.file.Path;
import java.util.List;

/**
 * Requires that no target holds a copy of the pool that is to be created: where one does, or may,
 * the pool was lost here, and must come back from there.
 */
final class NoReplicas {
    private final Path poolset;
    private final ReplicationSettings settings;

    NoReplicas(Path poolset, ReplicationSettings settings) {
        this.poolset = poolset;
        this.settings = settings;
    }

    /**
     * Asks them all at once.
     *
     * @throws FarheapException WRONG_USE where one holds a copy, REPLICA where one can't be asked
     */
    void require(List<RemoteReplica> remotes) {
        try {
            Throwable[] failures =
                    Parallel.collect(remotes.size(), i -> require(remotes.get(i), i));
            // What is found somewhere matters more than what is not.
            for (Throwable failure : failures) {
                if (failure instanceof FarheapException e && e.category() == Category.WRONG_USE) {
                    throw e;
                }
            }
            Parallel.throwFirst(failures);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw FarheapException.replica(
                    e, "%s: interrupted while its targets were asked", poolset);
        }
    }

    private void require(RemoteReplica replica, int index) {
        ReplicaReport found;
        try {
            found = new RemoteReplicaClient(replica, index, settings).inspect();
        } catch (RefusedException e) {
            throw e; // it answers, and says why nothing can be made there
        } catch (FarheapException e) {
            throw new FarheapException(
                    e.category(),
                    e.getMessage() + "; no pool is created while that target may hold a copy of it",
                    e);
        }
        boolean empty = found.slot() != null && found.slot().state() == ReplicaState.NEW;
        if (!empty && (found.slot() != null || !found.faults().isEmpty())) {
            throw FarheapException.wrongUse(
                    "replica %s: the target holds %s, and no pool is created over it; %s",
                    replica, found.text(), nextStep(found));
        }
    }

    private String nextStep(ReplicaReport found) {
        if (found.isComplete()) {
            return "to restore that pool: farheap sync " + poolset;
        }
        return "what every copy holds, and what to do: farheap status " + poolset;
    }
}
