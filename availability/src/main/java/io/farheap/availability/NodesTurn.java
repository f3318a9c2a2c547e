package io.farheap.availability;

import io.farheap.agent.Promotion;
import io.farheap.base.FarheapException;
import io.farheap.base.PoolDeposedException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.epoch.SwitchRecorder;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicatedPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/** A turn whose plan comes from the poolset file that the program opens. */
final class NodesTurn extends WritersTurn {
    private final RecordedSwitches.Plan said;
    private final Path ownPart;
    private final Consumer<String> lost;
    private long term;

    /** Of the pool that was opened last; null: none. */
    private volatile RecordedSwitches.Plan plan;

    private volatile Runnable replanned = () -> {};

    /**
     * @param said the nodes that have other names than the hosts of their replicas
     * @param lost is told why the turn is over, on any thread
     */
    NodesTurn(
            PoolRecord record,
            RecordedSwitches.Plan said,
            Promotion copy,
            TermFile own,
            Consumer<String> lost) {
        super(record, said, ReplicationSettings.fromEnvironment(), copy, own);
        this.said = said;
        this.ownPart = copy.firstPart();
        this.lost = lost;
    }

    /** The files that are open must be those that the record speaks of. */
    @Override
    RecordedSwitches.Plan planFor(ReplicatedPool pool, List<RemoteReplica> remotes) {
        if (!isSameFile(ownPart, pool.sideFiles())) {
            throw FarheapException.wrongUse(
                    "%s has its first part in %s, and this node's copy is in %s: name the same"
                            + " parts in both poolset files.",
                    pool.poolsetFile(), pool.sideFiles(), ownPart);
        }
        Map<RemoteReplica, String> nodes = new HashMap<>();
        for (RemoteReplica replica : remotes) {
            String node = said.nodes().getOrDefault(replica, replica.host());
            if (node.equals(said.node()) || nodes.containsValue(node)) {
                throw FarheapException.wrongUse(
                        "%s: two copies are said to be of the node %s; each has a node of its own.",
                        pool.poolsetFile(), node);
            }
            nodes.put(replica, NodeNames.require("node", node));
        }
        RecordedSwitches.Plan made =
                new RecordedSwitches.Plan(said.node(), nodes, said.minCopies());
        plan = made;
        replanned.run();
        return made;
    }

    private static boolean isSameFile(Path one, Path other) {
        try {
            return Files.isSameFile(one, other);
        } catch (IOException e) {
            throw FarheapException.environment(
                    e, "cannot find out whether %s is %s: %s", one, other, e);
        }
    }

    @Override
    ReplicaSink attach(ReplicatedPool pool, SwitchRecorder recorder) {
        term = recorder.term();
        return super.attach(pool, recorder);
    }

    @Override
    void deposed(PoolDeposedException why) {
        lost.accept(why.getMessage());
    }

    /** Of the pool that was opened. */
    long term() {
        return term;
    }

    /** Calls this when the pool has other replicas; must not block. */
    void onReplanned(Runnable action) {
        replanned = action;
    }

    /** What is told of it in the store. */
    Lead.Turn told(Instant since) {
        SortedSet<String> nodes = new TreeSet<>(plan.nodes().values());
        nodes.add(plan.node());
        return new Lead.Turn(since.getEpochSecond(), nodes, plan.minCopies());
    }
}
