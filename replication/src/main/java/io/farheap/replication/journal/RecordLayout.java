package io.farheap.replication.journal;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * One record of the commit stream: the offsets of its fields, and the arithmetic on its size.
 *
 * <pre>
 *    0                   4                   8
 *   +-------------------+-------------------+
 * 0 | CRC32C of 4..span | magic             |
 *   +-------------------+-------------------+
 * 8 | epoch: the pool's run_id              |
 *   +---------------------------------------+
 * 16| sequence: 1, 2, 3 ... in an epoch     |
 *   +---------------------------------------+
 * 24| committedUpTo                         |
 *   +-------------------+-------------------+
 * 32| length            | entry bytes       |
 *   +-------------------+-------------------+
 * 40| version           | 0                 |
 *   +-------------------+-------------------+
 * 48| entries, then zeros                   |
 *   .                                       .
 *   +---------------------------------------+
 *   | trailer = f(epoch, sequence)          |  span - 8
 *   +---------------------------------------+
 * </pre>
 *
 * <p>Little-endian; a record begins at a multiple of 64 and never wraps around the ring's end. Its
 * <em>span</em> are the bytes that carry something and that the CRC covers, {@link #span(long)};
 * its <em>length</em> leads to the next record. They differ only for a record without entries: one
 * whose length is longer skips what follows its 64 bytes, as at the end of a lap.
 *
 * <p>Each version to come has all of this but its entries where it is: who does not know it must
 * see that there is a record, and not take the one before for the last.
 *
 * <p>Entries mirror those of a libpmemobj log (docs/format.md#entries): one word with the kind in
 * its top 3 bits and the image offset below, then the value; a copy has the number of bytes there,
 * followed by the bytes, padded with zeros to a multiple of 8.
 */
public final class RecordLayout {
    public static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Every record begins and ends at a multiple of this. */
    public static final int ALIGNMENT = 64;

    /** Bytes of a record without entries. */
    public static final int EMPTY_BYTES = ALIGNMENT;

    static final int MAGIC = 0x31524846; // "FHR1"
    static final int VERSION = 1;

    static final int CRC = 0;
    static final int MAGIC_OFFSET = 4;
    static final int EPOCH = 8;
    static final int SEQUENCE = 16;
    static final int COMMITTED_UP_TO = 24;
    static final int LENGTH = 32;
    static final int ENTRY_BYTES = 36;
    static final int VERSION_OFFSET = 40;
    static final int RESERVED = 44;
    static final int ENTRIES = 48;
    static final int TRAILER_BYTES = 8;

    static final int KIND_SHIFT = 61;
    static final long OFFSET_MASK = (1L << KIND_SHIFT) - 1;
    static final long SET = 0L << KIND_SHIFT;
    static final long AND = 1L << KIND_SHIFT;
    static final long OR = 2L << KIND_SHIFT;
    static final long COPY = 6L << KIND_SHIFT;

    private RecordLayout() {}

    /** Bytes from the begin of a record with {@code entryBytes} bytes of entries to its end. */
    public static long span(long entryBytes) {
        return (ENTRIES + entryBytes + TRAILER_BYTES + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** The most entry bytes that a record of {@code length} bytes holds. */
    public static long entryBytesIn(long length) {
        return (length & -ALIGNMENT) - ENTRIES - TRAILER_BYTES;
    }

    /** Where the trailer is of a record that begins at {@code begin}. */
    public static long trailerAt(long begin, long span) {
        return begin + span - TRAILER_BYTES;
    }

    /** What stands in the last 8 bytes of a record's span; zeros are no trailer. */
    public static long trailer(long epoch, long sequence) {
        long mixed = epoch * 0x9E3779B97F4A7C15L + sequence * 0xC2B2AE3D27D4EB4FL;
        return mixed ^ (mixed >>> 29) ^ 0x5452_4149_4C45_5221L;
    }
}
