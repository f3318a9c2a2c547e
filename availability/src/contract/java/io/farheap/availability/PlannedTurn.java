package io.farheap.availability;

import io.farheap.ObjectPool;
import io.farheap.agent.Promotion;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.function.Supplier;

/** A node's turn to write, by a plan and over a store that a test brings along. */
public final class PlannedTurn {
    private final WritersTurn turn;

    /**
     * @param copy the poolset file of the node's own copy
     * @param nodes the names of the nodes that the poolset file's replicas are on
     */
    public PlannedTurn(
            Coordinator store,
            String cluster,
            String pool,
            String node,
            Path copy,
            Map<RemoteReplica, String> nodes,
            int minCopies) {
        Promotion own = Promotion.of(copy);
        TermFile term = TermFile.beside(own.firstPart());
        PoolRecord record =
                new PoolRecord(store, new PoolKeys(cluster, pool), node, term, new SecureRandom());
        turn =
                new WritersTurn(
                        record,
                        new RecordedSwitches.Plan(node, nodes, minCopies),
                        ReplicationSettings.fromEnvironment(),
                        own,
                        term);
    }

    /** Makes the pool, as its first writer. */
    public ObjectPool create(Supplier<ObjectPool> opening) {
        return turn.create(opening);
    }

    /** Takes over, and opens it. */
    public ObjectPool open(Supplier<ObjectPool> opening) {
        return turn.open(opening);
    }
}
