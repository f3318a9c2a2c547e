package io.farheap.simulation.agent;

import io.farheap.agent.store.MemoryReplica;
import io.farheap.base.FarheapException;
import io.farheap.engine.CopyRecovery;
import io.farheap.replication.journal.KeptTerm;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;

/** What would come of a node's copy if the node took over now. */
public final class TakenCopy {
    private TakenCopy() {}

    /** Whether it has the content of the recorded number, as far as its numbers tell. */
    public static boolean mayBecome(SimulatedTarget disk, KeptTerm kept, long number) {
        if (!disk.exists()) {
            return false;
        }
        ReplicaSlot slot = disk.slot();
        if (slot.state() == ReplicaState.PROMOTED) {
            long has = disk.runId() == slot.poolRunId() ? slot.cur() : disk.runId();
            return has == number || kept.isPrepared(has, number);
        }
        boolean whole = slot.state() == ReplicaState.INSYNC && slot.cur() == number;
        return whole && !slot.mayLag() || slot.next() != 0 && slot.next() == number;
    }

    /** Does with a copy of a disk what a take-over does, up to a pool at rest. */
    public static void take(SimulatedTarget copy, KeptTerm kept, long number) {
        try {
            MemoryReplica store = copy.open();
            if (store.slot().state() != ReplicaState.PROMOTED) {
                store.takeOver(number);
            }
            CopyRecovery.recover(copy.image().memory());
        } catch (FarheapException e) {
            throw new IllegalStateException("it can't take over: " + e.getMessage(), e);
        }
    }
}
