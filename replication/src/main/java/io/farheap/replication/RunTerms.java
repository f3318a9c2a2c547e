package io.farheap.replication;

import io.farheap.FarheapException;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.control.VerdictKind;
import io.farheap.spi.ReplicatedPool;
import java.util.HashMap;
import java.util.Map;

/** The switch in a run: transactions are open, so no content goes; the journals have it all. */
final class RunTerms implements Terms {
    private final ReplicatedPool pool;
    private final Map<Long, Long> committed;
    private final RemoteCopy joining;

    /**
     * @param committed by the number of an epoch, its last committed sequence number
     * @param joining has a complete copy, and becomes a member; null: nobody joins
     */
    RunTerms(ReplicatedPool pool, Map<Long, Long> committed, RemoteCopy joining) {
        this.pool = pool;
        this.committed = new HashMap<>(committed);
        this.joining = joining;
    }

    @Override
    public void admit(RemoteCopy copy, Member member) {
        SlotReport slot = member.verdict().slot();
        if (member.verdict().kind() != VerdictKind.RECOGNISED
                || !committed.containsKey(slot.journalEpoch())) {
            throw Verdicts.changedMeanwhile(pool, member);
        }
    }

    @Override
    public long committedIn(long number) {
        return committed.getOrDefault(number, SlotReport.NOT_KNOWN);
    }

    @Override
    public void bringUp(RemoteCopy copy, Member member, long next) {
        if (copy == joining) {
            member.completeSync(next);
            return;
        }
        member.drain(committed.get(member.verdict().slot().journalEpoch()));
        member.prepare();
    }

    /** When it is cut from here on, members that were confirmed are found in that number. */
    @Override
    public void switched(long number) {
        committed.putIfAbsent(number, 0L);
    }

    @Override
    public boolean goesOnWithout(RemoteCopy copy, FarheapException why) {
        return copy.isOptional();
    }

    @Override
    public boolean poolIsOpen() {
        return true;
    }
}
