package io.farheap.objects.transaction;

import io.farheap.base.SnapshotTooOldException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Old bytes for reads that began before a commit: for each stripe a chain, newest first. A commit
 * saves what it will replace before its first store, always, because a read that begins a moment
 * later sees the time before it, too; when it is over it drops what no active read is old enough to
 * need, which is all of it where nobody reads. What is needed is retained, in DRAM, up to a bound;
 * past it the oldest reads are given up. However often a range is replaced during a read, one entry
 * of it is needed.
 *
 * <p>Thread-safe. Not final for tests.
 */
class History {
    private static final VarHandle CHAINS = MethodHandles.arrayElementVarHandle(OldBytes[].class);

    /** So many snapshots are given up one after the other, then all older ones. */
    private static final int GIVEN_UP_SINGLY = 64;

    /** So many ranges of a stripe may take turns, and of each one entry is retained. */
    private static final int RANGES = 16;

    private final OldBytes[] chains = new OldBytes[Stripes.COUNT];
    private final ActiveSnapshots active;
    private final long bound;

    /** Snapshots before this one are given up: some of their old bytes are gone. */
    private volatile long floor;

    private final ReentrantLock retaining = new ReentrantLock();

    /** Commits that look for an entry in its chain. */
    private final AtomicInteger searches = new AtomicInteger();

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
        boolean isRetained = false;
        if (first != null && oldest < first.version) {
            isRetained = retain(first);
        } else {
            for (OldBytes entry = first; entry != null; entry = entry.next) {
                cut(entry);
            }
            if (retainedBytes.get() > 0) {
                dropUnneeded();
            }
        }
        // Somebody may have met an entry before it was taken out.
        VarHandle.fullFence();
        return !isRetained && searches.get() == 0 && !active.isWalking();
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

    /** Says whether any entry is retained. */
    private boolean retain(OldBytes first) {
        retaining.lock();
        try {
            long bytes = 0;
            OldBytes next;
            for (OldBytes entry = first; entry != null; entry = next) {
                next = entry.next;
                if (isRepeated(entry)) {
                    take(entry, entry.older());
                } else {
                    entry.next = null; // it would keep those that are taken out, uncounted
                    entry.setRetained(true);
                    retained.addLast(entry);
                    bytes += entry.capacity();
                }
            }
            retainedBytes.addAndGet(bytes);
            long unused = drop();
            return bytes > 0;
        } finally {
            retaining.unlock();
        }
    }

    /** Drops what no active read needs and returns the oldest snapshot of those. */
    private long drop() {
        long oldest = active.oldest(floor);
        long bytes = 0;
        OldBytes newest = null;
        while (!retained.isEmpty() && isUnneeded(retained.peekFirst(), oldest)) {
            OldBytes entry = retained.removeFirst();
            entry.next = newest;
            newest = entry;
            bytes += entry.capacity();
        }
        OldBytes next;
        for (OldBytes entry = newest; entry != null; entry = next) {
            next = entry.next;
            entry.next = null; // whoever has one of them keeps no other one
            if (entry.isRetained()) {
                cut(entry);
                forget(entry);
            }
        }
        retainedBytes.addAndGet(-bytes);
        return oldest;
    }

    /** An entry and the older ones of its chain went at once, however many they are. */
    private static void forget(OldBytes entry) {
        OldBytes gone = entry;
        while (gone.isRetained()) {
            gone.setRetained(false);
            OldBytes older = gone.older();
            if (older == null || !older.isBefore(gone)) {
                return; // what is not retained may be another one by now
            }
            gone = older;
        }
    }

    /** Whether every active read sees the commit that replaced these bytes. */
    boolean isUnneeded(OldBytes entry, long oldest) {
        return entry.version <= oldest;
    }

    /**
     * Whether older entries serve every active read in place of this one: what one of them has of
     * the same bytes is laid over this one's, unless a read began between the two.
     */
    private boolean isRepeated(OldBytes entry) {
        OldBytes older = entry.freedSize == 0 ? entry.older() : null;
        for (int i = 0; i < RANGES && older != null && older.isRetained(); i++) {
            if (older.covers(entry)) {
                return !isReadBetween(older.version, entry.version);
            }
            older = older.older();
        }
        return false;
    }

    /** Whether an active read sees the one commit and not the other. */
    boolean isReadBetween(long version, long later) {
        return active.isReadBetween(version, later);
    }

    /** Takes an entry out of its chain with all that is older, which nobody needs either. */
    private void cut(OldBytes entry) {
        take(entry, null);
    }

    /**
     * Takes an entry out of its chain, of which this remains behind it: nothing, or the next older
     * one, which is retained, so that nobody else cuts or uses it meanwhile. Only the owner of an
     * entry that will be used again does so.
     */
    private void take(OldBytes entry, OldBytes rest) {
        if (CHAINS.compareAndSet(chains, entry.stripe, entry, rest)) {
            return; // nearly always: it is the newest
        }
        searches.incrementAndGet(); // no entry on the way becomes another one
        VarHandle.fullFence(); // before it loads the first
        try {
            while (!isTaken(entry, rest)) {
                Thread.onSpinWait();
            }
        } finally {
            searches.decrementAndGet();
        }
    }

    /** Whether an entry was taken out now, or had gone with a newer one. */
    private boolean isTaken(OldBytes entry, OldBytes rest) {
        OldBytes newer = newest(entry.stripe);
        if (newer == entry) {
            return CHAINS.compareAndSet(chains, entry.stripe, entry, rest);
        }
        while (newer != null && newer.older() != entry) {
            newer = newer.older();
        }
        return newer == null || newer.replaceOlder(entry, rest);
    }
}
