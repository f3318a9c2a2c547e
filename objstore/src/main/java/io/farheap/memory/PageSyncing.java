package io.farheap.memory;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import java.util.Objects;
import java.util.concurrent.locks.StampedLock;
import java.util.function.LongBinaryOperator;

/**
 * The page cache: a flush only notes its pages, a fence has the kernel write them.
 *
 * <p>Each thread notes its own pages, so a flush locks nothing. A fence merges them first: every
 * msync costs a trip to the medium, whatever its length. Once a thread's note has grown to what one
 * fence needs, nothing allocates.
 *
 * <p>That pages could not be written the kernel says once, to whoever asks first, and that may be a
 * thread with other pages. So no fence counts before those have ended that ran beside it.
 */
final class PageSyncing implements Persistence {
    private static final long PAGE = 4096;

    private final MappedImage image;
    private final ThreadLocal<PageRanges> pending = ThreadLocal.withInitial(PageRanges::new);
    private final LongBinaryOperator msync;

    /** Shared by fences that wait for the medium; alone has it who waits for their end. */
    private final StampedLock fences = new StampedLock();

    private volatile FarheapException failure;

    PageSyncing(MappedImage image) {
        this(image, LibC::msync);
    }

    /**
     * @param msync of an address and a length; the result is negative where it failed
     */
    PageSyncing(MappedImage image, LongBinaryOperator msync) {
        this.image = image;
        this.msync = msync;
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
        refuseAfterFailure();
        PageRanges ranges = pending.get();
        if (ranges.count() == 0) {
            return;
        }
        ranges.merge();
        long stamp = fences.readLock();
        try {
            for (int i = 0; i < ranges.count(); i++) {
                sync(ranges.start(i), Math.min(ranges.end(i), image.size()));
            }
        } finally {
            fences.unlockRead(stamp);
        }
        ranges.clear();
        if (fences.isReadLocked()) {
            fences.unlockWrite(fences.writeLock());
        }
        refuseAfterFailure();
    }

    private void refuseAfterFailure() {
        if (failure != null) {
            throw new FarheapException(Category.ENVIRONMENT, failure.getMessage(), failure);
        }
    }

    private void sync(long start, long end) {
        int result = (int) msync.applyAsLong(image.address() + start, end - start);
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
