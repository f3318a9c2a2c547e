package io.farheap.memory;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
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

    private final MappedImage image;
    private final ThreadLocal<PageRanges> pending = ThreadLocal.withInitial(PageRanges::new);
    private volatile FarheapException failure;

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
        if (failure != null) {
            throw new FarheapException(Category.ENVIRONMENT, failure.getMessage(), failure);
        }
        PageRanges ranges = pending.get();
        ranges.merge();
        for (int i = 0; i < ranges.count(); i++) {
            sync(ranges.start(i), Math.min(ranges.end(i), image.size()));
        }
        ranges.clear();
    }

    private void sync(long start, long end) {
        int result = LibC.msync(image.address() + start, end - start);
        if (result < 0) {
            // The kernel forgets what it failed to write: a later msync would only pretend.
            failure =
                    new FarheapException(
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
            throw failure;
        }
    }
}
