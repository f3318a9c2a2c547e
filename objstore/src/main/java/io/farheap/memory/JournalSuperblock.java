package io.farheap.memory;

import static io.farheap.memory.DiskJournalLayout.BLOCK_AT;
import static io.farheap.memory.DiskJournalLayout.CHECKPOINT_AT;
import static io.farheap.memory.DiskJournalLayout.ID_AT;
import static io.farheap.memory.DiskJournalLayout.IMAGE_BYTES_AT;
import static io.farheap.memory.DiskJournalLayout.MAGIC;
import static io.farheap.memory.DiskJournalLayout.MAGIC_AT;
import static io.farheap.memory.DiskJournalLayout.NONCE_AT;
import static io.farheap.memory.DiskJournalLayout.OWNER_AT;
import static io.farheap.memory.DiskJournalLayout.OWNER_BYTES;
import static io.farheap.memory.DiskJournalLayout.RELEASED_AT;
import static io.farheap.memory.DiskJournalLayout.RING_BYTES_AT;
import static io.farheap.memory.DiskJournalLayout.SEQUENCE_AT;
import static io.farheap.memory.DiskJournalLayout.SUPERBLOCK_BYTES;
import static io.farheap.memory.DiskJournalLayout.SUPERBLOCK_CRC_AT;
import static io.farheap.memory.DiskJournalLayout.VERSION;
import static io.farheap.memory.DiskJournalLayout.VERSION_AT;

import io.farheap.base.FarheapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * What a disk journal says of itself. The file has two of these: the valid one that was written
 * last counts, and the next takes the other's place, so that a crash leaves one
 * (docs/format.md#disk-journal). What is said anew is in memory alone until it is written.
 */
final class JournalSuperblock {
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final DiskFile file;
    private final MemorySegment block = Arena.ofAuto().allocate(SUPERBLOCK_BYTES, SUPERBLOCK_BYTES);

    private JournalSuperblock(DiskFile file) {
        this.file = file;
    }

    /** The first one of a journal; not written yet. */
    static JournalSuperblock first(DiskFile file, JournalGeometry geometry, byte[] owner, long id) {
        JournalSuperblock made = new JournalSuperblock(file);
        MemorySegment block = made.block;
        block.set(LONG, MAGIC_AT, MAGIC);
        block.set(INT, VERSION_AT, VERSION);
        block.set(INT, BLOCK_AT, geometry.blockBytes());
        MemorySegment.copy(owner, 0, block, ValueLayout.JAVA_BYTE, OWNER_AT, OWNER_BYTES);
        block.set(LONG, ID_AT, id);
        block.set(LONG, RING_BYTES_AT, geometry.ringBytes());
        return made;
    }

    /**
     * The one that counts.
     *
     * @param place what errors call the file
     * @return empty where none is valid
     * @throws FarheapException BAD_DATA where a newer version wrote it
     */
    static Optional<JournalSuperblock> newest(Object place, DiskFile file) {
        JournalSuperblock a = new JournalSuperblock(file);
        JournalSuperblock b = new JournalSuperblock(file);
        boolean first = a.read(0);
        boolean second = b.read(SUPERBLOCK_BYTES);
        if (!first && !second) {
            return Optional.empty();
        }
        boolean newer = second && (!first || b.sequence() > a.sequence());
        JournalSuperblock current = newer ? b : a;
        int version = current.block.get(INT, VERSION_AT);
        if (version != VERSION) {
            throw FarheapException.badData(
                    "%s is a disk journal of version %s, and this is for version %s: use the"
                            + " version of farheap that made it",
                    place, version, VERSION);
        }
        return Optional.of(current);
    }

    /** Whether that is a valid one. */
    private boolean read(long offset) {
        return file.read(block, 0, SUPERBLOCK_BYTES, offset) == SUPERBLOCK_BYTES
                && block.get(LONG, MAGIC_AT) == MAGIC
                && block.get(INT, SUPERBLOCK_CRC_AT) == sum();
    }

    private int sum() {
        CRC32C crc = new CRC32C();
        crc.update(block.asSlice(0, SUPERBLOCK_CRC_AT).asByteBuffer());
        return (int) crc.getValue();
    }

    /** Grows with each that is written. */
    long sequence() {
        return block.get(LONG, SEQUENCE_AT);
    }

    long ringBytes() {
        return block.get(LONG, RING_BYTES_AT);
    }

    int blockBytes() {
        return block.get(INT, BLOCK_AT);
    }

    byte[] owner() {
        return block.asSlice(OWNER_AT, OWNER_BYTES).toArray(ValueLayout.JAVA_BYTE);
    }

    long id() {
        return block.get(LONG, ID_AT);
    }

    void setId(long id) {
        block.set(LONG, ID_AT, id);
    }

    boolean isReleased() {
        return block.get(LONG, RELEASED_AT) != 0;
    }

    void setReleased(boolean released) {
        block.set(LONG, RELEASED_AT, released ? 1 : 0);
    }

    long imageBytes() {
        return block.get(LONG, IMAGE_BYTES_AT);
    }

    void setImageBytes(long bytes) {
        block.set(LONG, IMAGE_BYTES_AT, bytes);
    }

    long checkpoint() {
        return block.get(LONG, CHECKPOINT_AT);
    }

    void setCheckpoint(long position) {
        block.set(LONG, CHECKPOINT_AT, position);
    }

    long nonce() {
        return block.get(LONG, NONCE_AT);
    }

    void setNonce(long nonce) {
        block.set(LONG, NONCE_AT, nonce);
    }

    /** Takes the place of the older one; durable when it returns. */
    void write() {
        block.set(LONG, SEQUENCE_AT, sequence() + 1);
        block.set(INT, SUPERBLOCK_CRC_AT, sum());
        writeInItsPlace();
    }

    /** Writes what counts once more, the same bytes. */
    void writeInItsPlace() {
        file.writeDurably(block, 0, SUPERBLOCK_BYTES, (sequence() & 1) * SUPERBLOCK_BYTES);
    }
}
