package io.farheap.agent;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.layout.Descriptor;
import io.farheap.spi.ChangedRanges;

/**
 * Which bytes of the image a record may change: the heap, to the image's end, as the pool may grow;
 * the two words of the descriptor that name the root object; and the two that say how large the
 * heap is and how much of it is allocated. Headers, the descriptor's checked half, run_id and lanes
 * are this copy's own.
 *
 * <p>As {@link ChangedRanges} it changes nothing and throws for the first entry that leaves the
 * bounds; so a record is checked whole before its first entry is applied.
 */
final class ImageBounds extends ChangedRanges {
    private final long heapBegin;
    private final long heapEnd;

    ImageBounds(long heapBegin, long heapEnd) {
        this.heapBegin = heapBegin;
        this.heapEnd = heapEnd;
    }

    /** The lowest offset that any record may change. */
    static long lowest() {
        return Descriptor.ROOT_OFFSET;
    }

    long heapBegin() {
        return heapBegin;
    }

    long heapEnd() {
        return heapEnd;
    }

    /**
     * @throws FarheapException category BAD_DATA when a record must not change that range
     */
    void check(long offset, long length) {
        boolean inHeap =
                offset >= heapBegin
                        && offset <= heapEnd
                        && length >= 0
                        && length <= heapEnd - offset;
        boolean rootWord =
                length == Long.BYTES
                        && (offset == Descriptor.ROOT_OFFSET || offset == Descriptor.ROOT_SIZE);
        boolean heapWords =
                offset >= Descriptor.HEAP_SIZE
                        && length > 0
                        && length <= Descriptor.CURR_ALLOCATED + Long.BYTES - offset;
        if (!inHeap && !rootWord && !heapWords) {
            throw new FarheapException(
                    Category.BAD_DATA,
                    "A record changes "
                            + length
                            + " bytes at image offset "
                            + offset
                            + ", which is neither in the heap ("
                            + heapBegin
                            + " to "
                            + heapEnd
                            + ") nor a word of the descriptor about root or heap.");
        }
    }

    @Override
    protected void range(long offset, long length) {
        check(offset, length);
    }
}
