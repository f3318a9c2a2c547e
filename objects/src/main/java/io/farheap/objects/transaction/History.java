package io.farheap.objects.transaction;

import io.farheap.base.SnapshotTooOldException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Old bytes for reads that began before a commit: for each stripe a chain, newest first. A commit
 * saves what it will replace before its first store, always, because a read that begins a moment
 * later sees the time before it, too; when it is over it drops what no active read is old enough to
 * need, which is all of it where nobody reads. What is needed is retained, in DRAM, up to a bound;
 * past it the oldest reads are given up.
 *
 * <p>Thread-safe. Not final for tests.
 */
class History {
    private static final VarHandle CHAINS = MethodHandles.arrayElementVarHandle(OldBytes[].class);

    /** So many snapshots are given up one after the other, then all older ones. */
    private static final int GIVEN_UP_SINGLY = 64;

    private final OldBytes[] chains = new OldBytes[Stripes.COUNT];
    private final ActiveSnapshots active;
    private final long bound;

    /** Snapshots before this one are given up: some of their old bytes are gone. */
    private volatile long floor;

    private final ReentrantLock retaining = new ReentrantLock();

    /** What outlived its commit, by version, nearly: guarded by {@link #retaining}. */
    private final ArrayDeque<OldBytes> retained = new ArrayDeque<>();

    /** Of {@link #retained}. */
    private final AtomicLong retainedBytes = new AtomicLong();

    History(ActiveSnapshots active, long bound) {
        this.active = active;
        this.bound = bound;
    }

    long retainedBytes() {
        return retainedBytes.get();
    }

    // ---- reads ----

    /**
     * A number as a snapshot sees it.
     *
     * @param inPlace what is there now, loaded before this call, perhaps torn
     */
    final long number(int stripe, long snapshot, long from, int size, long inPlace) {
        VarHandle.loadLoadFence();
        long value = inPlace;
        OldBytes entry = newest(stripe);
        while (entry != null && entry.version > snapshot) {
            value = entry.over(value, from, size);
            entry = entry.older();
        }
        requireWhole(snapshot);
        return value;
    }

    /** Turns a copy of what is in place, perhaps torn, into what a snapshot sees. */
    final void bytes(int stripe, long snapshot, long from, long size, MemorySegment to, long at) {
        VarHandle.loadLoadFence();
        OldBytes entry = newest(stripe);
        while (entry != null && entry.version > snapshot) {
            entry.over(to, at, from, size);
            entry = entry.older();
        }
        requireWhole(snapshot);
    }

    /** Usable bytes of an object that was freed after a snapshot; 0 when it was not. */
    final long freedSize(int stripe, long snapshot, long object) {
        long size = 0;
        OldBytes entry = newest(stripe);
        while (entry != null && entry.version > snapshot) {
            if (entry.freedSize != 0 && entry.start() == object) {
                size = entry.freedSize;
            }
            entry = entry.older();
        }
        requireWhole(snapshot);
        return size;
    }

    private void requireWhole(long snapshot) {
        if (snapshot < floor) {
            throw tooOld();
        }
    }

    final SnapshotTooOldException tooOld() {
        return new SnapshotTooOldException(bound);
    }

    private OldBytes newest(int stripe) {
        return (OldBytes) CHAINS.getAcquire(chains, stripe);
    }

    // ---- commits ----

    /**
     * Makes room for a commit's old bytes, by giving up the oldest reads if it must be.
     *
     * @return false when there are more of them than ever have room: all snapshots before this
     *     version are given up then, and nothing is to be saved
     */
    final boolean makeRoom(long bytes, long version) {
        if (retainedBytes.get() + bytes <= bound) {
            return true;
        }
        retaining.lock();
        try {
            long oldest = drop();
            for (int i = 0; retainedBytes.get() + bytes > bound && oldest < version; i++) {
                floor = Math.max(floor, i < GIVEN_UP_SINGLY ? oldest + 1 : version);
                oldest = drop();
            }
            if (bytes > bound) {
                floor = Math.max(floor, version);
                return false;
            }
            return true;
        } finally {
            retaining.unlock();
        }
    }

    /** Adds what a commit is about to replace; its stripe is locked. */
    void push(OldBytes entry) {
        OldBytes newest = newest(entry.stripe);
        entry.setOlder(newest);
        while (!CHAINS.compareAndSet(chains, entry.stripe, newest, entry)) {
            newest = newest(entry.stripe);
            entry.setOlder(newest);
        }
    }

    /**
     * A commit is over, and what begins now sees it: drops its old bytes, or retains what somebody
     * needs.
     *
     * @param first of the entries of this commit
     * @return whether nobody sees them any more, so that they can be used again
     */
    final boolean release(OldBytes first) {
        long oldest = active.oldest(floor);
        if (first != null && oldest < first.version) {
            retain(first);
            return false;
        }
        for (OldBytes entry = first; entry != null; entry = entry.next) {
            cut(entry);
        }
        if (retainedBytes.get() > 0) {
            dropUnneeded();
        }
        // A read that began in between may have met an entry before it was cut.
        VarHandle.fullFence();
        return oldest == ActiveSnapshots.NONE && !active.isReading();
    }

    /** After a read: nobody may need any more what it needed. */
    final void dropUnneeded() {
        if (retainedBytes.get() > 0 && retaining.tryLock()) {
            try {
                long unused = drop();
            } finally {
                retaining.unlock();
            }
        }
    }

    private void retain(OldBytes first) {
        retaining.lock();
        try {
            long bytes = 0;
            for (OldBytes entry = first; entry != null; entry = entry.next) {
                retained.addLast(entry);
                bytes += entry.capacity();
            }
            retainedBytes.addAndGet(bytes);
            long unused = drop();
        } finally {
            retaining.unlock();
        }
    }

    /** Drops what no active read needs and returns the oldest snapshot of those. */
    private long drop() {
        long oldest = active.oldest(floor);
        long bytes = 0;
        while (!retained.isEmpty() && isUnneeded(retained.peekFirst(), oldest)) {
            OldBytes entry = retained.removeFirst();
            cut(entry);
            bytes += entry.capacity();
        }
        retainedBytes.addAndGet(-bytes);
        return oldest;
    }

    /** Whether every active read sees the commit that replaced these bytes. */
    boolean isUnneeded(OldBytes entry, long oldest) {
        return entry.version <= oldest;
    }

    /**
     * Takes an entry out of its chain with all that is older, which nobody needs either. Only the
     * owner of an entry that will be used again cuts it, so that it is never another one by now; of
     * entries on the way that are, nothing behind them is in the chain any more.
     */
    private void cut(OldBytes entry) {
        while (true) {
            OldBytes newer = newest(entry.stripe);
            if (newer != entry) {
                while (newer != null && newer.older() != entry) {
                    newer = newer.older();
                }
                if (newer == null || newer.cutBehind(entry)) {
                    return;
                }
            } else if (CHAINS.compareAndSet(chains, entry.stripe, entry, null)) {
                return;
            }
        }
    }
}
