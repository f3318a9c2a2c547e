package io.farheap.agent;

import io.farheap.replication.control.VerdictKind;
import io.farheap.replication.journal.ReplicaState;
import java.util.List;

/** What would come of a replica if it were promoted now. */
public final class PromotedCopy {
    private PromotedCopy() {}

    /**
     * Promotes a copy of a replica, if it claims to be current.
     *
     * @param number the local pool's
     * @return whether it does
     */
    public static boolean promote(SimulatedTarget copy, long number) {
        ReplicaStore store = copy.open();
        boolean current =
                store.slot().state() == ReplicaState.INSYNC
                        && store.report().verdictOn(number, List.of()) == VerdictKind.RECOGNISED;
        if (current) {
            long unused = store.promote();
        }
        return current;
    }
}
