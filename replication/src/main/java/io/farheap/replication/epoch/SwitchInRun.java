package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.AttachDecisions;
import io.farheap.replication.session.ReplicaSession;
import io.farheap.spi.ReplicatedPool;
import java.util.HashMap;
import java.util.Map;

/** The switch in a run: transactions are open, so no content goes; the journals have it all. */
final class SwitchInRun implements SwitchMode {
    private final ReplicatedPool pool;
    private final Map<Long, Long> committed;
    private final ReplicaTracker joining;

    /**
     * @param committed by the number of an epoch, its last committed sequence number
     * @param joining has a complete copy, and becomes a member; null: nobody joins
     */
    SwitchInRun(ReplicatedPool pool, Map<Long, Long> committed, ReplicaTracker joining) {
        this.pool = pool;
        this.committed = new HashMap<>(committed);
        this.joining = joining;
    }

    @Override
    public void admit(ReplicaTracker copy, ReplicaSession member) {
        SlotReport slot = member.verdict().slot();
        if (member.verdict().kind() != AttachDecision.CURRENT
                || !isJoined(slot) && !committed.containsKey(slot.journalEpoch())) {
            throw AttachDecisions.changedMeanwhile(pool, member);
        }
    }

    /** It was copied for the pool's number, and not confirmed: it has all, and no record. */
    private static boolean isJoined(SlotReport slot) {
        return slot.state() == ReplicaState.SYNCING;
    }

    @Override
    public long committedIn(long number) {
        return committed.getOrDefault(number, SlotReport.NOT_KNOWN);
    }

    @Override
    public void bringUp(ReplicaTracker copy, ReplicaSession member, long next) {
        SlotReport slot = member.verdict().slot();
        if (copy == joining && member.verdict().kind() != AttachDecision.CURRENT) {
            member.completeSync(next);
            return;
        }
        member.drain(isJoined(slot) ? 0 : committed.get(slot.journalEpoch()));
        member.prepare();
    }

    /** When it is cut from here on, members that were confirmed are found in that number. */
    @Override
    public void switched(long number) {
        committed.putIfAbsent(number, 0L);
    }

    @Override
    public boolean goesOnWithout(ReplicaTracker copy, FarheapException why) {
        return copy.isOptional();
    }

    @Override
    public boolean poolIsOpen() {
        return true;
    }
}
