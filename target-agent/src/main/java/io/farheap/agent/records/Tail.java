package io.farheap.agent.records;

import io.farheap.agent.journal.JournalFile;
import io.farheap.replication.journal.RecordLayout;
import io.farheap.replication.journal.ReplicaSlot;

/**
 * The valid records behind the durable applied position, as far as they are durable: what was
 * flushed first and scanned then. One thread at a time moves it; any thread may ask where it ends.
 * Nothing here allocates: it is on the way of every commit.
 */
final class Tail {
    private final JournalFile journal;
    private final RecordCursor cursor;
    private volatile long sequence;
    private volatile long position;
    private volatile long committedUpTo;
    private boolean broken;

    Tail(JournalFile journal, RecordCursor cursor) {
        this.journal = journal;
        this.cursor = cursor;
    }

    /** Starts again where the slot says that everything is applied. */
    void reset(ReplicaSlot slot) {
        cursor.moveTo(slot.journalEpoch(), slot.appliedSequence(), slot.appliedPosition());
        publish(slot.appliedSequence());
    }

    /** Position first: whoever reads a sequence number finds at least its end. */
    private void publish(long committed) {
        position = cursor.position();
        sequence = cursor.sequence();
        committedUpTo = committed;
    }

    /**
     * Flushes the ring up to position {@code to}, then takes the valid records up to there into the
     * tail. In this order: a record that was seen but not flushed may be gone after a power loss,
     * and the initiator was told of it (docs/protocol.md#flush-before-report).
     *
     * @param to not more than a lap behind the durable applied position
     * @return whether all of it was valid records; else {@link #why} tells
     */
    boolean extend(long to) {
        if (to <= position) {
            return true;
        }
        journal.persist(position, to);
        journal.take(position, to);
        long committed = committedUpTo;
        while (cursor.peek(to)) {
            cursor.step();
            committed = Math.max(committed, cursor.committedUpTo());
        }
        publish(committed);
        return cursor.position() == to;
    }

    /**
     * Looks for records that were written without a word, and takes those that are complete into
     * the tail. Each is copied first, then verified, and only the copy counts: whoever wrote it can
     * write again.
     *
     * @param limit a lap behind the durable applied position
     * @return whether there were some
     */
    boolean look(long limit) {
        long begin = cursor.position();
        long committed = committedUpTo;
        while (bringNext(limit) && cursor.peek(limit)) {
            cursor.step();
            committed = Math.max(committed, cursor.committedUpTo());
        }
        if (cursor.position() == begin) {
            return false;
        }
        journal.persist(begin, cursor.position());
        publish(committed);
        return true;
    }

    /** Copies the next record, once its beginning and its end are there. */
    private boolean bringNext(long limit) {
        long begin = cursor.position();
        broken = false;
        if (begin >= limit) {
            return false; // what lies there is not applied yet
        }
        journal.take(begin, begin + RecordLayout.EMPTY_BYTES);
        long span = cursor.announcedSpan();
        if (span == 0 || span > limit - begin || !cursor.hasTrailer(journal.ring(), span)) {
            return false;
        }
        broken = true;
        journal.take(begin, begin + span);
        return true;
    }

    /**
     * Whether the last look ended at a record that does not verify though a READ would take it for
     * one that is there.
     */
    boolean isBroken() {
        return broken;
    }

    /** Takes everything valid in the ring into the empty tail; nobody stores to it meanwhile. */
    void extendToEnd(ReplicaSlot slot) {
        long limit = slot.appliedPosition() + journal.capacity();
        while (cursor.peek(limit)) {
            cursor.step();
        }
        journal.storeAgain(slot.appliedPosition(), cursor.position());
        reset(slot);
        boolean unused = extend(limit);
    }

    /** Whether a record follows that is of another version of Farheap. */
    boolean endsAtOtherVersion() {
        return cursor.isAtOtherVersion();
    }

    /** The last record of the tail. */
    long sequence() {
        return sequence;
    }

    /** Where it ends, or a later record. */
    long position() {
        return position;
    }

    /** What the initiator had committed when it wrote the last record; may lie behind the tail. */
    long committedUpTo() {
        return committedUpTo;
    }

    /** Why the last extension ended early. */
    String why() {
        return "record " + (cursor.sequence() + 1) + " does not verify: " + cursor.why();
    }
}
