package io.farheap.agent.records;

import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.RecordEncoder;
import io.farheap.replication.journal.RecordLayout;
import io.farheap.spi.RecordSource;
import java.lang.foreign.MemorySegment;

/** The initiator's side of one epoch's stream, in a test: stores records into the agent's ring. */
public final class RecordWriter {
    private final RecordEncoder encoder;
    private final long capacity;
    private final long epoch;
    private long sequence;
    private long position;

    public RecordWriter(MemorySegment ring, long epoch) {
        this.encoder = new RecordEncoder(ring);
        this.capacity = ring.byteSize();
        this.epoch = epoch;
    }

    /** Stores one record, after what fills the lap where it does not fit. */
    public RecordWriter record(long committedUpTo, long entryBytes, RecordSource entries) {
        long at = JournalLayout.ringOffset(position, capacity);
        long span = RecordLayout.span(entryBytes);
        if (at + span > capacity) {
            var unused = fillTheLap(committedUpTo);
            at = 0;
        }
        sequence++;
        encoder.begin(at, epoch, sequence, committedUpTo, entryBytes);
        entries.writeTo(encoder);
        encoder.end();
        position += span;
        return this;
    }

    /** One word set. */
    public RecordWriter set(long committedUpTo, long offset, long value) {
        return record(committedUpTo, 16, entries -> entries.set(offset, value));
    }

    public RecordWriter empty(long committedUpTo) {
        sequence++;
        long at = JournalLayout.ringOffset(position, capacity);
        encoder.skip(at, epoch, sequence, committedUpTo, RecordLayout.EMPTY_BYTES);
        position += RecordLayout.EMPTY_BYTES;
        return this;
    }

    /** A record that skips the rest of the lap. */
    public RecordWriter fillTheLap(long committedUpTo) {
        long at = JournalLayout.ringOffset(position, capacity);
        sequence++;
        encoder.skip(at, epoch, sequence, committedUpTo, capacity - at);
        position += capacity - at;
        return this;
    }

    /** The next record will have a number too high by one. */
    public RecordWriter leaveOutANumber() {
        sequence++;
        return this;
    }

    public long sequence() {
        return sequence;
    }

    public long position() {
        return position;
    }

    /** Bytes that can be stored before the ring is full. */
    public long room(long appliedPosition) {
        return appliedPosition + capacity - position;
    }
}
