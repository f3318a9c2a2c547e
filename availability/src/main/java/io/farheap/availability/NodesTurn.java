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
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/** A turn whose plan comes from the poolset file that the program opens. */
final class NodesTurn extends WritersTurn {
    private final NodePlans plans;
    private final Path ownPart;
    private final Consumer<String> lost;
    private long term;

    /** Of the pool that was opened last; null: none. */
    private volatile RecordedSwitches.Plan plan;

    /** What was told last. */
    private volatile RecordedSwitches.Plan told;

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
        this.plans = new NodePlans(said);
        this.ownPart = copy.firstPart();
        this.lost = lost;
    }

    /** The files that are open must be those that the record speaks of. */
    @Override
    RecordedSwitches.Plan planFor(ReplicatedPool pool) {
        if (!isSameFile(ownPart, pool.sideFiles())) {
            throw FarheapException.wrongUse(
                    "%s has its first part in %s, and this node's copy is in %s: name the same"
                            + " parts in both poolset files.",
                    pool.poolsetFile(), pool.sideFiles(), ownPart);
        }
        plan = plans.atOpen(pool.poolsetFile(), pool.remotes());
        return plan;
    }

    @Override
    RecordedSwitches.Plan planFor(ReplicatedPool pool, List<RemoteReplica> remotes) {
        RecordedSwitches.Plan made = plans.later(pool.poolsetFile(), remotes);
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

    /**
     * Calls this when the pool has other replicas than were {@linkplain #told}; it must not block.
     */
    void onReplanned(Runnable action) {
        replanned = action;
        if (plan != told) {
            action.run(); // since then
        }
    }

    /** What is told of it in the store. */
    Lead.Turn told(Instant since) {
        RecordedSwitches.Plan now = plan;
        told = now;
        SortedSet<String> nodes = new TreeSet<>(now.nodes().values());
        nodes.add(now.node());
        return new Lead.Turn(since.getEpochSecond(), nodes, now.minCopies());
    }
}
