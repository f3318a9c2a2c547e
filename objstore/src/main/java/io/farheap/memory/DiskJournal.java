package io.farheap.memory;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Ordinary disks: what is ordered is appended to a journal, and one sync of it makes durable what
 * all threads have appended (docs/disk-journal.md).
 *
 * <p>The image is private: no store reaches a pool file but by {@link Checkpointer}, which writes
 * pages there after the journal has what was ordered in them before. So what a crash takes away is
 * a suffix of what was ordered, whatever the threads were.
 *
 * <p>One short lock, <em>the turn</em>, guards the buffer that takes entries and the map of dirty
 * pages. To read the image and to take a place in the journal are one step under it: two threads
 * that change bits of one word would append old after new else.
 *
 * <p>Whoever settles writes for all that wait: the leader. The batch after it is not written before
 * its own is durable, so there are no holes. When a write or a sync fails nobody asks a second
 * time: the kernel might say yes and have forgotten the bytes. Everything is refused then, until
 * the pool is opened again.
 */
public final class DiskJournal implements Persistence {
    /** Batches of the ring that stay free for what was appended and not written yet. */
    private static final int RESERVED_BATCHES = 4;

    /** Who was to be woken may be ended by an error before: those behind look by themselves. */
    private static final long MOST_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Object turn = new Object();

    /** Replaced when the pool grows; plain, as {@link PoolMemory}'s is. */
    private MemorySegment image;

    private final List<DiskJournalFile> journals;
    private final DiskJournalFile first;
    private final long reserved;
    private final ThreadLocal<FlushedRanges> own = ThreadLocal.withInitial(FlushedRanges::new);

    // ---- guarded by the turn
    private JournalBatch active;
    private long activeNumber = 1;
    private DirtyPages dirty;
    private DirtyPages spareDirty;
    private long freeBelow;
    private long waits;
    private long mostDirtyPages = Long.MAX_VALUE;

    // ---- of the leader, handed on by leading
    private final AtomicBoolean leading = new AtomicBoolean();
    private JournalBatch spare;
    private final DiskSyncEvent syncing = new DiskSyncEvent();
    private final AtomicReference<FlushedRanges> waiting = new AtomicReference<>();

    /** The number of the last batch that is durable, and the position where it ends. */
    private volatile long durable;

    private volatile long synced;
    private volatile long lastSyncTook;
    private volatile long lastSyncEnded;
    private final long begun;
    private final EventCounter syncs = new EventCounter();
    private volatile FarheapException failure;

    /** Who wants to know that a checkpoint is due. */
    private volatile Runnable due = () -> {};

    /**
     * @param image private: whatever is stored in it reaches no file by itself
     * @param journals one for each local replica, all at the same position
     */
    public DiskJournal(MemorySegment image, List<DiskJournalFile> journals) {
        this.image = image;
        this.journals = List.copyOf(journals);
        this.first = journals.get(0);
        int batchBytes = first.geometry().batchBytes();
        this.reserved = (long) RESERVED_BATCHES * batchBytes;
        this.active = new JournalBatch(batchBytes);
        this.spare = new JournalBatch(batchBytes);
        this.dirty = new DirtyPages(image.byteSize());
        this.spareDirty = new DirtyPages(image.byteSize());
        this.synced = first.end();
        this.begun = first.end();
        this.freeBelow = first.checkpointPosition();
    }

    /** Who is told that a checkpoint is due: often, and under no lock. */
    void onDue(Runnable listener) {
        due = listener;
    }

    @Override
    public void flush(long offset, long length) {
        Objects.checkFromIndexSize(offset, length, image.byteSize());
        long start = Math.max(offset & -8L, DiskJournalLayout.FIRST_IMAGE_BYTE);
        long end = (offset + length + 7) & -8L;
        if (length > 0 && start < end) {
            own.get().add(start, end);
        }
    }

    @Override
    public void order() {
        FlushedRanges ranges = own.get();
        try {
            for (int i = 0; i < ranges.count(); i++) {
                append(ranges.start(i), ranges.end(i));
            }
        } finally {
            ranges.clear();
        }
        refuseAfterFailure();
    }

    /** One range may be cut over several batches: a power loss before the order is the same. */
    private void append(long start, long end) {
        long at = start;
        while (at < end) {
            long full;
            boolean crowded;
            synchronized (turn) {
                awaitRoom();
                long taken = active.append(image, at, end - at);
                if (taken > 0) {
                    dirty.add(at, taken);
                    at += taken;
                }
                full = at < end ? activeNumber : 0;
                crowded = isDue();
            }
            if (crowded) {
                due.run();
            }
            if (full > 0) {
                settleThrough(full);
            }
        }
    }

    private boolean isDue() {
        return synced - freeBelow > first.ringBytes() / 2 || dirty.count() > mostDirtyPages;
    }

    /**
     * Has a checkpoint made, too, where so many pages are dirty: their memory can't be given back.
     */
    void boundDirtyPages(long most) {
        synchronized (turn) {
            mostDirtyPages = most;
        }
    }

