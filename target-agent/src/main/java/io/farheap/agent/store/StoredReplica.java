package io.farheap.agent.store;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.journal.JournalFile;
import io.farheap.agent.records.ImageBounds;
import io.farheap.agent.records.RecordApplier;
import io.farheap.agent.records.RecordCursor;
import io.farheap.agent.records.RecordIntake;
import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import java.util.List;

/**
 * Slot, records and image of one replica, and the steps that several of the protocol's are made of.
 * {@link ReplicaStore}, {@link ReplicaSwitch} and {@link ReplicaOwnership} change them; the store's
 * lock guards all.
 */
final class StoredReplica {
    /** Apply lets others have the lock after so many bytes of records. */
    private static final long BATCH_BYTES = 1 << 20;

    final String name;
    final JournalFile journal;
    final PoolMemory image;
    final ReplicaContent content;
    final RecordIntake intake;
    final ReplicaReaders readers;
    private RecordApplier applier;
    private ImageBounds bounds;

    /**
     * Flushes and scans the journal.
     *
     * @param name the replica's files, for messages
     * @param readers closed
     * @throws FarheapException category BAD_DATA when journal or descriptor are damaged
     */
    StoredReplica(
            PoolMemory journalMemory,
            PoolMemory image,
            byte[] poolsetUuid,
            String name,
            ReplicaReaders readers) {
        this.name = name;
        this.readers = readers;
        this.journal = JournalFile.open(journalMemory, poolsetUuid, name);
        this.image = image;
        this.content = new ReplicaContent(image, name);
        this.intake = new RecordIntake(journal, image.size(), name);
        if (ReplicaContent.isIn(slot().state())) {
            content.validate(null);
        }
        readRecords();
        if (hasRecords()) {
            intake.extendToEnd();
        }
    }

    ReplicaSlot slot() {
        return journal.slot();
    }

    ImageKind kind() {
        return ImageKind.of(slot());
    }

    boolean hasRecords() {
        return kind().hasRecords(slot().state());
    }

    /** Whether records are taken and applied: not in a switch (docs/protocol.md#apply-stops). */
    boolean takesRecords() {
        return intake.isOpen() && kind().takesRecords(slot());
    }

    /** Whether a program has opened the files past the agent. */
    boolean isForeign() {
        return SlotEvents.isForeign(slot(), content.runId());
    }

    /** The slot as it is now, for the verdict. */
    SlotReport report() {
        return SlotEvents.report(slot(), intake.sequence(), content.runId()).at(journal.times());
    }

    /** What refuses a step that does not fit the state. */
    Refusal wrongState(String why) {
        return new Refusal(
                Code.WRONG_STATE,
                "The replica " + name + " refuses: " + why + ".",
                "Attach again.");
    }

    /** Where records may change the image. */
    ImageBounds bounds() {
        return bounds;
    }

    /** The records of the slot's epoch, from their first on. */
    void readRecords() {
        bounds = kind().bounds(image.size());
        intake.restart(bounds);
        newApplier();
    }

    /**
     * The same records, seen otherwise from here on.
     *
     * @param keep whether a copy of the ring is kept, since nobody tells of records
     */
    void readAgain(boolean keep) {
        intake.readAgain(keep, bounds, hasRecords());
        newApplier();
    }

    private void newApplier() {
        applier = new RecordApplier(name, intake.newCursor(bounds), image);
    }

    /** Records are taken: who reads the image finds it at a commit boundary, and follows. */
    void follow() {
        if (slot().state() == ReplicaState.INSYNC) {
            readers.open(slot().cur(), slot().appliedSequence(), intake.sequence());
        }
        intake.open();
    }

    /** On return the tail stands still, and nobody reads the image: anything may be stored. */
    void stopFollowing() {
        intake.close();
        readers.close();
    }

    /** What the records up to position {@code end} change, ascending and disjoint. */
    List<ByteRange> footprint(long end) {
        return applier.footprint(slot(), end);
    }

    /** Whether the next record would not wait to be committed. */
    boolean isEmptyNext() {
        return applier.isEmptyNext(slot());
    }

    /**
     * Applies valid records up to {@code limit}, a batch of them at most, and makes image, then
     * slot, durable: a record that counts as applied is repaired by nobody
     * (docs/protocol.md#image-before-applied).
     *
     * @return how many
     */
    long applySome(long limit) {
        long count = applier.replay(slot(), limit, intake.position(), BATCH_BYTES);
        // The records are durable: who reads what they did need not wait until the image is, too.
        readers.reopen(slot().cur(), applier.sequence());
        if (count > 0) {
            image.fence();
            journal.write(slot().withApplied(applier.sequence(), applier.position()));
        }
        return count;
    }

    /** The same in as many batches as it takes. */
    void applyAll(long limit) {
        while (applySome(limit) > 0) {
            // the next batch
        }
    }

    /**
     * Stores what every valid record changes, and makes the image durable; the slot stays as it is.
     *
     * @return how many records
     */
    long replayTail() {
        long count = applier.replay(slot(), intake.sequence(), intake.position(), Long.MAX_VALUE);
        image.fence();
        return count;
    }

    /** The last record that is in the ring behind the applied ones, whatever became of it. */
    long endOfTail() {
        ReplicaSlot now = slot();
        RecordCursor cursor = intake.newCursor(bounds);
        cursor.moveTo(now.journalEpoch(), now.appliedSequence(), now.appliedPosition());
        while (cursor.peek(now.appliedPosition() + journal.capacity())) {
            cursor.step();
        }
        return cursor.sequence();
    }
}
