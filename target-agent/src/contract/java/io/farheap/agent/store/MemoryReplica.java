package io.farheap.agent.store;

import io.farheap.agent.journal.JournalFile;
import io.farheap.agent.records.RecordCursor;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.SlotLayout;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The agent's view of a replica whose journal and image are memory that a test brings along. */
public final class MemoryReplica {
    private final ReplicaStore store;

    private MemoryReplica(ReplicaStore store) {
        this.store = store;
    }

    /** Makes a journal of memory that is all zero, with a ring of so many bytes. */
    public static void format(PoolMemory journal, long ring, PoolUuid uuid) {
        JournalFile.format(journal, ring, uuid.bytes(), 0);
    }

    /** The same with any first slot. */
    public static void format(PoolMemory journal, long ring, PoolUuid uuid, ReplicaSlot slot) {
        JournalFile.format(journal, ring, uuid.bytes(), slot);
    }

    /** As an agent that starts finds it. */
    public static MemoryReplica open(PoolMemory journal, PoolMemory image, PoolUuid uuid) {
        return new MemoryReplica(new ReplicaStore(journal, image, uuid.bytes(), "replica"));
    }

    /** What a look at the files tells. */
    public static SlotReport look(PoolMemory journal, PoolMemory image) {
        ReplicaSlot slot = SlotLayout.read(journal.image(), "journal");
        long capacity = journal.size() - JournalLayout.RING;
        long tail = 0;
        if (ImageKind.of(slot).hasRecords(slot.state())) {
            MemorySegment ring = journal.image().asSlice(JournalLayout.RING, capacity);
            long bytes = image.size();
            RecordCursor cursor = new RecordCursor(ring, ImageKind.of(slot).bounds(bytes), bytes);
            cursor.moveTo(slot.journalEpoch(), slot.appliedSequence(), slot.appliedPosition());
            while (cursor.peek(slot.appliedPosition() + capacity)) {
                cursor.step();
            }
            tail = cursor.sequence() - slot.appliedSequence();
        }
        long runId = new Descriptor(image).runId();
        return SlotEvents.report(slot, slot.appliedSequence() + tail, runId);
    }

    /** What the agent itself works with. */
    public ReplicaStore store() {
        return store;
    }

    /** As it stands in the journal. */
    public ReplicaSlot slot() {
        return store.slot();
    }

    /** Whether the pool of that number would find it current. */
    public boolean isCurrent(long number) {
        return store.report().decisionOn(number, List.of()) == AttachDecision.CURRENT;
    }

    /** Makes it a pool of its own. */
    public void promote() {
        long unused = store.ownership().promote();
    }

    /** Makes it the pool of the recorded number. */
    public void takeOver(long number) {
        var unused = store.ownership().takeOver(number);
    }
}
