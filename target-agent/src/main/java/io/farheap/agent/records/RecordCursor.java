package io.farheap.agent.records;

import io.farheap.base.FarheapException;
import io.farheap.replication.journal.JournalLayout;
import io.farheap.replication.journal.RecordLayout;
import io.farheap.replication.journal.RecordReader;
import io.farheap.spi.RecordEntries;
import java.lang.foreign.MemorySegment;

/**
 * Walks the valid records of one epoch in their order. A record that does not verify, in any way,
 * ends the walk, and nothing after it counts: magic, CRC, epoch, sequence, length, every entry. For
 * one thread at a time.
 */
public final class RecordCursor {
    private final RecordReader reader;
    private final long capacity;
    private final ImageBounds bounds;
    private final long imageBytes;

    private long epoch;
    private long sequence;
    private long position;
    private String why = "";
    private boolean atOtherVersion;

    /**
     * Stands nowhere yet: {@link #moveTo} comes first.
     *
     * @param ring the records, as the stream lies in a journal
     * @param bounds what a record may change; one that changes more does not verify
     * @param imageBytes where the image ends
     */
    public RecordCursor(MemorySegment ring, ImageBounds bounds, long imageBytes) {
        this.reader = new RecordReader(ring);
        this.capacity = ring.byteSize();
        this.bounds = bounds;
        this.imageBytes = imageBytes;
    }

    /** What records may change. */
    ImageBounds bounds() {
        return bounds;
    }

    /** Stands behind record {@code passedSequence} of {@code ofEpoch}, which ends at a position. */
    public void moveTo(long ofEpoch, long passedSequence, long endPosition) {
        epoch = ofEpoch;
        sequence = passedSequence;
        position = endPosition;
    }

    /**
     * Looks at the next record: whether it is valid and ends at {@code limit} or before.
     *
     * @return whether {@link #step} may follow; else {@link #why} tells
     */
    public boolean peek(long limit) {
        atOtherVersion = false;
        if (position >= limit) {
            why = "the end of what may be read";
            return false;
        }
        RecordReader.Verdict verdict =
                reader.read(JournalLayout.ringOffset(position, capacity), epoch, sequence + 1);
        if (verdict != RecordReader.Verdict.VALID) {
            why = "verdict " + verdict;
            atOtherVersion = verdict == RecordReader.Verdict.OTHER_VERSION;
            return false;
        }
        if (reader.length() > limit - position) {
            why = "it ends behind what may be read";
            return false;
        }
        try {
            reader.checkEntries(bounds.lowest(), imageBytes);
            reader.replay(bounds);
        } catch (FarheapException e) {
            why = e.getMessage();
            return false;
        }
        return true;
    }

    /**
     * Looks at the beginning of the next record only.
     *
     * @return the bytes that it claims to have; 0 when it has not begun to be there
     */
    long announcedSpan() {
        return reader.announcedSpan(
                JournalLayout.ringOffset(position, capacity), epoch, sequence + 1);
    }

    /** Whether the next record claims to be there and to change something. */
    boolean announcesEntries() {
        return announcedSpan() > RecordLayout.EMPTY_BYTES;
    }

    /** Whether the last bytes of the next record, were it of that span, stand in that ring. */
    boolean hasTrailer(MemorySegment ring, long span) {
        return RecordReader.hasTrailer(
                ring, JournalLayout.ringOffset(position, capacity), span, epoch, sequence + 1);
    }

    /** Steps over the record that {@link #peek} found valid. */
    public void step() {
        sequence++;
        position += reader.length();
    }

    /** Whether the record that {@link #peek} found changes nothing. */
    boolean isEmpty() {
        return reader.isEmpty();
    }

    long length() {
        return reader.length();
    }

    /** Hands over the entries of the record that {@link #peek} found. */
    void replay(RecordEntries into) {
        reader.replay(into);
    }

    long committedUpTo() {
        return reader.committedUpTo();
    }

    /** The last record stepped over. */
    public long sequence() {
        return sequence;
    }

    /** Where it ends. */
    long position() {
        return position;
    }

    /**
     * Whether {@link #peek} said no to a record that is there: it was written in a version that
     * this one does not know, and may have been acknowledged.
     */
    public boolean isAtOtherVersion() {
        return atOtherVersion;
    }

    /** Why {@link #peek} said no. */
    String why() {
        return why;
    }
}
