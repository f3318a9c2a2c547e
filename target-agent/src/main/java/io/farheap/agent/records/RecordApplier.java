package io.farheap.agent.records;

import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.ByteRange;
import io.farheap.replication.journal.ReplicaSlot;
import java.util.List;

/**
 * Carries out, or looks through, the records of the tail behind the durable applied position. They
 * were verified when they were made durable; one that does not verify any more stops the replica
 * before anything of it is applied. The store's lock guards it.
 */
public final class RecordApplier {
    private final String name;
    private final RecordCursor cursor;
    private final ImageWriter writer;

    /**
     * @param name the replica's files, for messages
     * @param cursor its own one
     */
    public RecordApplier(String name, RecordCursor cursor, PoolMemory image) {
        this.name = name;
        this.cursor = cursor;
        this.writer = new ImageWriter(image, cursor.bounds());
    }

    /**
     * Applies records, those up to {@code limit} and empty ones after them, which wait for nobody.
     * Flushed, not fenced; {@link #sequence} and {@link #position} tell how far it came. An empty
     * record that waited would need another one behind it, which tells that it may go
     * (docs/protocol.md#empty-frees-itself).
     *
     * @param end position where the tail ends
     * @return how many
     */
    public long replay(ReplicaSlot from, long limit, long end, long maxBytes) {
        moveTo(from);
        long begin = cursor.position();
        long count = 0;
        while (cursor.position() < end && cursor.position() - begin < maxBytes) {
            boolean waits = cursor.sequence() >= limit;
            if (waits && cursor.announcesEntries()) {
                break;
            }
            if (!cursor.peek(end)) {
                throw changed();
            }
            if (waits && !cursor.isEmpty()) {
                break;
            }
            cursor.replay(writer);
            cursor.step();
            count++;
        }
        return count;
    }

    /**
     * Whether {@link #replay} would not wait for the next record to be committed. It is asked again
     * and again while a record waits: so only its beginning is looked at, not all of its bytes.
     */
    public boolean isEmptyNext(ReplicaSlot from) {
        moveTo(from);
        return !cursor.announcesEntries(); // a damaged beginning stops it at once
    }

    /** What the records up to position {@code end} change, ascending and disjoint. */
    public List<ByteRange> footprint(ReplicaSlot from, long end) {
        FootprintCollector collector = new FootprintCollector();
        moveTo(from);
        while (cursor.peek(end)) {
            cursor.replay(collector);
            cursor.step();
        }
        if (cursor.position() != end) {
            throw changed();
        }
        return collector.ranges();
    }

    private void moveTo(ReplicaSlot slot) {
        cursor.moveTo(slot.journalEpoch(), slot.appliedSequence(), slot.appliedPosition());
    }

    /** The last record that {@link #replay} applied. */
    public long sequence() {
        return cursor.sequence();
    }

    /** Where it ends. */
    public long position() {
        return cursor.position();
    }

    private FarheapException changed() {
        return FarheapException.badData(
                "%s stops: record %s changed in the journal after it was verified: %s",
                name, cursor.sequence() + 1, cursor.why());
    }
}
