package io.farheap.replication.journal;

import static io.farheap.replication.journal.RecordLayout.INT;
import static io.farheap.replication.journal.RecordLayout.LONG;

import io.farheap.base.FarheapException;
import io.farheap.spi.RecordEntries;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Reads records out of a ring whose content nobody vouches for: torn, stale, of another epoch, or
 * not a record at all. {@link #read} decides whether the expected record is there; only then do the
 * other methods mean anything. For one thread; allocates nothing, except to throw.
 */
public final class RecordReader {

    /** What stands at a place of the ring, as far as the expected record is concerned. */
    public enum Verdict {
        VALID,
        /** No magic of a record. */
        NO_RECORD,
        /** The expected one, whole, of a later version: it must not be taken for the end. */
        OTHER_VERSION,
        /** A record of another epoch: its stream is over. */
        OTHER_EPOCH,
        /** A record of another lap, or one that has not arrived while an older one still stands. */
        OTHER_SEQUENCE,
        /** Longer than the lap, not aligned, or its length contradicts its entries. */
        BAD_LENGTH,
        /** The end of the record did not arrive with its begin. */
        BAD_TRAILER,
        /** Torn. */
        BAD_CRC
    }

    private final MemorySegment ring;
    private final ByteBuffer bytes;
    private final long capacity;
    private final CRC32C crc = new CRC32C();

    private int claimedVersion;
    private long claimedEpoch;
    private long claimedSequence;
    private long claimedLength;
    private long claimedEntryBytes;
    private long begin;
    private long sequence;
    private long committedUpTo;
    private long length;
    private long entryBytes;

    /**
     * @param ring the whole ring, of less than 2 GiB
     */
    public RecordReader(MemorySegment ring) {
        this.ring = ring;
        this.bytes = ring.asByteBuffer();
        this.capacity = ring.byteSize();
    }

    /**
     * Looks for the record {@code expectedSequence} of {@code epoch} at ring offset {@code offset}.
     * Anything but {@link Verdict#VALID} ends the stream there. Also a whole record of another
     * epoch does: the ring is full of old ones with the right sequence numbers
     * (docs/protocol.md#record-epoch).
     *
     * @param offset a multiple of 64, smaller than the ring
     */
    public Verdict read(long offset, long epoch, long expectedSequence) {
        Verdict head = readHead(offset, epoch, expectedSequence);
        if (head != Verdict.VALID) {
            return head;
        }
        long claimed = claimedLength;
        long entries = claimedEntryBytes;
        long end = offset + RecordLayout.span(entries);
        if (!hasTrailer(ring, offset, end - offset, claimedEpoch, claimedSequence)) {
            return Verdict.BAD_TRAILER;
        }
        if (!isIntact(offset, end)) {
            return Verdict.BAD_CRC;
        }
        if (claimedVersion != RecordLayout.VERSION) {
            return Verdict.OTHER_VERSION;
        }
        begin = offset;
        sequence = expectedSequence;
        committedUpTo = ring.get(LONG, offset + RecordLayout.COMMITTED_UP_TO);
        length = claimed;
        entryBytes = entries;
        return Verdict.VALID;
    }

    /**
     * Looks at the first {@link RecordLayout#EMPTY_BYTES} bytes only, as long as the rest may be
     * missing.
     *
     * @return the span that the expected record claims to have; 0 when it has not begun to be there
     */
    public long announcedSpan(long offset, long epoch, long expectedSequence) {
        return readHead(offset, epoch, expectedSequence) == Verdict.VALID
                ? RecordLayout.span(claimedEntryBytes)
                : 0;
    }

    /** Whether that record's last bytes stand in a ring, were it of that span. */
    public static boolean hasTrailer(
            MemorySegment ring, long offset, long span, long epoch, long sequence) {
        return ring.get(LONG, RecordLayout.trailerAt(offset, span))
                == RecordLayout.trailer(epoch, sequence);
    }

    private Verdict readHead(long offset, long epoch, long expectedSequence) {
        if (ring.get(INT, offset + RecordLayout.MAGIC_OFFSET) != RecordLayout.MAGIC) {
            return Verdict.NO_RECORD;
        }
        claimedVersion = ring.get(INT, offset + RecordLayout.VERSION_OFFSET);
        // Each is read once: who writes to the ring may do so between check and use.
        claimedEpoch = ring.get(LONG, offset + RecordLayout.EPOCH);
        if (!isOfEpoch(claimedEpoch, epoch)) {
            return Verdict.OTHER_EPOCH;
        }
        claimedSequence = ring.get(LONG, offset + RecordLayout.SEQUENCE);
        if (!isNext(claimedSequence, expectedSequence)) {
            return Verdict.OTHER_SEQUENCE;
        }
        claimedLength = ring.get(INT, offset + RecordLayout.LENGTH);
        claimedEntryBytes = ring.get(INT, offset + RecordLayout.ENTRY_BYTES);
        return plausible(offset, claimedLength, claimedEntryBytes)
                ? Verdict.VALID
                : Verdict.BAD_LENGTH;
    }

    private static boolean isOfEpoch(long its, long expected) {
        return its == expected;
    }

    private static boolean isNext(long its, long expected) {
        return its == expected;
    }

    private boolean isIntact(long from, long end) {
        return ring.get(INT, from + RecordLayout.CRC)
                == RecordEncoder.checksum(bytes, crc, from, end);
    }

    private boolean plausible(long offset, long claimed, long entries) {
        if (claimed < RecordLayout.EMPTY_BYTES
                || (claimed & (RecordLayout.ALIGNMENT - 1)) != 0
                || claimed > capacity - offset
                || entries < 0
                || (entries & 7) != 0) {
            return false;
        }
        return entries == 0 || claimed == RecordLayout.span(entries);
    }

    /** Bytes from this record's begin to the next one's. */
    public long length() {
        return length;
    }

    public long sequence() {
        return sequence;
    }

    /** Up to which record the initiator had committed locally when it encoded this one. */
    public long committedUpTo() {
        return committedUpTo;
    }

    /** Whether it carries nothing but its header. */
    public boolean isEmpty() {
        return entryBytes == 0;
    }

    /**
     * Checks every entry before the first is used, so that a bad record is never half applied.
     *
     * @param floor the lowest image offset an entry may touch
     * @param imageBytes the size of the image
     * @throws FarheapException category BAD_DATA, naming the entry
     */
    public void checkEntries(long floor, long imageBytes) {
        long at = begin + RecordLayout.ENTRIES;
        long end = at + entryBytes;
        while (at < end) {
            if (end - at < RecordEntries.WORD_ENTRY_BYTES) {
                throw bad(at, "is cut off");
            }
            long word = ring.get(LONG, at);
            long kind = word & ~RecordLayout.OFFSET_MASK;
            long offset = word & RecordLayout.OFFSET_MASK;
            long size = Long.BYTES;
            long step = RecordEntries.WORD_ENTRY_BYTES;
            if (kind == RecordLayout.COPY) {
                size = ring.get(LONG, at + 8);
                if (size < 0 || size > end - at - RecordEntries.WORD_ENTRY_BYTES) {
                    throw bad(at, "copies " + size + " bytes, more than the record holds");
                }
                step = RecordEntries.copyEntryBytes(size);
            } else if (kind != RecordLayout.SET
                    && kind != RecordLayout.AND
                    && kind != RecordLayout.OR) {
                throw bad(at, "is of unknown kind " + (word >>> RecordLayout.KIND_SHIFT));
            } else if ((offset & 7) != 0) {
                throw bad(at, "changes a word at the unaligned offset " + offset);
            }
            if (offset < floor || offset > imageBytes || size > imageBytes - offset) {
                throw bad(
                        at,
                        "touches "
                                + size
                                + " bytes at offset "
                                + offset
                                + ", outside of "
                                + floor
                                + " to "
                                + imageBytes);
            }
            at += step;
        }
    }

    private FarheapException bad(long at, String what) {
        return FarheapException.badData(
                "record %s: the entry at byte %s %s", sequence, at - begin, what);
    }

    /**
     * Hands over the entries in their order. A copy's source is the ring. {@link #checkEntries} has
     * accepted them before; in a ring that somebody writes to they may be others by now.
     *
     * @throws FarheapException category BAD_DATA when an entry leaves the record
     */
    public void replay(RecordEntries into) {
        long at = begin + RecordLayout.ENTRIES;
        long end = at + entryBytes;
        while (at < end) {
            long word = ring.get(LONG, at);
            long kind = word & ~RecordLayout.OFFSET_MASK;
            long offset = word & RecordLayout.OFFSET_MASK;
            long value = ring.get(LONG, at + 8);
            at += RecordEntries.WORD_ENTRY_BYTES;
            if (kind == RecordLayout.COPY) {
                // read anew since it was checked: who writes into the ring may do so at any time
                if (value < 0 || value > end - at) {
                    throw bad(at, "changed while it was read");
                }
                into.copy(offset, ring, at, value);
                at += RecordEntries.copyEntryBytes(value) - RecordEntries.WORD_ENTRY_BYTES;
            } else if (kind == RecordLayout.SET) {
                into.set(offset, value);
            } else if (kind == RecordLayout.AND) {
                into.and(offset, value);
            } else {
                into.or(offset, value);
            }
        }
    }
}
