package io.farheap.simulation.agent;

import io.farheap.agent.store.MemoryReplica;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;

/** What would come of a replica if it were promoted now. */
public final class PromotedCopy {
    /** What a replica says of itself. */
    public enum Claim {
        /** It is none that counts. */
        NONE,
        /** It is a member of the pool's epoch, and may lack the last commits. */
        LAGGING,
        /** It has everything. */
        CURRENT
    }

    private PromotedCopy() {}

    /**
     * Promotes a copy of a replica, if it belongs to the pool's epoch.
     *
     * @param number the local pool's
     */
    public static Claim promote(SimulatedTarget copy, long number) {
        MemoryReplica store = copy.open();
        Claim claim = claim(store, number);
        if (claim != Claim.NONE) {
            store.promote();
        }
        return claim;
    }

    private static Claim claim(MemoryReplica store, long number) {
        ReplicaSlot slot = store.slot();
        if (slot.state() != ReplicaState.INSYNC) {
            return Claim.NONE;
        }
        if (store.isCurrent(number)) {
            return Claim.CURRENT;
        }
        return slot.cur() == number && slot.mayLag() ? Claim.LAGGING : Claim.NONE;
    }
}
