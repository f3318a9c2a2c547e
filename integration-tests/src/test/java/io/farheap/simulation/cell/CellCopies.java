package io.farheap.simulation.cell;

import io.farheap.agent.Promotion;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.epoch.SwitchRecorder;
import io.farheap.replication.epoch.TakenTail;
import io.farheap.replication.session.AgentConnector;
import io.farheap.replication.session.ReplicaReport;
import io.farheap.simulation.engine.NodeServices;
import io.farheap.simulation.engine.World;
import io.farheap.spi.ReplicaSink;
import io.farheap.spi.ReplicatedPool;
import java.nio.file.Path;

/** What the calls of fail-over become that reach a node's copy, or the other nodes' ones. */
public final class CellCopies {
    private CellCopies() {}

    private static CellNode node() {
        return (CellNode) World.current().process().machine().services(NodeServices.class);
    }

    /** There are no files. */
    public static Promotion of(Path poolset) {
        return null;
    }

    public static boolean hasJournal(Promotion copy) {
        return true;
    }

    public static Path firstPart(Promotion copy) {
        return CellPoolView.FIRST_PART;
    }

    public static ReplicaReport look(Promotion copy) {
        return node().look();
    }

    public static TakenTail takeOver(
            Promotion copy, String who, long term, long recordId, long number) {
        return node().takeOver(number);
    }

    public static TakenTail replayedTail(Promotion copy, String who) {
        return TakenTail.NONE;
    }

    /** Instead of the replication module. */
    public static ReplicaSink attachTo(
            ReplicatedPool pool,
            AttachOptions options,
            ReplicationSettings settings,
            AgentConnector agents,
            SwitchRecorder recorder) {
        CellPoolView view = (CellPoolView) pool;
        view.pool().attach(view.node(), recorder);
        return null;
    }
}
