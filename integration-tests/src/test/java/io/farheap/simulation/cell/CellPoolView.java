package io.farheap.simulation.cell;

import io.farheap.base.ReplicaPolicy;
import io.farheap.poolset.RemoteReplica;
import io.farheap.spi.ReplicatedPool;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/** A pool that is being opened, without any content. */
final class CellPoolView implements ReplicatedPool {
    static final Path FIRST_PART = Path.of("/cell/pool.part0");

    private final CellPool pool;
    private final CellNode node;
    private final long number;

    CellPoolView(CellPool pool, CellNode node, long number) {
        this.pool = pool;
        this.node = node;
        this.number = number;
    }

    CellPool pool() {
        return pool;
    }

    CellNode node() {
        return node;
    }

    @Override
    public Path poolsetFile() {
        return Path.of("/cell/pool.set");
    }

    @Override
    public List<RemoteReplica> remotes() {
        return pool.others(node).stream().map(CellNode::asReplica).toList();
    }

    @Override
    public ReplicaPolicy policy(RemoteReplica replica) {
        return ReplicaPolicy.FAIL;
    }

    @Override
    public Path sideFiles() {
        return FIRST_PART;
    }

    @Override
    public int mode() {
        return 0600;
    }

    @Override
    public MemorySegment headerTemplate() {
        throw new UnsupportedOperationException("no content");
    }

    @Override
    public String layout() {
        return "cell";
    }

    @Override
    public MemorySegment image() {
        throw new UnsupportedOperationException("no content");
    }

    @Override
    public void readCommitted(long offset, MemorySegment target, long length) {
        throw new UnsupportedOperationException("no content");
    }

    @Override
    public long runId() {
        return number;
    }

    @Override
    public void switchRunId(long runId) {
        throw new UnsupportedOperationException("switches are played");
    }
}
