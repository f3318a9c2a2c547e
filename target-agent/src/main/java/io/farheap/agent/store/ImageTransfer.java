package io.farheap.agent.store;

import io.farheap.agent.base.Refusal;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.Reply.Code;
import io.farheap.replication.journal.JournalMessages;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;

/**
 * Image bytes in bulk, to and from an initiator, and which of them are not durable yet. Not
 * thread-safe: the store's lock guards it.
 */
final class ImageTransfer {
    /** Durability is kept track of by blocks of this size. */
    private static final int BLOCK_SHIFT = 20;

    private static final int PAGE_SHIFT = 12;

    /** What a copy leaves to be flushed at its end, while commits may wait for it. */
    private static final int MOST_UNFLUSHED_BLOCKS = 16;

    /** What is stored past the CPU's caches where there is a way to. */
    private static final int LONG = 4096;

    private final PoolMemory image;
    private final RangeSums sums;
    private final BitSet unflushed = new BitSet();

    /** Pages that the medium may lack, whatever is in memory and whoever flushes them. */
    private final BitSet doubtful = new BitSet();

    ImageTransfer(PoolMemory image) {
        this.image = image;
        this.sums = new RangeSums(image);
    }

    /**
     * Stores bytes of a full copy. What is this copy's own is left out of it, wherever the range
     * covers it: the header page, run_id, the scratch area and the lanes.
     */
    void storeCopy(long offset, MemorySegment source, long at, long length) {
        checkRange(offset, length);
        storePart(offset, source, at, length, Descriptor.OFFSET, Descriptor.RUN_ID);
        storePart(offset, source, at, length, Descriptor.ROOT_SIZE, Descriptor.SCRATCH);
        storePart(offset, source, at, length, Descriptor.DEFAULT_HEAP_OFFSET, image.size());
        leaveLittle();
    }

    private void leaveLittle() {
        if (unflushed.cardinality() > MOST_UNFLUSHED_BLOCKS) {
            makeDurable();
        }
    }

    private void storePart(
            long offset, MemorySegment source, long at, long length, long from, long to) {
        long begin = Math.max(offset, from);
        long end = Math.min(offset + length, to);
        if (begin < end) {
            store(begin, source, at + begin - offset, end - begin);
        }
    }

    /** Stores bytes wherever it is told to. */
    void store(long offset, MemorySegment source, long at, long length) {
        checkRange(offset, length);
        if (length > 0) {
            doubtful.clear(first(offset, PAGE_SHIFT), end(offset, length, PAGE_SHIFT));
            if (length >= LONG && image.persistIn(offset, source, at, length)) {
                return;
            }
            if (length >= LONG) {
                image.copyInOnce(offset, source, at, length);
            } else {
                image.copyIn(offset, source, at, length);
            }
            unflushed.set(first(offset, BLOCK_SHIFT), end(offset, length, BLOCK_SHIFT));
        }
    }

    private static int first(long offset, int shift) {
        return (int) (offset >> shift);
    }

    private static int end(long offset, long length, int shift) {
        return (int) ((offset + length - 1) >> shift) + 1;
    }

    /**
     * Of this range the medium may lack what is in memory: a flush of it may have failed, after
     * which the kernel takes the pages for written. Before they are compared, and before the image
     * is complete, they are stored again.
     */
    void doubt(long offset, long length) {
        if (length > 0) {
            doubtful.set(first(offset, PAGE_SHIFT), end(offset, length, PAGE_SHIFT));
        }
    }

    /** The same of all that nobody sends again. */
    void settleDoubts() {
        storeAgain(0, image.size());
    }

    private void storeAgain(long offset, long length) {
        int end = end(offset, length, PAGE_SHIFT);
        for (int page = doubtful.nextSetBit(first(offset, PAGE_SHIFT));
                page >= 0 && page < end;
                page = doubtful.nextSetBit(page)) {
            long at = (long) page << PAGE_SHIFT;
            image.orLong(at, 0); // a store that changes nothing, for which the page is written
            doubtful.clear(page);
            unflushed.set(first(at, BLOCK_SHIFT));
            leaveLittle();
        }
    }

    /** Whether something stored is not durable yet. */
    boolean isUnflushed() {
        return !unflushed.isEmpty();
    }

    /** Makes everything stored so far durable. */
    void makeDurable() {
        if (unflushed.isEmpty()) {
            return;
        }
        for (int block = unflushed.nextSetBit(0); block >= 0; ) {
            int end = unflushed.nextClearBit(block);
            long from = (long) block << BLOCK_SHIFT;
            image.flush(from, Math.min((long) end << BLOCK_SHIFT, image.size()) - from);
            block = unflushed.nextSetBit(end);
        }
        image.fence();
        unflushed.clear();
    }

    /** To be called before a range is summed: what is dirty stays as it was summed. */
    void settleDoubts(long offset, long length) {
        checkRange(offset, length);
        if (length > 0) {
            storeAgain(offset, length);
        }
    }

    /** CRC32C of a range. */
    int sum(long offset, long length) {
        checkRange(offset, length);
        return sums.of(offset, length);
    }

    /** A copy of a range. */
    Blob bytes(long offset, long length) {
        checkRange(offset, length);
        return Blob.of(image.image().asSlice(offset, length));
    }

    /** Writes the answer to GET_IMAGE. */
    int read(MemorySegment answer, long offset, long length) {
        checkRange(offset, length);
        return JournalMessages.image(answer, offset, image.image(), offset, (int) length);
    }

    private void checkRange(long offset, long length) {
        if (offset < 0 || length < 0 || offset > image.size() || length > image.size() - offset) {
            throw new Refusal(
                    Code.BAD_MESSAGE,
                    length
                            + " bytes at image offset "
                            + offset
                            + " are outside of the replica's "
                            + image.size()
                            + " bytes.",
                    "Do both sides have one version?");
        }
    }
}
