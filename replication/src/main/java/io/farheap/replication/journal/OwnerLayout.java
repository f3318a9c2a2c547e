package io.farheap.replication.journal;

import static io.farheap.replication.journal.RecordLayout.INT;
import static io.farheap.replication.journal.RecordLayout.LONG;

import io.farheap.base.FarheapException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * What a device says of its journal's owner, in the journal's header page: the path by which the
 * replica finds it. A device has no name in a folder that could say so, and its number may be
 * another after each start of the machine.
 *
 * <pre>
 *     2048  magic 8 | CRC32C of the path 4 | its bytes 4 | the path, UTF-8
 * </pre>
 *
 * <p>Little-endian. There is an owner while there is the magic number, which is stored last and
 * goes first.
 */
public final class OwnerLayout {
    /** Of a path. */
    public static final int MAX_BYTES = 2032;

    /** Offset of the word that says whether there is an owner. */
    public static final long MAGIC_AT = JournalLayout.OWNER;

    private static final long MAGIC = 0x524E_574F_5048_4146L; // "FAHPOWNR"
    private static final long CRC = JournalLayout.OWNER + 8;
    private static final long LENGTH = JournalLayout.OWNER + 12;
    private static final long PATH = JournalLayout.OWNER + 16;

    private OwnerLayout() {}

    /**
     * Writes all but the magic number.
     *
     * @throws FarheapException category WRONG_USE when the path is too long
     */
    public static void write(MemorySegment journal, String path) {
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_BYTES) {
            throw FarheapException.wrongUse(
                    "The path %s is too long for a journal on a device: at most %s bytes.",
                    path, MAX_BYTES);
        }
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, journal, PATH, bytes.length);
        journal.set(INT, LENGTH, bytes.length);
        journal.set(INT, CRC, checksum(bytes));
    }

    /** What is written is there from now on. */
    public static void stamp(MemorySegment journal) {
        journal.set(LONG, MAGIC_AT, MAGIC);
    }

    /**
     * @param name the device, for the message
     * @return empty where there is no owner
     * @throws FarheapException category BAD_DATA when that is damaged
     */
    public static Optional<String> read(MemorySegment journal, String name) {
        long magic = journal.get(LONG, MAGIC_AT);
        if (magic == 0) {
            return Optional.empty();
        }
        int length = journal.get(INT, LENGTH);
        if (magic == MAGIC && length >= 0 && length <= MAX_BYTES) {
            byte[] bytes = new byte[length];
            MemorySegment.copy(journal, PATH, MemorySegment.ofArray(bytes), 0, length);
            if (journal.get(INT, CRC) == checksum(bytes)) {
                return Optional.of(new String(bytes, StandardCharsets.UTF_8));
            }
        }
        throw FarheapException.badData(
                "%s does not say whose journal it has: that is damaged", name);
    }

    private static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
