package io.farheap.availability;

import io.farheap.agent.Promotion;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.epoch.TakenTail;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.ReplicaReport;

/** This node's copy, of a pool whose record a person repairs. */
interface RepairedCopy {
    /** What it holds. A take-over that was cut comes to its end; else nothing is changed. */
    SeenCopy look(String node);

    /** Writers of a lower term are not heeded by it; looks only, whoever has it. */
    long heard();

    /** What the node has seen of the store; nothing is written by this. */
    SeenStamps stamps();

    /**
     * From now on it listens to no writer of a lower term; cut anywhere, it is done again.
     *
     * @throws io.farheap.base.FarheapException somebody has it, or it can't be done
     */
    void fence(String node, long term, long number);

    /** That of a poolset file. */
    static RepairedCopy of(Promotion copy) {
        return new RepairedCopy() {
            @Override
            public SeenCopy look(String node) {
                TermFile file = TermFile.beside(copy.firstPart());
                SeenCopy seen = SeenCopy.of(node, settled(node));
                boolean neverReplica = seen.kind() == SeenCopy.Kind.UNTOLD && !copy.hasJournal();
                SeenCopy known =
                        neverReplica && copy.number() != 0 ? seen.withNumber(copy.number()) : seen;
                return known.withKept(file.term(), file.nextOf(known.number()));
            }

            /** Else it might be taken for one with the number that it had before. */
            private ReplicaReport settled(String node) {
                ReplicaReport found = copy.look();
                SlotReport slot = found.slot();
                boolean moved =
                        slot != null
                                && slot.state() == ReplicaState.PROMOTED
                                && slot.headerRunId() != slot.cur();
                if (!moved || !found.holder().isEmpty() || !found.faults().isEmpty()) {
                    return found;
                }
                TakenTail unused = copy.replayedTail(node);
                return copy.look();
            }

            @Override
            public long heard() {
                SlotReport slot = copy.look().slot();
                long kept = TermFile.beside(copy.firstPart()).term();
                return Math.max(kept, slot == null ? 0 : slot.term());
            }

            @Override
            public SeenStamps stamps() {
                return new WaitingStamps(copy.firstPart());
            }

            @Override
            public void fence(String node, long term, long number) {
                if (copy.hasJournal()) {
                    copy.fenceIfFree(node, term, number);
                } else {
                    copy.whileFree(node, () -> TermFile.beside(copy.firstPart()).raise(term));
                }
            }
        };
    }
}
