package io.farheap.agent.session;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.replica.FormerWriter;
import io.farheap.agent.replica.ReplicaInspection;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.agent.replica.ReplicaRemoval;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SlotReport;

/**
 * Whether what lies here is a copy of the record whose writer says hello
 * (docs/high-availability.md#the-term-at-a-copy). Such a writer overwrites what its record does not
 * name; what no record's writer was ever at may be a pool of its own, with commits that are nowhere
 * else.
 */
final class RecordsCopy {
    private RecordsCopy() {}

    /**
     * Before the hello leaves its term here: from then on the copy would pass for the record's.
     *
     * @throws Refusal OUTSIDE_RECORD where the copy has no term, and is not known to be older than
     *     the writer's pool
     */
    static void require(ReplicaPaths paths, SlotReport slot, Request.Hello request) {
        if (request.term() == 0 || slot.term() != 0) {
            return;
        }
        AttachDecision kind =
                slot.decisionOn(request.runId(), request.descendsFrom(), request.committed());
        String what =
                switch (kind) {
                    case NEW, CURRENT, SYNC_INTERRUPTED, STALE, NONE -> "";
                    case TAKEN_OVER -> "a pool of its own, which was promoted";
                    case OPENED_ON_TARGET -> "a pool that a program has opened past the agent";
                    case NOT_COMPARABLE -> "of a history that can't be compared with the writer's";
                };
        if (!what.isEmpty() && !FormerWriter.hasLeftItsTerm(paths)) {
            throw refusal(paths, what + " (" + ReplicaInspection.holds(slot) + ")");
        }
    }

    /**
     * The same before anything is opened, of part files without a journal: those that a writer of
     * the record has left have its term beside them.
     */
    static void requireParts(ReplicaPaths paths, Request.Hello request) {
        ReplicaRemoval here = new ReplicaRemoval(paths);
        if (request.term() != 0 && here.isAPoolAlone() && !FormerWriter.hasLeftItsTerm(paths)) {
            throw refusal(paths, "a pool, or a replica whose journal is gone");
        }
    }

    private static Refusal refusal(ReplicaPaths paths, String what) {
        return new Refusal(
                Code.OUTSIDE_RECORD,
                "On the target "
                        + paths.name()
                        + " is "
                        + what
                        + ", and no writer of the record was ever there: what was committed there"
                        + " may be nowhere else.",
                "Nothing was done there. Compare it with the writer's pool; to have the writer make"
                        + " a copy there, move these files to another directory, parts and what lies"
                        + " beside them, and keep them until you know.");
    }
}
