package io.farheap.agent.records;

import io.farheap.agent.base.Refusal;
import io.farheap.agent.journal.JournalFile;
import io.farheap.replication.control.Reply.Code;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The way of records into a replica: from the memory that the initiator writes into to the durable
 * {@link Tail}. They are named by a message, or, in a ring that is watched, found.
 *
 * <p>Closed to begin with. Thread-safe, by a lock of its own, under which nothing is applied: the
 * answer that commits wait for is made here.
 */
public final class RecordIntake {
    /** What lies between the ends of a record arrives before long, if it does. */
    private static final long BROKEN_NANOS = 2_000_000_000;

    private final JournalFile journal;
    private final long imageBytes;
    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Tail tail;
    private volatile boolean open;
    private long brokenSince;

    /**
     * @param imageBytes the size of the replica's image
     * @param name the replica's files, for messages
     */
    public RecordIntake(JournalFile journal, long imageBytes, String name) {
        this.journal = journal;
        this.imageBytes = imageBytes;
        this.name = name;
    }

    /** Something to read the records with, where they are verified and applied from. */
    public RecordCursor newCursor(ImageBounds bounds) {
        return new RecordCursor(journal.records(), bounds, imageBytes);
    }

    /** The tail is empty, behind what the slot says is applied. */
    public void restart(ImageBounds bounds) {
        lock.lock();
        try {
            Tail empty = new Tail(journal, newCursor(bounds));
            empty.reset(journal.slot());
            tail = empty;
        } finally {
            lock.unlock();
        }
    }

    /** Takes everything valid in the ring into the tail. */
    public void extendToEnd() {
        lock.lock();
        try {
            tail.extendToEnd(journal.slot());
            if (tail.endsAtOtherVersion()) {
                throw new Refusal(
                        Code.DAMAGED,
                        name
                                + " has record "
                                + (tail.sequence() + 1)
                                + " of a later release of Farheap, which may have been"
                                + " acknowledged and can't be read here.",
                        "Upgrade this agent; nothing was changed.");
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The same from an empty tail.
     *
     * @param watch from here on records come without a word, into the journal's own ring
     */
    public void readAgain(boolean watch, ImageBounds bounds, boolean hasRecords) {
        lock.lock();
        try {
            if (watch) {
                journal.dropBounceRing();
                journal.keepCopy();
            } else {
                journal.dropCopy();
            }
            restart(bounds);
            if (hasRecords) {
                extendToEnd();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The replica is a confirmed member of an epoch: its records are taken. */
    public void open() {
        open = true;
    }

    /** On return the tail does not move any more. */
    public void close() {
        lock.lock();
        try {
            open = false;
        } finally {
            lock.unlock();
        }
    }

    /** Whether records are taken. */
    public boolean isOpen() {
        return open;
    }

    /** The journal's own ring, which the initiator writes into, but for a bounce ring. */
    public MemorySegment ring() {
        return journal.ring();
    }

    /**
     * A ring in memory of no file, which the initiator writes into instead of the journal's: {@link
     * #flush} takes over what it names, and nothing else counts.
     */
    public MemorySegment bounceRing() {
        lock.lock();
        try {
            return journal.bounceRing();
        } finally {
            lock.unlock();
        }
    }

    /** The initiator writes into the journal's own ring again. */
    public void dropBounceRing() {
        lock.lock();
        try {
            journal.dropBounceRing();
        } finally {
            lock.unlock();
        }
    }

    /** How far the replica has applied, durably, for an initiator that reads instead of asking. */
    public MemorySegment published() {
        return journal.published();
    }

    /** Whether records come without a word. */
    public boolean isWatching() {
        return journal.keepsCopy();
    }

    /**
     * The durability point: makes the records up to stream position {@code to} durable, and counts
     * those that verify.
     *
     * @return the last record that is durable
     * @throws io.farheap.base.FarheapException category BAD_DATA when not all of them verify; what
     *     did counts
     */
    public long flush(long from, long to) {
        lock.lock();
        try {
            if (!open) {
                throw new Refusal(
                        Code.WRONG_STATE,
                        "The replica "
                                + name
                                + " refuses: it is not a confirmed member of this epoch.",
                        "Attach again.");
            }
            if (!followsTail(from, to) || to > free()) {
                throw new Refusal(
                        Code.BAD_MESSAGE,
                        "Records from position "
                                + from
                                + " to "
                                + to
                                + " were announced, but the journal has "
                                + tail.position()
                                + " and room up to "
                                + free()
                                + ".",
                        "Attach again.");
            }
            if (!tail.extend(to)) {
                throw damaged();
            }
            return tail.sequence();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stores bytes of the stream behind the tail, and takes the records that are complete into it;
     * nobody else writes to the ring.
     */
    public void append(long position, byte[] content) {
        lock.lock();
        try {
            if (open || position < tail.position() || content.length > free() - position) {
                throw new Refusal(
                        Code.BAD_MESSAGE,
                        "Records at position "
                                + position
                                + " do not follow the tail, which ends at "
                                + tail.position()
                                + ", with room up to "
                                + free()
                                + ".",
                        "Attach again.");
            }
            journal.store(position, content);
            boolean unused = tail.extend(position + content.length); // the rest is still to come
        } finally {
            lock.unlock();
        }
    }

    private boolean followsTail(long from, long to) {
        return from <= tail.position() || from >= to;
    }

    /** Where the room ends that applied records leave. */
    private long free() {
        return journal.slot().appliedPosition() + journal.capacity();
    }

    /**
     * Looks whether the initiator has written records that it tells nobody of.
     *
     * @return whether there were some
     * @throws io.farheap.base.FarheapException category BAD_DATA when one stays broken
     */
    public boolean look() {
        if (!open || !isWatching()) {
            return false;
        }
        lock.lock();
        try {
            if (!open) {
                return false; // closed meanwhile: the tail stands still
            }
            boolean found = tail.look(free());
            if (found || !tail.isBroken()) {
                brokenSince = 0;
            } else if (brokenSince == 0) {
                brokenSince = System.nanoTime() | 1;
            } else if (System.nanoTime() - brokenSince > BROKEN_NANOS) {
                throw damaged();
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    private Refusal damaged() {
        return new Refusal(
                Code.DAMAGED,
                "In the journal of " + name + " " + tail.why() + ".",
                "Attach again.");
    }

    /** The last record that is durable; moved by {@link #flush} and {@link #look} alone. */
    public long sequence() {
        return tail.sequence();
    }

    /** Where it ends, or a later record. */
    public long position() {
        return tail.position();
    }

    /** What the initiator had committed when it wrote the last record; may lie behind the tail. */
    public long committedUpTo() {
        return tail.committedUpTo();
    }
}
