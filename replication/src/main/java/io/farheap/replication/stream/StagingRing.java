package io.farheap.replication.stream;

import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.RecordEncoder;
import io.farheap.replication.journal.RecordLayout;
import io.farheap.replication.journal.RecordReader;
import io.farheap.spi.RecordSource;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * This side's copy of every member's ring, position by position, and the hand that gives out
 * sequence numbers and places in it. What was claimed stays unchanged until every member has
 * applied it, and no number is given out twice, not even that of a record that failed
 * (docs/protocol.md#number-used-once). Thread-safe: claims are one short critical section, encoding
 * is outside of it.
 */
public final class StagingRing {
    /** No room for the record and one empty record, or too many records are uncommitted. */
    static final long NO_ROOM = 0;

    /** Admission is closed. */
    public static final long CLOSED = -1;

    private final long epoch;
    private final long capacity;
    private final MemorySegment memory;
    private final InFlightRecords window;
    private final ThreadLocal<RecordEncoder> encoders;
    private final AtomicLong toldCommitted = new AtomicLong();

    /** Where what was used of a lap ends; by the lap's parity, as two at most are of interest. */
    private final long[] lapUsed = new long[2];

    private boolean open = true;
    private volatile long nextPosition;
    private volatile long lastSequence;

    StagingRing(long epoch, MemorySegment memory, InFlightRecords window) {
        this.epoch = epoch;
        this.memory = memory;
        this.capacity = JournalLayout.checkedCapacity(memory.byteSize());
        this.window = window;
        this.encoders = ThreadLocal.withInitial(() -> new RecordEncoder(memory));
    }

    /**
     * Claims the next sequence number and {@code span} bytes that don't wrap, if there is room for
     * them and an empty record: without that, a ring full of records whose commit the members don't
     * know yet would never drain (docs/protocol.md#room-for-empty). Space is free up to where all
     * have <em>durably</em> applied: after a loss of power a replica reads again what lies behind
     * that (docs/protocol.md#free-only-applied).
     *
     * @param applied position up to which all members have applied durably
     * @param posted the last sequence number that was posted
     * @param limit position up to which records may be claimed
     * @return the sequence number, {@link #NO_ROOM} or {@link #CLOSED}
     */
    synchronized long claim(long span, long applied, long posted, long limit) {
        if (!open) {
            return CLOSED;
        }
        long lapLeft = capacity - JournalLayout.ringOffset(nextPosition, capacity);
        long skip = lapLeft < span ? lapLeft : 0;
        if (skip + span + RecordLayout.EMPTY_BYTES > free(applied)
                || !windowHasRoom(posted)
                || nextPosition > limit - span) {
            return NO_ROOM;
        }
        if (skip > 0) {
            emptyRecord(skip);
        }
        return take(span, span);
    }

    /**
     * Appends an empty record that tells what is committed, when that is news.
     *
     * @return its sequence number, {@link #NO_ROOM} when there is no news or no room, or {@link
     *     #CLOSED}
     */
    synchronized long sendCommitWatermark(long applied, long posted) {
        if (!open) {
            return CLOSED;
        }
        if (isWatermarkSent()
                || free(applied) < RecordLayout.EMPTY_BYTES
                || !windowHasRoom(posted)) {
            return NO_ROOM;
        }
        return emptyRecord(RecordLayout.EMPTY_BYTES);
    }

    private long free(long applied) {
        return capacity - (nextPosition - applied);
    }

    private boolean windowHasRoom(long posted) {
        // two: a record may need a skip before it
        return lastSequence + 2 - InFlightRecords.SLOTS <= Math.min(window.committedUpTo(), posted);
    }

    private long emptyRecord(long length) {
        RecordEncoder encoder = encoders.get();
        long begin = nextPosition;
        long sequence = take(length, RecordLayout.EMPTY_BYTES);
        skip(encoder, sequence, begin, length);
        window.empty(sequence);
        return sequence;
    }

    private long take(long length, long used) {
        long sequence = lastSequence + 1;
        long end = nextPosition + length;
        if (JournalLayout.ringOffset(end, capacity) == 0) {
            lapUsed[(int) (nextPosition / capacity & 1)] = nextPosition + used;
        }
        window.claim(sequence, end, RecordLayout.trailerAt(nextPosition, used));
        nextPosition = end;
        lastSequence = sequence;
        return sequence;
    }

    /** The calling thread's; asked for before a claim, which must not fail for want of it. */
    RecordEncoder encoder() {
        return encoders.get();
    }

    /** Encodes the claimed record. */
    void encode(
            RecordEncoder encoder, long sequence, long span, long entryBytes, RecordSource source) {
        long begin = window.end(sequence) - span;
        encoder.begin(offset(begin), epoch, sequence, newsOfCommit(), entryBytes);
        source.writeTo(encoder);
        encoder.end();
        window.ready(sequence);
    }

    /** Turns a claimed record whose entries could not be written into one that skips its place. */
    void renounce(RecordEncoder encoder, long sequence, long span) {
        long begin = window.end(sequence) - span;
        window.moveTrailer(sequence, RecordLayout.trailerAt(begin, RecordLayout.EMPTY_BYTES));
        skip(encoder, sequence, begin, span);
        window.empty(sequence);
    }

    private void skip(RecordEncoder encoder, long sequence, long begin, long length) {
        encoder.skip(offset(begin), epoch, sequence, newsOfCommit(), length);
    }

    private long newsOfCommit() {
        long committed = window.committedUpTo();
        InFlightRecords.raise(toldCommitted, committed);
        return committed;
    }

    /** No more claims. */
    synchronized void close() {
        open = false;
    }

    /** Claims again, of a ring that was closed for a while. */
    synchronized void reopen() {
        open = true;
    }

    long offset(long position) {
        return JournalLayout.ringOffset(position, capacity);
    }

    /** Position of the end of the lap that {@code position} is in. */
    long lapEnd(long position) {
        return (position / capacity + 1) * capacity;
    }

    /** Up to where the lap that ends at {@code lapEnd} carries anything; it is complete. */
    long lapUsed(long lapEnd) {
        return lapUsed[(int) ((lapEnd / capacity - 1) & 1)];
    }

    /**
     * Where a record ends that was posted and is not applied everywhere.
     *
     * @param known a record before it, or itself, that ends at {@code position}
     * @return -1 when the ring does not hold all records after the known one any more
     */
    long endOf(long sequence, long known, long position) {
        RecordReader reader = new RecordReader(memory);
        long end = position;
        for (long next = known + 1; next <= sequence; next++) {
            if (reader.read(offset(end), epoch, next) != RecordReader.Verdict.VALID) {
                return -1;
            }
            end += reader.length();
        }
        return sequence < known ? -1 : end;
    }

    /** Where the next record begins. */
    long position() {
        return nextPosition;
    }

    /** The last sequence number given out. */
    long lastSequence() {
        return lastSequence;
    }

    /** Whether a record that was encoded tells of every commit there is. */
    boolean isWatermarkSent() {
        return window.lastCommittedData() <= toldCommitted.get();
    }

    MemorySegment memory() {
        return memory;
    }
}
