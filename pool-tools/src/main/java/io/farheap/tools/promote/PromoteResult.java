package io.farheap.tools.promote;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.SlotReport;

/**
 * What promote found and did, for programs.
 *
 * @param replica as the user called it
 * @param dryRun whether nothing was to be changed
 * @param state before
 * @param epoch whose commits it has
 * @param lastRecord number of its last record
 * @param notApplied how many records were not applied before
 * @param mayLag whether the last commits that returned may be missing
 * @param applied how many were applied; null: nothing was done
 * @param number of the pool that it is now; null: nothing was done
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record PromoteResult(
        String replica,
        boolean dryRun,
        String state,
        long epoch,
        long lastRecord,
        long notApplied,
        boolean mayLag,
        Long applied,
        Long number) {

    static PromoteResult of(PromotionCheck found, boolean dryRun, Reply.Promoted promoted) {
        SlotReport slot = found.report().slot();
        return new PromoteResult(
                found.name(),
                dryRun,
                slot.state().toString(),
                found.isPromoted() ? slot.journalEpoch() : slot.cur(),
                slot.lastSequence(),
                slot.tailRecords(),
                slot.mayLag(),
                promoted == null ? null : promoted.replayed(),
                promoted == null ? null : promoted.runId());
    }
}
