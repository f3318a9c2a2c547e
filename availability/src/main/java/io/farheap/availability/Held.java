package io.farheap.availability;

import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.ReplicaReport;

/**
 * Who has a node's own copy.
 *
 * @param who a live writer's agent, or a program here; empty: nobody
 * @param epoch of a writer's agent, whose records it takes; 0: it takes none
 * @param record the last of them
 */
record Held(String who, long epoch, long record) {
    static final Held BY_NOBODY = new Held("", 0, 0);

    static Held in(ReplicaReport copy) {
        SlotReport slot = copy.slot();
        return copy.holder().isEmpty()
                ? BY_NOBODY
                : slot == null || slot.state() != ReplicaState.INSYNC
                        ? new Held(copy.holder(), 0, 0)
                        : new Held(copy.holder(), slot.journalEpoch(), slot.lastSequence());
    }

    boolean isByNobody() {
        return who.isEmpty();
    }

    /** Whether it gets records, as long as there are commits. */
    boolean takesRecords() {
        return epoch != 0;
    }
}
