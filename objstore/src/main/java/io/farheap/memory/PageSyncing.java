package io.farheap.memory;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongBinaryOperator;

/**
 * The page cache: a flush only notes its pages, a fence has the kernel write them.
 *
 * <p>Each thread notes its own pages, so a flush locks nothing. Fences go by generations: one
 * thread syncs the pages of all that wait, those who come meanwhile are the next generation. So a
 * trip to the medium serves as many threads as there are. Once the notes have grown to what one
 * generation needs, nothing allocates.
 *
 * <p>That pages could not be written the kernel says once, to whoever asks first, and then forgets
 * them: later it would only pretend. No two threads ask at the same time, whoever is told fails the
 * whole generation and every fence after it, and the pages are stored again where they are: so the
 * next one who opens the files has them written, or is told too.
 */
final class PageSyncing implements Persistence {
    private static final long PAGE = 4096;

    /** Rounds of waiting that cost less than to fall asleep: enough where the medium is memory. */
    private static final int SPINS = 100;

    private final MappedImage image;
    private final LongBinaryOperator msync;
    private final ThreadLocal<Fence> own = ThreadLocal.withInitial(Fence::new);

    /** Those of the next generation, the last that came first. */
    private final AtomicReference<Fence> waiting = new AtomicReference<>();

    /** Held by the thread that syncs a generation. */
    private final AtomicBoolean syncing = new AtomicBoolean();

    /** The pages of the generation being synced. */
    private final PageRanges generation = new PageRanges();

    private volatile FarheapException failure;

    /** What one thread flushed since its last fence, and its place among those who wait. */
    private static final class Fence {
        final PageRanges ranges = new PageRanges();
        Thread thread;
        Fence next;
        volatile boolean done;
    }

    PageSyncing(MappedImage image) {
        this(image, (address, length) -> SystemCalls.current().syncPages(address, length));
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
            own.get().ranges.add(offset & -PAGE, (offset + length + PAGE - 1) & -PAGE);
        }
    }

    @Override
    public void fence() {
        Fence fence = own.get();
        if (failure == null && fence.ranges.count() > 0) {
            image.requireMapped();
            join(fence);
            await(fence);
        }
        fence.ranges.clear();
        refuseAfterFailure();
    }

    private void join(Fence fence) {
        fence.thread = Thread.currentThread();
        fence.done = false;
        do {
            fence.next = waiting.get();
        } while (!waiting.compareAndSet(fence.next, fence));
    }

    private void await(Fence fence) {
        boolean interrupted = false;
        for (int spins = 0; !fence.done; spins++) {
            if (syncing.compareAndSet(false, true)) {
                syncThoseWaiting();
            } else if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.park(this);
                interrupted |= Thread.interrupted(); // else it would not park again
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** By the thread that holds {@link #syncing}; lets it go. */
    private void syncThoseWaiting() {
        Fence all = waiting.getAndSet(null);
        try {
            if (failure == null) {
                for (Fence each = all; each != null; each = each.next) {
                    generation.addAll(each.ranges);
                }
                syncGeneration();
            }
        } catch (Throwable e) {
            fail(e);
        } finally {
            generation.clear();
            release(all);
        }
    }

    private void syncGeneration() {
        generation.merge();
        for (int i = 0; i < generation.count(); i++) {
            sync(generation.start(i), Math.min(generation.end(i), image.size()));
        }
    }

    private void release(Fence all) {
        for (Fence each = all; each != null; ) {
            Fence next = each.next; // which is the thread's own again once it is done
            Thread thread = each.thread;
            each.done = true;
            if (thread != Thread.currentThread()) {
                LockSupport.unpark(thread);
            }
            each = next;
        }
        syncing.set(false);
        Fence comes = waiting.get();
        if (comes != null) {
            LockSupport.unpark(comes.thread);
        }
    }

    private void sync(long start, long end) {
        int result;
        do {
            result = (int) msync.applyAsLong(image.address() + start, end - start);
        } while (result == -LibC.EINTR);
        if (result < 0) {
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

    /** Nobody is told of this a second time, and of which pages it was nobody is told at all. */
    private void fail(Throwable cause) {
        FarheapException told =
                cause instanceof FarheapException known
                        ? known
                        : new FarheapException(
                                Category.ENVIRONMENT,
                                "cannot sync the pages of "
                                        + image.place()
                                        + ": "
                                        + cause
                                        + "; the pool must be closed",
                                cause);
        try {
            image.storeAgain();
        } catch (Throwable e) {
            told.addSuppressed(e);
        }
        failure = told;
    }

    private void refuseAfterFailure() {
        FarheapException told = failure;
        if (told != null) {
            throw new FarheapException(Category.ENVIRONMENT, told.getMessage(), told);
        }
    }
}
