package io.farheap.memory;

import static io.farheap.memory.DiskJournalLayout.LEAST_BLOCK;
import static io.farheap.memory.DiskJournalLayout.MOST_BATCH_BYTES;
import static io.farheap.memory.DiskJournalLayout.MOST_BLOCK;
import static io.farheap.memory.DiskJournalLayout.RING;

/**
 * What does not change in the life of a journal.
 *
 * @param ringBytes a multiple of {@code batchBytes}
 * @param batchBytes what a batch has at most; a multiple of the block size
 * @param blockBytes what the device writes at once: a power of two, 512 to 4096
 */
public record JournalGeometry(long ringBytes, int batchBytes, int blockBytes) {
    /** Below this, backpressure would leave nothing. */
    static final int LEAST_BATCHES = 8;

    /** What a pool's ring has at least. */
    private static final int USUAL_BATCHES = 16;

    public JournalGeometry {
        if (Integer.bitCount(blockBytes) != 1
                || blockBytes < LEAST_BLOCK
                || blockBytes > MOST_BLOCK
                || batchBytes % blockBytes != 0
                || ringBytes % batchBytes != 0
                || ringBytes / batchBytes < LEAST_BATCHES) {
            throw new IllegalArgumentException(
                    "a ring of " + ringBytes + " by " + batchBytes + " by " + blockBytes);
        }
    }

    /**
     * What journals of pools have. Batches of a small ring are small, too: what stays free for
     * them, and what a checkpoint may need, is the same share of each.
     *
     * @param least is rounded down to what a ring can have, which is 64 KiB at least
     */
    public static JournalGeometry ofRing(long least) {
        int batch = batchOf(least);
        return new JournalGeometry(least / batch * batch, batch, MOST_BLOCK);
    }

    /** What a batch has at most in such a ring. */
    static int batchOf(long ringBytes) {
        long share = ringBytes / USUAL_BATCHES & -(long) MOST_BLOCK;
        return Math.clamp(share, MOST_BLOCK, MOST_BATCH_BYTES);
    }

    /** What the file takes. */
    public long fileBytes() {
        return RING + ringBytes;
    }
}
