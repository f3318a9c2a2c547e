package io.farheap.agent.session;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.replica.FormerWriter;
import io.farheap.agent.replica.ReplicaInspection;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.agent.replica.ReplicaRemoval;
import io.farheap.agent.store.SlotEvents;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.Request;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.KeptTerm;
import io.farheap.replication.journal.ReplicaState;
import java.util.Optional;

/**
 * Whether what lies here is a copy of the record whose writer says hello
 * (docs/high-availability.md#the-same-record). Such a writer overwrites what its record does not
 * name; what is not known to be of that record may have commits that are nowhere else.
 */
final class RecordsCopy {
    private RecordsCopy() {}

    /**
     * Before the hello leaves its term here: from then on the copy would pass for the record's.
     *
     * @throws Refusal OUTSIDE_RECORD where the copy is neither known to be of the record nor to be
     *     older than the writer's pool
     */
    static void require(ReplicaPaths paths, SlotReport slot, Request.Hello request) {
        boolean another = SlotEvents.isOfAnother(slot.recordId(), request.recordId());
        if (request.term() == 0 || another || isOfTheRecord(paths, slot, request)) {
            return; // what is another record's is refused by the greeting itself
        }
        AttachDecision kind =
                slot.decisionOn(request.runId(), request.descendsFrom(), request.committed());
        if (slot.mayHaveMore(kind) && !isReturning(paths, slot, request)) {
            throw refusal(
                    paths,
                    what(kind) + " (" + ReplicaInspection.holds(slot) + ")",
                    slot.term(),
                    request);
        }
    }

    private static String what(AttachDecision kind) {
        return switch (kind) {
            case TAKEN_OVER -> "a pool of its own, which was promoted";
            case OPENED_ON_TARGET -> "a pool that a program has opened past the agent";
            case SYNC_INTERRUPTED -> "a complete copy, which its record may name";
            default -> "of a history that can't be compared with the writer's";
        };
    }

    /** The record may name a former writer's copy, which has the recorded number. */
    private static boolean isReturning(ReplicaPaths paths, SlotReport slot, Request.Hello request) {
        return request.purpose() == Purpose.RETURN
                && (slot.cur() == request.runId()
                        || FormerWriter.keptIfKnown(paths)
                                .filter(kept -> kept.isPrepared(slot.cur(), request.runId()))
                                .isPresent());
    }

    /** By what a writer of the record has left here: in the slot, or when it wrote here itself. */
    private static boolean isOfTheRecord(
            ReplicaPaths paths, SlotReport slot, Request.Hello request) {
        if (slot.recordId() != 0) {
            return request.recordId().equals(slot.recordId());
        }
        boolean wroteLast = slot.term() == 0 || slot.state() == ReplicaState.PROMOTED;
        return wroteLast
                && FormerWriter.keptIfKnown(paths)
                        .filter(kept -> kept.term() >= slot.term() && isOf(kept, request))
                        .isPresent();
    }

    private static boolean isOf(KeptTerm kept, Request.Hello request) {
        return kept.recordId() != 0 && request.recordId() == kept.recordId();
    }

    /**
     * The same before anything is opened, of part files without a journal: those that a writer of
     * the record has left have its term beside them, which is not over.
     */
    static void requireParts(ReplicaPaths paths, Request.Hello request) {
        if (request.term() == 0 || !new ReplicaRemoval(paths).isAPoolAlone()) {
            return;
        }
        Optional<KeptTerm> kept = FormerWriter.keptIfKnown(paths);
        if (kept.isPresent() && kept.get().recordId() != 0) {
            FormerWriter.requireTerm(paths, request.term(), request.recordId());
        }
        boolean returns =
                request.purpose() == Purpose.RETURN && kept.isPresent() && kept.get().term() != 0;
        if (kept.isEmpty() || !returns && !isOf(kept.get(), request)) {
            throw refusal(
                    paths,
                    kept.isEmpty()
                            ? "a pool with a term file that can't be read"
                            : "a pool, or a replica whose journal is gone",
                    kept.map(KeptTerm::term).orElse(0L),
                    request);
        }
    }

    private static Refusal refusal(
            ReplicaPaths paths, String what, long term, Request.Hello request) {
        return new Refusal(
                Code.OUTSIDE_RECORD,
                String.format(
                        "On the target %s is %s, and %s; the writer's is term %d of the record %016x:"
                                + " what was committed there may be nowhere else.",
                        paths.name(),
                        what,
                        term == 0
                                ? "no writer of the record was ever there"
                                : "it has a term, "
                                        + term
                                        + ", and does not say of which record: of another one, or"
                                        + " an earlier release's",
                        request.term(),
                        request.recordId()),
                SlotEvents.OTHER_RECORD_ADVICE);
    }
}
