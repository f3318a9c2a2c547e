package io.farheap.memory;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongBinaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The page cache: a flush only notes its pages, a fence has the kernel write them.
 *
 * <p>Each thread notes its own pages, so a flush locks nothing. A few fences are under way at a
 * time, since the kernel joins their trips to the medium. All beyond those are one generation: the
 * next thread that may go syncs the pages of all that wait. Once the notes have grown to what one
 * generation needs, nothing allocates.
 *
 * <p>That pages could not be written the kernel says once through each open file, to whoever asks
 * first, and then forgets them: later it would only pretend. So each sync under way has open files
 * of its own ({@link SyncMappings}), whoever is told fails the whole generation and every fence
 * after it before anybody else asks through the same ones, and the pages are stored again where
 * they are: so the next one who opens the files has them written, or is told too.
 */
final class PageSyncing implements Persistence {
    private static final long PAGE = 4096;

    /** Rounds of waiting that cost less than to fall asleep: enough where the medium is memory. */
    private static final int SPINS = 100;

    /** Who was to be woken may be ended by an error before: those behind look by themselves. */
    private static final long MOST_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** More gain nothing: the medium does not work at more things than this at a time. */
    private static final int MOST_SYNCS = 8;

    private static final Logger LOG = LoggerFactory.getLogger(PageSyncing.class);

    private final MappedImage image;
    private final LongBinaryOperator msync;
    private final ThreadLocal<Fence> own = ThreadLocal.withInitial(Fence::new);

    /** Syncs at a time; written by the only thread that syncs. */
    private int most;

    /** Those of the next generation, the last that came first. */
    private final AtomicReference<Fence> waiting = new AtomicReference<>();

    /** One as long as no thread has to wait for another. */
    private volatile Sync[] syncs = {new Sync(0)};

    /** Whether a thread ever had to wait for another. */
    private volatile boolean crowded;

    private volatile FarheapException failure;

    /** What is told when there is no memory, or no stack, to tell more. */
    private final FarheapException unexplained =
            FarheapException.environment(
                    "pages of the pool could not be synced; the pool must be closed");

    /** What one thread flushed since its last fence, and its place among those who wait. */
    private static final class Fence {
        final PageRanges ranges = new PageRanges();
        Thread thread;
        Fence next;
        volatile boolean done;

        /** From before it may be among those who wait until its thread knows that it is done. */
        boolean joined;
    }

    /** What one thread at a time syncs through. */
    private static final class Sync {
        private static final VarHandle OWNER;

