package io.farheap.memory;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;

/**
 * The page cache: a flush only notes its pages, a fence has the kernel write them.
 *
 * <p>Each thread notes its own pages, so nothing is locked. A fence merges them first: every msync
 * costs a trip to the medium, whatever its length. Once a thread's note has grown to what one fence
 * needs, nothing allocates.
 */
final class PageSyncing implements Persistence {
    private static final long PAGE = 4096;

    /**
     * Pages between two ranges that are synced along rather than with a call of their own: at most
     * so many clean or dirty pages cost less than one more trip.
     */
    private static final long BRIDGED_GAP_BYTES = 256 << 10;

    private final MappedImage image;
    private final ThreadLocal<PageRanges> pending = ThreadLocal.withInitial(PageRanges::new);

    PageSyncing(MappedImage image) {
        this.image = image;
    }

    @Override
    public void flush(long offset, long length) {
        Objects.checkFromIndexSize(offset, length, image.size());
        if (length > 0) {
            pending.get().add(offset & -PAGE, (offset + length + PAGE - 1) & -PAGE);
        }
    }

    @Override
    public void fence() {
        PageRanges ranges = pending.get();
        ranges.merge();
        for (int i = 0; i < ranges.count; i++) {
            sync(ranges, ranges.starts[i], Math.min(ranges.ends[i], image.size()));
        }
        ranges.count = 0;
    }

    private void sync(PageRanges ranges, long start, long end) {
        int result = LibC.msync(ranges.errnoState, image.address() + start, end - start);
        if (result < 0) {
            // What failed is forgotten by the kernel: a later fence could not make it durable.
            throw new FarheapException(
                    Category.ENVIRONMENT,
                    "msync of image bytes "
                            + start
                            + " to "
                            + end
                            + " of "
                            + image.place()
                            + " failed: "
                            + LibC.text(-result)
                            + "; the pool must be closed and its medium looked at");
        }
    }

    /** What one thread flushed since its last fence, in whole pages. */
    private static final class PageRanges {
        private final MemorySegment errnoState = LibC.newErrnoState(Arena.ofAuto());
        private long[] starts = new long[16];
        private long[] ends = new long[16];
        private int count;

        void add(long start, long end) {
            int last = count - 1;
            if (count > 0 && start <= ends[last] && end >= starts[last]) {
                starts[last] = Math.min(starts[last], start);
                ends[last] = Math.max(ends[last], end);
                return;
            }
            if (count == starts.length) {
                merge();
                grow();
            }
            starts[count] = start;
            ends[count] = end;
            count++;
        }

        private void grow() {
            if (count > starts.length / 2) {
                starts = Arrays.copyOf(starts, 2 * starts.length);
                ends = Arrays.copyOf(ends, 2 * ends.length);
            }
        }

        /** Sorts the ranges (few, nearly sorted) and joins those that are near each other. */
        void merge() {
            for (int i = 1; i < count; i++) {
                long start = starts[i];
                long end = ends[i];
                int at = i;
                for (; at > 0 && starts[at - 1] > start; at--) {
                    starts[at] = starts[at - 1];
                    ends[at] = ends[at - 1];
                }
                starts[at] = start;
                ends[at] = end;
            }
            int merged = 0;
            for (int i = 1; i < count; i++) {
                if (starts[i] - ends[merged] <= BRIDGED_GAP_BYTES) {
                    ends[merged] = Math.max(ends[merged], ends[i]);
                } else {
                    merged++;
                    starts[merged] = starts[i];
                    ends[merged] = ends[i];
                }
            }
            count = Math.min(count, merged + 1);
        }
    }
}
