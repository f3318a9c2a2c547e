package io.farheap.replication.journal;

import static io.farheap.replication.journal.RecordLayout.INT;
import static io.farheap.replication.journal.RecordLayout.LONG;

import io.farheap.base.FarheapException;
import io.farheap.spi.RecordEntries;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Writes records into a ring, one at a time: {@link #begin}, exactly the announced bytes of
 * entries, {@link #end}. For one thread; several encoders may write to different places of one ring
 * at once. No call allocates, except to throw.
 */
public final class RecordEncoder implements RecordEntries {
    /** So many bytes are copied, then summed: they are in the processor's nearest cache still. */
    private static final long PIECE = 16 << 10;

    private final MemorySegment ring;
    private final ByteBuffer bytes;
    private final CRC32C crc = new CRC32C();

    /** Up to where the CRC has come. */
    private long summed;

    private long begin;
    private long cursor;
    private long entriesEnd;
    private long end;
    private long trailer;

    /**
     * @param ring where records are written; offsets below are offsets in it
     */
    public RecordEncoder(MemorySegment ring) {
        this.ring = ring;
        this.bytes = ring.asByteBuffer();
    }

    /**
     * Starts the record at {@code offset}.
     *
     * @param offset a multiple of 64; the record's {@link RecordLayout#span} must fit behind it
     * @param entryBytes what the entries will take, exactly; a multiple of 8
     */
    public void begin(long offset, long epoch, long sequence, long committedUpTo, long entryBytes) {
        header(offset, epoch, sequence, committedUpTo, entryBytes, RecordLayout.span(entryBytes));
    }

    private void header(
            long offset,
            long epoch,
            long sequence,
            long committedUpTo,
            long entryBytes,
            long length) {
        long span = RecordLayout.span(entryBytes);
        if ((offset & (RecordLayout.ALIGNMENT - 1)) != 0
                || (entryBytes & 7) != 0
                || offset + length > ring.byteSize()) {
            throw FarheapException.wrongUse(
                    "a record of %s entry bytes does not fit at ring offset %s of %s",
                    entryBytes, offset, ring.byteSize());
        }
        begin = offset;
        cursor = offset + RecordLayout.ENTRIES;
        entriesEnd = cursor + entryBytes;
        end = offset + span;
        trailer = RecordLayout.trailer(epoch, sequence);
        ring.set(INT, offset + RecordLayout.MAGIC_OFFSET, RecordLayout.MAGIC);
        ring.set(LONG, offset + RecordLayout.EPOCH, epoch);
        ring.set(LONG, offset + RecordLayout.SEQUENCE, sequence);
        ring.set(LONG, offset + RecordLayout.COMMITTED_UP_TO, committedUpTo);
        ring.set(INT, offset + RecordLayout.LENGTH, (int) length);
        ring.set(INT, offset + RecordLayout.ENTRY_BYTES, (int) entryBytes);
        ring.set(INT, offset + RecordLayout.VERSION_OFFSET, RecordLayout.VERSION);
        ring.set(INT, offset + RecordLayout.RESERVED, 0);
        crc.reset();
        summed = offset + RecordLayout.MAGIC_OFFSET;
    }

    @Override
    public void set(long offset, long value) {
        word(RecordLayout.SET, offset, value);
    }

    @Override
    public void and(long offset, long mask) {
        word(RecordLayout.AND, offset, mask);
    }

    @Override
    public void or(long offset, long mask) {
        word(RecordLayout.OR, offset, mask);
    }

    @Override
    public void copy(long offset, MemorySegment source, long sourceOffset, long length) {
        long at = claim(RecordEntries.copyEntryBytes(length));
        ring.set(LONG, at, RecordLayout.COPY | checked(offset));
        ring.set(LONG, at + 8, length);
        long copied = 0;
        while (length - copied > PIECE) {
            MemorySegment.copy(source, sourceOffset + copied, ring, at + 16 + copied, PIECE);
            copied += PIECE;
            sum(at + 16 + copied);
        }
        MemorySegment.copy(source, sourceOffset + copied, ring, at + 16 + copied, length - copied);
        for (long i = at + 16 + length; i < cursor; i++) {
            ring.set(ValueLayout.JAVA_BYTE, i, (byte) 0);
        }
    }

    private void word(long kind, long offset, long value) {
        long at = claim(RecordEntries.WORD_ENTRY_BYTES);
        ring.set(LONG, at, kind | checked(offset));
        ring.set(LONG, at + 8, value);
    }

    private long claim(long size) {
        long at = cursor;
        if (size > entriesEnd - at) {
            throw FarheapException.wrongUse(
                    "a record's entries are longer than announced: %s bytes instead of %s",
                    at + size - begin - RecordLayout.ENTRIES,
                    entriesEnd - begin - RecordLayout.ENTRIES);
        }
        cursor = at + size;
        return at;
    }

    private static long checked(long offset) {
        if ((offset & ~RecordLayout.OFFSET_MASK) != 0) {
            throw FarheapException.wrongUse("no offset in a pool: 0x%s", Long.toHexString(offset));
        }
        return offset;
    }

    /** Completes the record. */
    public void end() {
        if (cursor != entriesEnd) {
            throw FarheapException.wrongUse(
                    "a record's entries are shorter than announced: %s bytes instead of %s",
                    cursor - begin - RecordLayout.ENTRIES,
                    entriesEnd - begin - RecordLayout.ENTRIES);
        }
        seal();
    }

    private void seal() {
        long at = end - RecordLayout.TRAILER_BYTES;
        for (long i = entriesEnd; i < at; i += Long.BYTES) {
            ring.set(LONG, i, 0);
        }
        ring.set(LONG, at, trailer);
        sum(end);
        ring.set(INT, begin + RecordLayout.CRC, (int) crc.getValue());
    }

    /** Goes on with the CRC; what it has passed must not change any more. */
    private void sum(long to) {
        bytes.limit((int) to).position((int) summed);
        crc.update(bytes);
        bytes.clear();
        summed = to;
    }

    /**
     * Writes a complete record without entries.
     *
     * @param length what it leads over, its own 64 bytes included: 64 for an empty record, more for
     *     one that skips what was claimed and not used, or the rest of a lap
     */
    public void skip(long offset, long epoch, long sequence, long committedUpTo, long length) {
        header(offset, epoch, sequence, committedUpTo, 0, length);
        seal();
    }

    /** The CRC of the record from {@code begin} to {@code end}: over all of it but itself. */
    static int checksum(ByteBuffer bytes, CRC32C crc, long begin, long end) {
        bytes.limit((int) end).position((int) begin + RecordLayout.MAGIC_OFFSET);
        crc.reset();
        crc.update(bytes);
        bytes.clear();
        return (int) crc.getValue();
    }
}
