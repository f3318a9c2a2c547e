package io.farheap.tools.verify;

import io.farheap.base.FarheapException;
import io.farheap.replication.RemoteReplicaClient;
import io.farheap.replication.session.ComparedReplica;
import io.farheap.replication.session.NotReachedException;
import io.farheap.replication.session.ReplicaReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The remote copies, each taken by the question that is asked of it anyway; one that can't be taken
 * is only looked at. Thread-safe: targets are asked all at once.
 */
final class TakenReplicas implements AutoCloseable {
    // Guarded by this, and what they hold, too.
    private final Map<Integer, ComparedReplica> taken = new HashMap<>();
    private final Map<Integer, String> refusals = new HashMap<>();
    private boolean closed;

    /**
     * What is there of the replica, which is taken if that is possible.
     *
     * @param place in the poolset file
     * @param index its place among the remote ones
     */
    ReplicaReport ask(int place, int index, RemoteReplicaClient client) {
        ComparedReplica held = get(index);
        if (held != null) {
            return held.report();
        }
        try {
            ComparedReplica compared = client.compare();
            keep(index, compared);
            return compared.report();
        } catch (NotReachedException e) {
            throw e;
        } catch (FarheapException e) {
            synchronized (this) {
                refusals.put(index, e.getMessage());
            }
            return client.inspect();
        }
    }

    private synchronized void keep(int index, ComparedReplica compared) {
        if (closed) {
            compared.close(); // nobody waits for it any more
        } else {
            taken.put(index, compared);
        }
    }

    /** Null where it could not be taken. */
    synchronized ComparedReplica get(int index) {
        return taken.get(index);
    }

    /** Why it could not be taken, or null. */
    synchronized String refusal(int index) {
        return refusals.get(index);
    }

    @Override
    public void close() {
        List<ComparedReplica> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(taken.values());
        }
        all.forEach(ComparedReplica::close);
    }
}
