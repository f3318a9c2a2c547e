package io.farheap.memory;

import io.farheap.base.FarheapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings what the journal has to the pool files, so that the ring can be used again
 * (docs/disk-journal.md#checkpoints). Nobody's commit waits for it, and open transactions are
 * written along: a page goes to the files only after the journal has all that was ordered before
 * the page was copied, undo entries first of all.
 */
final class Checkpointer implements AutoCloseable {
    private static final int PAGE = 1 << DirtyPages.PAGE_SHIFT;
    private static final int PAGES_AT_ONCE = 256;
    private static final long OLDEST_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);

    private final DiskJournal journal;
    private final List<? extends DiskFile> images;
    private final long[] pages;
    private final MemorySegment copies;
    private volatile PrivateMemory memory;
    private volatile Thread thread;
    private volatile boolean open = true;
    private volatile long checkpoints;
    private volatile long pagesWritten;
    private volatile JournalCounters.Last last = JournalCounters.NONE.lastCheckpoint();

    /**
     * @param images the pool files of each local replica, as one range each
     */
    public Checkpointer(DiskJournal journal, List<? extends DiskFile> images) {
        this.journal = journal;
        this.images = List.copyOf(images);
        long all = (journal.image().byteSize() + PAGE - 1) / PAGE;
        pages = new long[(int) Math.min(PAGES_AT_ONCE, all)];
        copies = Arena.ofAuto().allocate((long) pages.length * PAGE, PAGE);
    }

    /** Makes checkpoints by a thread of its own: at half a ring, or 30 s after a first page. */
    public void start() {
        Thread started =
                Thread.ofPlatform().name("farheap-checkpointer").daemon().unstarted(this::run);
        thread = started;
        journal.onDue(() -> LockSupport.unpark(started));
        started.start();
    }

    /**
     * Has memory given back from now on.
     *
     * @param quiet runs what no store may disturb
     * @param mostBytes that may be private
     */
    void giveBack(PrivateMemory.Quiet quiet, long mostBytes) {
        journal.boundDirtyPages(mostBytes / 2 / PAGE);
        memory = new PrivateMemory(journal, images.get(0), quiet, mostBytes);
    }

    private void run() {
        long dirtySince = 0;
        while (open && !journal.hasFailed()) {
            LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(1));
            long now = System.nanoTime();
            boolean dirty = journal.isDirty();
            if (!dirty || dirtySince == 0) {
                dirtySince = dirty ? now : 0;
            }
            boolean old = dirty && now - dirtySince > OLDEST_NANOS;
            if (open && (journal.isCheckpointDue() || old)) {
                dirtySince = 0;
                try {
                    checkpoint();
                    if (memory != null) {
                        memory.checkpointed();
                    }
                } catch (FarheapException told) {
                    LOG.error("the pool can't be checkpointed: {}", told.getMessage());
                }
            }
            PrivateMemory given = memory;
            // After a failure the page cache may lose what it has, and the image must not.
            if (open && given != null && !journal.hasFailed()) {
                given.giveBack(() -> !open || journal.isCheckpointDue());
            }
        }
    }

    /**
     * Writes all that was ordered and settled before to the pool files, durably.
     *
     * @throws FarheapException ENVIRONMENT when the journal or a pool file can't be written; the
     *     journal refuses everything then, and has what the files lack
     */
    public synchronized void checkpoint() {
        journal.refuseAfterFailure();
        try {
            long start = System.nanoTime();
            CheckpointEvent event = new CheckpointEvent();
            event.begin();
            DiskJournal.Due due = journal.takeDirty();
            long written = writePages(due.pages());
            images.forEach(DiskFile::sync);
            for (DiskJournalFile each : journal.journals()) {
                each.checkpoint(due.position());
            }
            journal.freed(due);
            long end = System.nanoTime();
            last = new JournalCounters.Last(end, end - start);
            checkpoints++;
            pagesWritten = pagesWritten + written;
            event.pages = written;
            event.journal = journal.place();
            event.commit();
        } catch (Throwable e) {
            journal.poison(e);
            throw e;
        }
    }

    /**
     * Makes a checkpoint, and has the journals know of a longer image, durably, before anything can
     * be ordered in what is new of it.
     *
     * @param longer the image and more behind it, as the pool files have become longer
     * @throws FarheapException as {@link #checkpoint}
     */
    synchronized void grow(MemorySegment longer) {
        checkpoint();
        try {
            for (DiskJournalFile each : journal.journals()) {
                each.takeImageBytes(longer.byteSize());
                each.checkpoint(each.checkpointPosition());
            }
            journal.grow(longer);
        } catch (Throwable e) {
            journal.poison(e);
            throw e;
        }
    }

    private long writePages(DirtyPages dirty) {
        long written = 0;
        long next = dirty.next(0);
        while (next >= 0) {
            int count = 0;
            while (next >= 0 && count < pages.length) {
                copy(next, count);
                pages[count++] = next;
                next = dirty.next(next + 1);
            }
            journal.settle();
            write(count);
            written += count;
        }
        return written;
    }

    private void copy(long page, int to) {
        MemorySegment image = journal.image();
        long at = page * PAGE;
        long length = Math.min(PAGE, image.byteSize() - at);
        MemorySegment.copy(image, at, copies, (long) to * PAGE, length);
    }

    /** Pages side by side go in one call. */
    private void write(int count) {
        int from = 0;
        for (int i = 1; i <= count; i++) {
            if (i == count || pages[i] != pages[i - 1] + 1) {
                long at = pages[from] * PAGE;
                long length = Math.min((long) (i - from) * PAGE, journal.image().byteSize() - at);
                for (DiskFile image : images) {
                    image.write(copies, (long) from * PAGE, length, at);
                }
                from = i;
            }
        }
    }

    /** How many were made, and what the journal did. */
    JournalCounters counters() {
        long all = checkpoints; // first: who reads that there was one finds its time
        return journal.counters(all, pagesWritten, last);
    }

    /** How many were made. */
    public long checkpoints() {
        return checkpoints;
    }

    /** Ends the thread; a checkpoint under way is finished. Idempotent. */
    @Override
    public void close() {
        open = false;
        Thread ended = thread;
        if (ended == null) {
            return;
        }
        LockSupport.unpark(ended);
        boolean interrupted = false;
        while (ended.isAlive()) {
            try {
                ended.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
