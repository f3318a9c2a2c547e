package io.farheap.tools.status;

import io.farheap.poolset.PoolSet;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.session.ReplicaReport;
import java.nio.file.Path;
import java.util.List;

/** A replica looked at on its own machine, where nothing tells of newer epochs. */
final class TargetLook {
    private TargetLook() {}

    static PoolStatus status(Path file, PoolSet set, ReplicaReport report) {
        SlotReport slot = report.slot();
        boolean free = report.holder().isEmpty();
        Standing verdict;
        String why;
        String step = "";
        if (!report.faults().isEmpty() || slot == null) {
            verdict = Standing.BROKEN;
            why = String.join("; ", report.faults());
            step = "on the pool's machine: farheap sync";
        } else if (slot.foreignOpen()) {
            verdict = Standing.OPENED_ON_TARGET;
            why = "a program has opened its files, past the agent";
            step = "on the pool's machine: farheap sync, which says both ways to go on";
        } else {
            switch (slot.state()) {
                case INSYNC -> {
                    verdict = Standing.COMPLETE;
                    why =
                            "it has every commit that returned in epoch "
                                    + slot.cur()
                                    + (slot.mayLag()
                                            ? " but perhaps the last, which did not wait for it"
                                                    + " (policy async)"
                                            : "")
                                    + ", and can't know of a newer one";
                    step = free ? "only if its pool is lost: farheap promote " + file : "";
                }
                case SYNCING -> {
                    verdict = Standing.INCOMPLETE;
                    why = free ? "a copy to it never ended" : "a copy to it is under way";
                    step = free ? "on the pool's machine: farheap sync" : "";
                }
                case PROMOTED -> {
                    verdict = Standing.COMPLETE;
                    why = "it was promoted, and is a pool of its own";
                }
                case MEMORY -> {
                    verdict = Standing.COMPLETE;
                    why = "it is a program's remote memory, no replica";
                }
                default -> {
                    verdict = Standing.EMPTY;
                    why = "it has no content yet";
                    step = free ? "on the pool's machine: farheap sync" : "";
                }
            }
        }
        CopyStatus copy =
                new CopyStatus(
                        0,
                        "",
                        set.master().parts().get(0).path().toString(),
                        verdict,
                        why,
                        null,
                        CopyStatus.Slot.of(slot),
                        null,
                        free ? null : report.holder(),
                        null,
                        step);
        boolean recorded = slot != null && slot.term() != 0;
        return PoolStatus.of(
                file.toString(),
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(recorded ? copy.byRecord() : copy));
    }
}
