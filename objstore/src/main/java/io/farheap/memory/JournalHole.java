package io.farheap.memory;

import static io.farheap.memory.DiskJournalLayout.BATCH_MAGIC;
import static io.farheap.memory.DiskJournalLayout.BATCH_NONCE_AT;
import static io.farheap.memory.DiskJournalLayout.POSITION_AT;
import static io.farheap.memory.DiskJournalLayout.USED_AT;

import io.farheap.base.FarheapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Batches that lie behind one that is not whole. No crash leaves that: the leader begins a batch
 * when the one before is durable, in every journal, so the beginning of a batch proves that all
 * before it were whole. Something has damaged what was durable, and commits that were acknowledged
 * are in it or behind it (docs/disk-journal.md#damage).
 *
 * @param place the journal
 * @param offset where in its file the first batch that is not whole begins
 * @param batches how many begin behind it
 * @param bytes from there to the end of the last
 */
public record JournalHole(Object place, long offset, long batches, long bytes) {
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** What is wrong and what can be done, to follow the name of the file. */
    public String text() {
        return "is damaged: the batch at byte "
                + offset
                + " is not whole, and "
                + batches
                + (batches == 1 ? " batch that was" : " batches that were")
                + " written after it"
                + (batches == 1 ? " lies" : " lie")
                + " behind it, up to "
                + bytes
                + " bytes further, with commits that were acknowledged: put a sound copy of the"
                + " file back; where there is none, farheap recover --drop-behind-damage gives up"
                + " everything from that byte on, and keeps this file under another name";
    }

    /** The refusal to go on without what lies behind. */
    public FarheapException refusal() {
        return FarheapException.badData("%s %s; nothing was changed", place, text());
    }

    /**
     * Looks behind the place where recovery would end.
     *
     * @param file was read through
     * @param end where the journal that reaches furthest ends; the file's own end or more
     * @return null where nothing is there, or somebody writes to the journal meanwhile
     */
    static JournalHole behind(DiskJournalFile file, long end) {
        int block = file.geometry().blockBytes();
        if (file.checkpointPosition() < 0 || end % block != 0) {
            return null; // a valid checksum over what no version writes
        }
        // The block at its own end may have half of a batch that was being written.
        long from = file.end() < end ? end : end + block;
        long limit = file.checkpointPosition() + file.ringBytes();
        long batches = 0;
        long last = end;
        MemorySegment piece =
                Arena.ofAuto().allocate(file.geometry().batchBytes(), DiskJournalLayout.MOST_BLOCK);
        long length;
        for (long position = from; position < limit; position += length) {
            length = file.readRing(piece, position, limit - position);
            if (length < block) {
                break; // the file ends there
            }
            for (long at = 0; at + block <= length; at += block) {
                if (begins(piece, at, file.nonce(), position + at)) {
                    long used = piece.get(INT, at + USED_AT);
                    boolean possible = used > 0 && used <= limit - position - at;
                    batches++;
                    last = position + at + (possible ? (used + block - 1) & -block : block);
                }
            }
        }
        return batches == 0 || file.isWrittenTo()
                ? null
                : new JournalHole(file.place(), file.offset(end), batches, last - end);
    }

    private static boolean begins(MemorySegment piece, long at, long nonce, long position) {
        return piece.get(INT, at) == BATCH_MAGIC
                && piece.get(LONG, at + BATCH_NONCE_AT) == nonce
                && piece.get(LONG, at + POSITION_AT) == position;
    }
}
