package io.farheap.memory;

import io.farheap.base.FarheapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives memory back that a private image takes. A page that was stored to once is the process's own
 * from then on, and no kernel can take it away where there is no swap. Once a checkpoint has
 * brought it to the file the kernel's page of the file is the same (docs/disk-journal.md#memory).
 *
 * <p>A page is dropped only where it <em>equals</em> the file's, so nobody who reads it can tell;
 * and only while nobody can store to it, for a store between the look and the drop would vanish. Of
 * the checkpointer's thread.
 */
final class PrivateMemory {
    /** Runs what must not be disturbed by a store. */
    @FunctionalInterface
    interface Quiet {
        /**
         * @return false: somebody works with the pool for longer than a moment; nothing was run
         */
        boolean run(Runnable action);
    }

    private static final int PAGE = 1 << DirtyPages.PAGE_SHIFT;

    /** What is compared while everybody waits: a millisecond or two. */
    private static final int PAGES_AT_ONCE = 1024;

    /** The header is each part's own, and the descriptor is stored to at any time. */
    private static final long FIRST_PAGE = 2;

    private static final Logger LOG = LoggerFactory.getLogger(PrivateMemory.class);

    private final DiskJournal journal;
    private final DiskFile file;
    private final Quiet quiet;
    private final long mostPages;
    private final MemorySegment stored = Arena.ofAuto().allocate((long) PAGES_AT_ONCE * PAGE, PAGE);
    private boolean due;
    private boolean possible = true;
    private long hand = FIRST_PAGE;

    /**
     * @param file what the image is a private mapping of
     * @param mostBytes above this, memory is given back, down to half of it
     */
    PrivateMemory(DiskJournal journal, DiskFile file, Quiet quiet, long mostBytes) {
        this.journal = journal;
        this.file = file;
        this.quiet = quiet;
        this.mostPages = mostBytes / PAGE;
    }

    /** A checkpoint has brought pages to the files. */
    void checkpointed() {
        due = possible;
    }

    /**
     * Gives back what can be, if too much is private: goes round, and goes on another time where it
     * was interrupted.
     *
     * @param busy whether something else waits for this thread
     */
    void giveBack(BooleanSupplier busy) {
        if (!due) {
            return;
        }
        try {
            MemorySegment image = journal.image();
            DirtyPages pages = new DirtyPages(image.byteSize());
            PrivatePages.each(image, page -> pages.add(page * PAGE, PAGE));
            long left = pages.count();
            due = left > mostPages;
            long slices = image.byteSize() / PAGE / PAGES_AT_ONCE + 1;
            for (long i = 0; due && i < slices && left > mostPages / 2; i++) {
                if (busy.getAsBoolean()) {
                    return;
                }
                long dropped = giveBackSlice(image, pages);
                if (dropped < 0) {
                    return; // nobody was quiet
                }
                left -= dropped;
            }
            due = false; // the rest is not in the file yet
        } catch (FarheapException e) {
            possible = false;
            due = false;
            LOG.warn(
                    "{}: memory of pages that were stored to is kept until the pool is closed: {}",
                    journal.place(),
                    e.getMessage());
        }
    }

    /** Of the pages at the hand; how many, or -1. */
    private long giveBackSlice(MemorySegment image, DirtyPages pages) {
        long whole = image.byteSize() / PAGE;
        if (hand >= whole) {
            hand = FIRST_PAGE;
        }
        long from = hand;
        long to = Math.min(from + PAGES_AT_ONCE, whole);
        long first = pages.next(from);
        if (first >= 0 && first < to) {
            // Once before it: what the kernel must read from the disk it reads while all go on.
            long unused = file.read(stored, 0, (to - from) * PAGE, from * PAGE);
            long[] dropped = {0};
            if (!quiet.run(() -> dropped[0] = dropEqual(image, pages, from, to))) {
                return -1;
            }
            hand = to;
            return dropped[0];
        }
        hand = to;
        return 0;
    }

    private long dropEqual(MemorySegment image, DirtyPages pages, long from, long to) {
        long read = file.read(stored, 0, (to - from) * PAGE, from * PAGE) / PAGE;
        long dropped = 0;
        long run = -1;
        for (long page = from; page < from + read; page++) {
            boolean equal = isPrivate(pages, page) && isEqual(image, page, page - from);
            if (equal && run < 0) {
                run = page;
            } else if (!equal && run >= 0) {
                dropped += drop(image, run, page);
                run = -1;
            }
        }
        return dropped + (run >= 0 ? drop(image, run, from + read) : 0);
    }

    private static boolean isPrivate(DirtyPages pages, long page) {
        return pages.next(page) == page;
    }

    private boolean isEqual(MemorySegment image, long page, long at) {
        return MemorySegment.mismatch(
                        image, page * PAGE, (page + 1) * PAGE, stored, at * PAGE, (at + 1) * PAGE)
                < 0;
    }

    private static long drop(MemorySegment image, long from, long to) {
        long address = image.address() + from * PAGE;
        int result = SystemCalls.current().dropPages(address, (to - from) * PAGE);
        AddressSpace.check(result, "give back memory of a pool");
        return to - from;
    }
}
