package io.farheap.memory;

import static io.farheap.memory.DiskJournalLayout.BATCH_CRC_AT;
import static io.farheap.memory.DiskJournalLayout.BATCH_HEADER;
import static io.farheap.memory.DiskJournalLayout.BATCH_MAGIC;
import static io.farheap.memory.DiskJournalLayout.BATCH_NONCE_AT;
import static io.farheap.memory.DiskJournalLayout.ENTRIES;
import static io.farheap.memory.DiskJournalLayout.ENTRY_HEADER;
import static io.farheap.memory.DiskJournalLayout.ENTRY_LENGTH;
import static io.farheap.memory.DiskJournalLayout.FILLER;
import static io.farheap.memory.DiskJournalLayout.FIRST_IMAGE_BYTE;
import static io.farheap.memory.DiskJournalLayout.KIND_AT;
import static io.farheap.memory.DiskJournalLayout.POSITION_AT;
import static io.farheap.memory.DiskJournalLayout.SUMMED_FROM;
import static io.farheap.memory.DiskJournalLayout.USED_AT;

import io.farheap.base.FarheapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** A batch of the disk journal in memory: filled, sealed and written, or read and applied. */
final class JournalBatch {
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment bytes;
    private final ByteBuffer view;
    private final CRC32C crc = new CRC32C();
    private int used = BATCH_HEADER;

    /**
     * @param capacity a multiple of the journal's block size
     */
    JournalBatch(int capacity) {
        bytes = Arena.ofAuto().allocate(capacity, DiskJournalLayout.MOST_BLOCK);
        view = bytes.asByteBuffer();
    }

    /** Aligned as direct I/O wants it. */
    MemorySegment bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return used == BATCH_HEADER;
    }

    void clear() {
        used = BATCH_HEADER;
    }

    /**
     * Appends what the image holds in a range, as much as fits.
     *
     * @param offset a multiple of 8, as is {@code length}
     * @return how many bytes of the range it took; 0: it is full
     */
    long append(MemorySegment image, long offset, long length) {
        long part = Math.min(length, bytes.byteSize() - used - ENTRY_HEADER);
        if (part <= 0) {
            return 0;
        }
        bytes.set(LONG, used, offset);
        bytes.set(LONG, used + ENTRY_LENGTH, part);
        MemorySegment.copy(image, offset, bytes, used + ENTRY_HEADER, part);
        used += (int) (ENTRY_HEADER + part);
        return part;
    }

    /**
     * Completes it.
     *
     * @return how many bytes are to be written
     */
    int seal(long nonce, long position, int block) {
        return seal(nonce, position, ENTRIES, block);
    }

    /** Makes it one that says that nothing more is before the ring's end. */
    int sealFiller(long nonce, long position, int block) {
        clear();
        return seal(nonce, position, FILLER, block);
    }

    private int seal(long nonce, long position, int kind, int block) {
        int written = (used + block - 1) & -block;
        zero(used, written);
        zero(0, BATCH_HEADER);
        bytes.set(INT, 0, BATCH_MAGIC);
        bytes.set(LONG, BATCH_NONCE_AT, nonce);
        bytes.set(LONG, POSITION_AT, position);
        bytes.set(INT, USED_AT, used);
        bytes.set(INT, KIND_AT, kind);
        bytes.set(INT, BATCH_CRC_AT, sum(used));
        return written;
    }

    /** By words: a slice to be filled would be garbage. */
    private void zero(int from, int to) {
        for (int at = from; at < to; at += Long.BYTES) {
            bytes.set(LONG, at, 0);
        }
    }

    private int sum(int end) {
        crc.reset();
        view.limit(end).position((int) SUMMED_FROM);
        crc.update(view);
        return (int) crc.getValue();
    }

    /**
     * Reads the batch at a position of the ring.
     *
     * @param bytesLeft up to the ring's end
     * @return whether a valid one is there
     */
    boolean read(DiskFile file, long offset, long bytesLeft, long nonce, long position, int block) {
        clear();
        long first = Math.min(Math.min(block, bytesLeft), bytes.byteSize());
        if (first < BATCH_HEADER || file.read(bytes, 0, first, offset) < first) {
            return false;
        }
        int says = bytes.get(INT, USED_AT);
        boolean plausible =
                bytes.get(INT, 0) == BATCH_MAGIC
                        && bytes.get(LONG, BATCH_NONCE_AT) == nonce
                        && bytes.get(LONG, POSITION_AT) == position
                        && says >= BATCH_HEADER
                        && says <= Math.min(bytesLeft, bytes.byteSize());
        if (!plausible) {
            return false;
        }
        if (says > first && file.read(bytes, first, says - first, offset + first) < says - first) {
            return false;
        }
        used = says;
        return sum(used) == bytes.get(INT, BATCH_CRC_AT);
    }

    boolean isFiller() {
        return bytes.get(INT, KIND_AT) == FILLER;
    }

    /** What it takes in the ring. */
    int length(int block) {
        return (used + block - 1) & -block;
    }

    /** What is done with each entry: its bytes lie in the batch. */
    @FunctionalInterface
    interface EntryAction {
        void entry(MemorySegment source, long at, long length, long imageOffset);
    }

    /**
     * Goes through the entries of a valid batch in order.
     *
     * @param where names it in an error
     * @throws FarheapException BAD_DATA where one is not inside the image
     */
    void forEach(long imageBytes, Object where, EntryAction action) {
        int at = BATCH_HEADER;
        while (at < used) {
            long room = (long) used - at - ENTRY_HEADER;
            long offset = room < 0 ? -1 : bytes.get(LONG, at);
            long length = room < 0 ? -1 : bytes.get(LONG, at + ENTRY_LENGTH);
            boolean inside =
                    offset >= FIRST_IMAGE_BYTE
                            && length > 0
                            && length <= room
                            && ((offset | length) & 7) == 0
                            && offset <= imageBytes - length;
            if (!inside) {
                throw FarheapException.badData(
                        "%s: the batch at position %s is whole, and names %s bytes at %s of an"
                                + " image of %s bytes: another pool's, or a newer version's;"
                                + " nothing was changed",
                        where, bytes.get(LONG, POSITION_AT), length, offset, imageBytes);
            }
            action.entry(bytes, at + ENTRY_HEADER, length, offset);
            at += (int) (ENTRY_HEADER + length);
        }
    }
}
