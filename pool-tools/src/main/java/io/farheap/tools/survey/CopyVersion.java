package io.farheap.tools.survey;

import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * How much of a pool a copy has. Numbers decide which of two copies has more; the time is printed
 * as help only, because clocks of different machines differ.
 *
 * @param number of the epoch whose commits it has
 * @param records commits of that epoch that went to it; null: nobody counts them, in a local copy
 * @param complete whether it has every commit that returned in that epoch
 * @param written when its files, or its slot, were written last, by the clock of its machine; null:
 *     not known
 */
record CopyVersion(long number, Long records, boolean complete, Instant written) {

    static CopyVersion of(SlotReport slot) {
        boolean whole =
                slot.state() == ReplicaState.INSYNC || slot.state() == ReplicaState.PROMOTED;
        Instant written =
                slot.writtenMillis() == 0 ? null : Instant.ofEpochMilli(slot.writtenMillis());
        long number = slot.state() == ReplicaState.PROMOTED ? slot.headerRunId() : slot.cur();
        return new CopyVersion(number, slot.lastSequence(), whole && !slot.mayLag(), written);
    }

    /** The same in words, for a line about the copy. */
    String text() {
        return "number "
                + Long.toUnsignedString(number)
                + (records == null ? "" : ", " + records + " commits in it")
                + (complete ? "" : ", perhaps without the last ones")
                + (written == null
                        ? ""
                        : ", last written " + written.truncatedTo(ChronoUnit.SECONDS));
    }
}