    /**
     * What is appended is bounded by the buffers, which have their place reserved: so the leader
     * never waits for room, and the checkpointer, who waits for the leader, makes some.
     */
    private void awaitRoom() {
        boolean interrupted = false;
        JournalFullEvent full = null;
        while (failure == null && first.ringBytes() - (synced - freeBelow) < reserved) {
            if (full == null) {
                full = new JournalFullEvent();
                full.begin();
                waits++;
            }
            due.run();
            try {
                turn.wait(MOST_SLEEP_NANOS / 1_000_000);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (full != null) {
            full.journal = place();
            full.commit();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        refuseAfterFailure();
    }

    @Override
    public void settle() {
        long wanted;
        synchronized (turn) {
            wanted = active.isEmpty() ? activeNumber - 1 : activeNumber;
        }
        settleThrough(wanted);
    }

    @Override
    public void fence() {
        order();
        settle();
    }

    private void settleThrough(long wanted) {
        if (durable < wanted && failure == null) {
            if (leading.compareAndSet(false, true)) {
                lead(wanted);
            } else {
                follow(wanted);
            }
        }
        refuseAfterFailure();
    }

    private void follow(long wanted) {
        FlushedRanges self = placeInLine();
        self.thread = Thread.currentThread();
        self.wanted = wanted;
        self.done = false;
        push(self);
        boolean interrupted = false;
        while (!self.done) {
            if (leading.compareAndSet(false, true)) {
                lead(wanted);
            } else {
                LockSupport.parkNanos(this, MOST_SLEEP_NANOS);
                interrupted |= Thread.interrupted(); // else it would not park again
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** One whose wait an error ended may still be in line, and is left to those who wake it. */
    private FlushedRanges placeInLine() {
        FlushedRanges mine = own.get();
        if (mine.done) {
            return mine;
        }
        FlushedRanges fresh = new FlushedRanges();
        for (int i = 0; i < mine.count(); i++) {
            fresh.add(mine.start(i), mine.end(i));
        }
        own.set(fresh);
        return fresh;
    }

    private void push(FlushedRanges one) {
        do {
            one.next = waiting.get();
        } while (!waiting.compareAndSet(one.next, one));
    }

    private void lead(long wanted) {
        try {
            if (durable < wanted && failure == null) {
                writeBatch();
            }
        } catch (Throwable e) {
            poison(e);
        } finally {
            wakeThoseDone();
            leading.set(false);
            FlushedRanges next = waiting.get();
            if (next != null) {
                LockSupport.unpark(next.thread);
            }
        }
    }

    private void writeBatch() {
        JournalBatch batch;
        long number;
        synchronized (turn) {
            batch = active;
            number = activeNumber;
            active = spare;
            activeNumber++;
        }
        long start = System.nanoTime();
        syncing.begin();
        for (int i = 0; i < journals.size(); i++) { // an iterator would be garbage
            journals.get(i).append(batch);
        }
        batch.clear();
        spare = batch;
        report(first.end() - synced);
        synced = first.end();
        long end = System.nanoTime();
        lastSyncTook = end - start;
        lastSyncEnded = end;
        syncs.increment();
        durable = number;
    }

    private void report(long bytes) {
        syncing.end();
        if (syncing.shouldCommit()) {
            syncing.journal = place();
            syncing.bytes = bytes;
            syncing.direct = first.isDirect();
            syncing.commit();
        }
    }

    private void wakeThoseDone() {
        FlushedRanges each = waiting.getAndSet(null);
        while (each != null) {
            FlushedRanges behind = each.next;
            if (each.wanted <= durable || failure != null) {
                Thread thread = each.thread;
                each.done = true;
                LockSupport.unpark(thread);
            } else {
                push(each);
            }
            each = behind;
        }
    }

    /** From now on nothing is written any more, and everybody is told. */
    void poison(Throwable cause) {
        FarheapException told =
                cause instanceof FarheapException known
                        ? known
                        : FarheapException.environment(
                                cause, "%s could not be written: %s", first.place(), cause);
        failure = told;
        synchronized (turn) {
            turn.notifyAll();
        }
    }

    /**
     * Refuses everything once a write has failed.
     *
     * @throws FarheapException ENVIRONMENT
     */
    void refuseAfterFailure() {
        FarheapException told = failure;
        if (told != null) {
            throw new FarheapException(
                    Category.ENVIRONMENT,
                    told.getMessage()
                            + "; what is committed is decided when the pool is opened again",
                    told);
        }
    }

    /** Whether nothing is written any more. */
    public boolean hasFailed() {
        return failure != null;
    }

    /** Everything before it is durable. */
    long synced() {
        return synced;
    }

    /** How often the journal was synced. */
    public long syncs() {
        return syncs.sum();
    }

    /** What errors and events call it. */
    String place() {
        return first.place().toString();
    }

    /** Its bytes that were written, and times that a thread waited for room. */
    JournalCounters counters(long checkpoints, long pages, JournalCounters.Last checkpoint) {
        synchronized (turn) {
            long all = syncs(); // first: who reads that there was one finds its time
            JournalCounters.Last sync = new JournalCounters.Last(lastSyncEnded, lastSyncTook);
            return new JournalCounters(
                    all, synced - begun, checkpoints, pages, waits, sync, checkpoint);
        }
    }

    // ---- for the checkpointer

    MemorySegment image() {
        return image;
    }

    List<DiskJournalFile> journals() {
        return journals;
    }

    /** A position, and the pages of everything that was ordered before it and is not written. */
    record Due(long position, DirtyPages pages) {}

    /** The position first, and both in one step: nothing before it may be left out of the pages. */
    Due takeDirty() {
        synchronized (turn) {
            DirtyPages taken = dirty;
            dirty = spareDirty;
            spareDirty = null;
            return new Due(synced, taken);
        }
    }

    /** Everything before a position is in the pool files, and the superblocks say so. */
    void freed(Due done) {
        done.pages().clear();
        synchronized (turn) {
            spareDirty = done.pages();
            freeBelow = done.position();
            turn.notifyAll();
        }
    }

    /** The image has become longer; no checkpoint is under way. */
    void grow(MemorySegment longer) {
        synchronized (turn) {
            dirty.grow(longer.byteSize());
            spareDirty.grow(longer.byteSize());
            image = longer;
        }
    }

    boolean isDirty() {
        synchronized (turn) {
            return !dirty.isEmpty();
        }
    }

    boolean isCheckpointDue() {
        synchronized (turn) {
            return isDue();
        }
    }
}
