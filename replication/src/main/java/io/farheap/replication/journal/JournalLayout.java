package io.farheap.replication.journal;

import static io.farheap.replication.journal.RecordLayout.INT;
import static io.farheap.replication.journal.RecordLayout.LONG;

import io.farheap.base.FarheapException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * A replica's journal file, beside its part files: a header, two copies of the slot, the ring.
 *
 * <pre>
 *        0  header: magic 8 | version 4 | CRC32C 4 | ring capacity 8 | poolset uuid 16 | zeros
 *     2048  on a device, whose journal it has (see OwnerLayout); else zeros
 *     4096  slot, copy 0      (see SlotLayout)
 *     8192  slot, copy 1
 *    12288  a pool header, while those of the parts are being replaced by it; else zeros
 *    16384  ring of records   (see RecordLayout), capacity bytes
 * </pre>
 *
 * <p>Little-endian. The header is written once; that of a program's remote memory again when its
 * poolset uuid is changed. A <em>position</em> counts the bytes of an epoch's stream from 0 without
 * end; its place in the ring is {@link #ringOffset}. The stream of an epoch starts at position 0.
 */
public final class JournalLayout {
    /** Offset of what a device says of its journal's owner. */
    public static final long OWNER = 2048;

    /** Offset of slot copy 0; copy 1 is one page behind it. */
    public static final long SLOTS = 4096;

    static final long SLOT_STRIDE = 4096;

    /** Offset of the page that holds what part headers are being replaced by. */
    public static final long PENDING_HEADER = 12288;

    /** Offset of the ring in the file. */
    public static final long RING = 16384;

    public static final int UUID_BYTES = 16;

    /** A ring's capacity is a multiple of this. */
    public static final long CAPACITY_UNIT = 4096;

    /** The least ring: a record of a few ranges fits. */
    public static final long MIN_CAPACITY = 64 << 10;

    /** The largest ring: it must be one ByteBuffer. */
    public static final long MAX_CAPACITY = 1L << 30;

    private static final long MAGIC = 0x4C4E_524A_5048_4146L; // "FAHPJRNL"
    private static final int VERSION = 1;
    private static final int VERSION_OFFSET = 8;
    private static final int CRC = 12;
    private static final int CAPACITY = 16;
    private static final int UUID = 24;
    private static final int HEADER_BYTES = 40;

    private JournalLayout() {}

    /** Bytes of a journal file with a ring of {@code capacity} bytes. */
    public static long fileBytes(long capacity) {
        return RING + checkedCapacity(capacity);
    }

    /** Where a position of the stream lies in a ring of {@code capacity} bytes. */
    public static long ringOffset(long position, long capacity) {
        return position % capacity;
    }

    /**
     * The largest record for a ring: it must fit whatever its position, with the skip before it.
     */
    public static long maxRecordBytes(long capacity) {
        return (capacity / 2) & -RecordLayout.ALIGNMENT;
    }

    /**
     * @return the capacity, when a ring can have it
     * @throws FarheapException category WRONG_USE
     */
    public static long checkedCapacity(long capacity) {
        if (capacity <= 0 || capacity % CAPACITY_UNIT != 0 || capacity > MAX_CAPACITY) {
            throw FarheapException.wrongUse(
                    "a journal of %s bytes is not possible: give a multiple of %s up to %s",
                    capacity, CAPACITY_UNIT, MAX_CAPACITY);
        }
        return capacity;
    }

    /** Writes the header into the first bytes of {@code file}; the caller makes it durable. */
    public static void writeHeader(MemorySegment file, long capacity, byte[] poolsetUuid) {
        file.set(LONG, 0, MAGIC);
        file.set(INT, VERSION_OFFSET, VERSION);
        file.set(LONG, CAPACITY, checkedCapacity(capacity));
        MemorySegment.copy(MemorySegment.ofArray(poolsetUuid), 0, file, UUID, UUID_BYTES);
        file.set(INT, CRC, checksum(file));
    }

    /** Gives a journal that has a header another poolset uuid; the caller makes it durable. */
    public static void rewriteHeader(MemorySegment file, byte[] poolsetUuid) {
        writeHeader(file, file.get(LONG, CAPACITY), poolsetUuid);
    }

    /**
     * Validates the header against the file it stands in.
     *
     * @param name the file, for the message
     * @return the ring's capacity
     * @throws FarheapException category BAD_DATA
     */
    public static long readHeader(MemorySegment file, byte[] poolsetUuid, String name) {
        byte[] uuid = readPoolsetUuid(file, name);
        if (!Arrays.equals(uuid, poolsetUuid)) {
            throw bad(
                    name,
                    "belongs to the poolset "
                            + HexFormat.of().formatHex(uuid)
                            + ", not to "
                            + HexFormat.of().formatHex(poolsetUuid));
        }
        return file.get(LONG, CAPACITY);
    }

    /**
     * Validates the header as far as it goes by itself.
     *
     * @param name the file, for the message
     * @return the uuid of the poolset that the journal belongs to
     * @throws FarheapException category BAD_DATA
     */
    public static byte[] readPoolsetUuid(MemorySegment file, String name) {
        if (file.byteSize() < RING || file.get(LONG, 0) != MAGIC) {
            throw bad(name, "is no journal of a replica");
        }
        if (file.get(INT, VERSION_OFFSET) != VERSION) {
            throw bad(
                    name,
                    "has version "
                            + file.get(INT, VERSION_OFFSET)
                            + " of a journal, and this agent knows "
                            + VERSION
                            + ": a later release of Farheap made it; upgrade this one");
        }
        if (!isIntact(file)) {
            throw bad(name, "has a damaged header");
        }
        long capacity = file.get(LONG, CAPACITY);
        if (capacity <= 0
                || capacity % CAPACITY_UNIT != 0
                || capacity > MAX_CAPACITY
                || file.byteSize() < RING + capacity) {
            throw bad(name, "names a ring of " + capacity + " bytes but has " + file.byteSize());
        }
        byte[] uuid = new byte[UUID_BYTES];
        MemorySegment.copy(file, UUID, MemorySegment.ofArray(uuid), 0, UUID_BYTES);
        return uuid;
    }

    private static boolean isIntact(MemorySegment file) {
        return file.get(INT, CRC) == checksum(file);
    }

    private static int checksum(MemorySegment file) {
        CRC32C crc = new CRC32C();
        crc.update(file.asSlice(0, CRC).asByteBuffer());
        crc.update(file.asSlice(CAPACITY, HEADER_BYTES - CAPACITY).asByteBuffer());
        return (int) crc.getValue();
    }

    private static FarheapException bad(String name, String what) {
        return FarheapException.badData(
                "%s %s; if another copy is whole: farheap sync --overwrite makes this"
                        + " one anew from it",
                name, what);
    }
}
