package io.farheap.it.system;

import io.farheap.it.support.Machines;
import io.farheap.replication.journal.ReplicaSlot;
import java.nio.file.Path;

/** A replica whose files and agent are on this machine. */
public final class ReplicaHere implements ReplicaSite {
    private final Machines machines;
    private final Path part;

    /**
     * @param part the replica's only one
     */
    public ReplicaHere(Machines machines, Path part) {
        this.machines = machines;
        this.part = part;
    }

    @Override
    public long agent() {
        return machines.agentOf(part).pid();
    }

    @Override
    public void kill(long agent) {
        Machines.signal("KILL", ProcessHandle.of(agent).orElseThrow());
    }

    @Override
    public boolean hasEnded(long agent) {
        return ProcessHandle.of(agent).map(Machines::hasEnded).orElse(true);
    }

    @Override
    public Epochs epochs() {
        ReplicaSlot slot = ReplicaCopy.slotOf(part);
        return new Epochs(slot.cur(), slot.next());
    }

    @Override
    public String state() {
        return PoolState.ofFile(part).toString();
    }

    @Override
    public String stateWithoutBlocks() {
        return PoolState.ofFile(part).withoutBlocks().toString();
    }

    @Override
    public Alone promoteCopy(long seed, int threads) {
        try (ReplicaCopy copy = ReplicaCopy.of(part)) {
            long undecided = copy.undecidedFootprint();
            var unused = copy.promote();
            return new Alone(undecided, copy.assertWhole(seed, threads));
        }
    }
}
