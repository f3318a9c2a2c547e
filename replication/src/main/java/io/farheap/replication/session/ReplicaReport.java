package io.farheap.replication.session;

import io.farheap.layout.PoolHeader;
import io.farheap.layout.PoolUuid;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaState;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * A remote replica as its agent found it.
 *
 * @param slot its durable state; null: there is none that can be read; with no faults either, the
 *     target has no files of it
 * @param header the header page of its first part; empty: it can't be read
 * @param imageSize usable bytes
 * @param faults what is missing or broken of it, a sentence for each file; empty: nothing
 * @param holder who has it attached now; empty: nobody
 * @param room bytes that the file systems of its parts still take, the least of them; null: its
 *     agent does not say
 */
public record ReplicaReport(
        SlotReport slot,
        Blob header,
        long imageSize,
        List<String> faults,
        String holder,
        Long room) {
    /** The same of a target that does not say how much room there is. */
    public ReplicaReport(
            SlotReport slot, Blob header, long imageSize, List<String> faults, String holder) {
        this(slot, header, imageSize, faults, holder, null);
    }

    public static ReplicaReport of(Reply.Verdict found) {
        return new ReplicaReport(
                found.slot(),
                found.header(),
                found.imageSize(),
                found.faults(),
                found.holder(),
                found.room());
    }

    /** Whether it can be restored from, as far as its files tell. */
    public boolean isComplete() {
        return slot != null
                && faults.isEmpty()
                && (slot.state() == ReplicaState.INSYNC || slot.state() == ReplicaState.PROMOTED);
    }

    /** What there is, for the middle of a sentence. */
    public String text() {
        if (slot == null) {
            return faults.isEmpty() ? "no files" : "files that are damaged: " + faults.get(0);
        }
        String pool = header.length() == 0 ? "" : " of the pool " + uuid();
        return switch (slot.state()) {
            case NEW -> "a replica" + pool + " that never got any content";
            case SYNCING -> "half a copy" + pool;
            case INSYNC, PROMOTED -> "a copy" + pool + " (" + content() + ")";
            case MEMORY -> "a program's remote memory";
        };
    }

    private PoolUuid uuid() {
        return new PoolHeader(MemorySegment.ofArray(header.toByteArray())).poolsetUuid();
    }

    private String content() {
        return "number "
                + (slot.state() == ReplicaState.PROMOTED ? slot.headerRunId() : slot.cur())
                + ", "
                + slot.lastSequence()
                + " commits in it"
                + (slot.writtenMillis() == 0
                        ? ""
                        : ", last written "
                                + Instant.ofEpochMilli(slot.writtenMillis())
                                        .truncatedTo(ChronoUnit.SECONDS)
                                + " by the target's clock");
    }
}
