package io.farheap.agent.records;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.replication.control.ByteRange;
import io.farheap.spi.ChangedRanges;
import java.util.List;
import java.util.stream.Stream;

/**
 * Which bytes of the image a record may change: the heap, to the image's end, as the pool may grow;
 * the two words of the descriptor that name the root object; and the two that say how large the
 * heap is and how much of it is allocated. Headers, the descriptor's checked half, run_id and lanes
 * are this copy's own. Of a program's remote memory everything behind the header page.
 *
 * <p>As {@link ChangedRanges} it changes nothing and throws for the first entry that leaves the
 * bounds; so a record is checked whole before its first entry is applied.
 */
public final class ImageBounds extends ChangedRanges {
    private final long lowest;
    private final long heapBegin;
    private final long heapEnd;

    /**
     * Those of a pool's image.
     *
     * @param heapBegin the offset of the heap's first byte
     * @param heapEnd where the image ends
     */
    public ImageBounds(long heapBegin, long heapEnd) {
        this(Descriptor.ROOT_OFFSET, heapBegin, heapEnd);
    }

    private ImageBounds(long lowest, long heapBegin, long heapEnd) {
        this.lowest = lowest;
        this.heapBegin = heapBegin;
        this.heapEnd = heapEnd;
    }

    /** Those of a program's remote memory of so many bytes. */
    public static ImageBounds ofMemory(long bytes) {
        return new ImageBounds(PoolHeader.SIZE, PoolHeader.SIZE, bytes);
    }

    /** Of ascending ranges, what lies before the heap, and all of that. */
    public List<ByteRange> withAllOfTheHeap(List<ByteRange> ranges) {
        return Stream.concat(
                        ranges.stream().filter(range -> range.offset() < heapBegin),
                        Stream.of(new ByteRange(heapBegin, heapEnd - heapBegin)))
                .toList();
    }

    /** The lowest offset that any record may change. */
    long lowest() {
        return lowest;
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
    public void check(long offset, long length) {
        boolean inHeap =
                offset >= heapBegin
                        && offset <= heapEnd
                        && length >= 0
                        && length <= heapEnd - offset;
        boolean rootWord =
                lowest == Descriptor.ROOT_OFFSET
                        && length == Long.BYTES
                        && (offset == Descriptor.ROOT_OFFSET || offset == Descriptor.ROOT_SIZE);
        boolean heapWords =
                lowest == Descriptor.ROOT_OFFSET
                        && offset >= Descriptor.HEAP_SIZE
                        && length > 0
                        && length <= Descriptor.CURR_ALLOCATED + Long.BYTES - offset;
        if (!inHeap && !rootWord && !heapWords) {
            throw FarheapException.badData(
                    "A record changes %s bytes at image offset %s, which is neither in the"
                            + " heap (%s to %s) nor a word of the descriptor about root or heap.",
                    length, offset, heapBegin, heapEnd);
        }
    }

    @Override
    protected void range(long offset, long length) {
        check(offset, length);
    }
}