        static {
            try {
                OWNER = MethodHandles.lookup().findVarHandle(Sync.class, "owner", Thread.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        /** From the image to where its files are mapped for this. */
        final long distance;

        /** Null while it is free; given back by a store, which no error can keep from happening. */
        volatile Thread owner;

        final PageRanges generation = new PageRanges();

        Sync(long distance) {
            this.distance = distance;
        }

        boolean take() {
            return owner == null && OWNER.compareAndSet(this, null, Thread.currentThread());
        }
    }

    PageSyncing(MappedImage image) {
        this(
                image,
                MOST_SYNCS,
                (address, length) -> SystemCalls.current().syncPages(address, length));
    }

    /**
     * @param most syncs at a time
     * @param msync of an address and a length; the result is negative where it failed
     */
    PageSyncing(MappedImage image, int most, LongBinaryOperator msync) {
        this.image = image;
        this.most = most;
        this.msync = msync;
    }

    @Override
    public void flush(long offset, long length) {
        Objects.checkFromIndexSize(offset, length, image.size());
        if (length > 0) {
            own().ranges.add(offset & -PAGE, (offset + length + PAGE - 1) & -PAGE);
        }
    }

    @Override
    public void fence() {
        Fence fence = own();
        if (failure == null && fence.ranges.count() > 0) {
            image.requireMapped();
            join(fence);
            await(fence);
            fence.joined = false;
        }
        fence.ranges.clear();
        refuseAfterFailure();
    }

    /**
     * The calling thread's. One whose fence an error ended may still be among those who wait, and
     * its pages be read by who syncs: it is left to them, and another one has its pages, too.
     */
    private Fence own() {
        Fence fence = own.get();
        if (fence.joined) {
            Fence fresh = new Fence();
            fresh.ranges.addAll(fence.ranges);
            own.set(fresh);
            return fresh;
        }
        return fence;
    }

    private void join(Fence fence) {
        fence.joined = true;
        fence.thread = Thread.currentThread();
        fence.done = false;
        do {
            fence.next = waiting.get();
        } while (!waiting.compareAndSet(fence.next, fence));
    }

    private void await(Fence fence) {
        boolean interrupted = false;
        for (int spins = 0; !fence.done; spins++) {
            Sync free = waiting.get() == null ? null : take();
            if (free != null) {
                try {
                    syncThoseWaiting(free);
                } finally {
                    free.owner = null; // also where an error comes before anything is done
                    wakeNext();
                }
            } else if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(this, MOST_SLEEP_NANOS);
                interrupted |= Thread.interrupted(); // else it would not park again
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Sync take() {
        for (Sync each : syncs) {
            if (each.take()) {
                return each;
            }
        }
        return null;
    }

    /** By the thread that took {@code own}. */
    private void syncThoseWaiting(Sync own) {
        Thread self = Thread.currentThread();
        Fence rest = waiting.getAndSet(null);
        try {
            sync(own, rest);
        } catch (Throwable e) {
            // whoever is done, or comes now, must see it, whatever becomes of the rest
            failure = e instanceof FarheapException known ? known : unexplained;
            fail(e);
        } finally {
            try {
                while (rest != null) {
                    Fence each = rest;
                    rest = each.next; // which is the thread's own again once it is done
                    Thread thread = each.thread;
                    each.done = true;
                    if (thread != self) {
                        LockSupport.unpark(thread);
                    }
                }
            } finally {
                while (rest != null) { // an error: they look by themselves, and are done
                    Fence each = rest;
                    rest = each.next;
                    each.done = true;
                }
            }
        }
    }

    private void sync(Sync own, Fence all) {
        if (all == null || failure != null) {
            return;
        }
        own.generation.clear();
        Sync[] next = crowded && syncs.length < most ? openMore(own) : syncs;
        for (Fence each = all; each != null; each = each.next) {
            own.generation.addAll(each.ranges);
        }
        syncGeneration(own);
        syncs = next;
    }

    /**
     * By the only thread that syncs, and before it does: files that are opened now are not told
     * what others were told before, but the first one is, and the others are used after that.
     */
    private Sync[] openMore(Sync first) {
        try {
            if (!image.mappings().open(most - 1, image.size())) {
                return syncs;
            }
        } catch (FarheapException e) {
            LOG.warn("{}: its syncs go one after the other: {}", image.place(), e.getMessage());
            most = 1;
            return syncs;
        }
        Sync[] more = new Sync[most];
        more[0] = first;
        for (int i = 1; i < most; i++) {
            more[i] = new Sync(image.mappings().address(i - 1) - image.address());
        }
        return more;
    }

    private void syncGeneration(Sync own) {
        PageRanges generation = own.generation;
        generation.merge();
        for (int i = 0; i < generation.count(); i++) {
            long start = generation.start(i);
            sync(own.distance, start, Math.min(generation.end(i), image.size()));
        }
    }

    private void wakeNext() {
        Fence comes = waiting.get();
        if (comes != null) {
            crowded = true;
            LockSupport.unpark(comes.thread);
        }
    }

    private void sync(long distance, long start, long end) {
        int result;
        do {
            result = (int) msync.applyAsLong(image.address() + distance + start, end - start);
        } while (result == -LibC.EINTR);
        if (result < 0) {
            throw FarheapException.environment(
                    "msync of image bytes %s to %s of %s failed: %s; the pool must be"
                            + " closed and its medium looked at",
                    start, end, image.place(), SystemError.text(-result));
        }
    }

    /** Nobody is told of this a second time, and of which pages it was nobody is told at all. */
    private void fail(Throwable cause) {
        FarheapException told =
                cause instanceof FarheapException known
                        ? known
                        : FarheapException.environment(
                                cause,
                                "cannot sync the pages of %s: %s; the pool must be closed",
                                image.place(),
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
