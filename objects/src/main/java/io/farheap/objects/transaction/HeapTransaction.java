package io.farheap.objects.transaction;

import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;

/**
 * One transaction, or one read, of one thread: the only way by which typed objects, values and
 * collections reach the bytes of the pool. A thread uses one object of this class again and again:
 * it is valid inside the body only, and only in its thread.
 *
 * <p>Objects are image offsets of user data, offsets and lengths bytes inside them; numbers are
 * little-endian. What is read and written of one object conflicts as a whole. Of a <em>shared</em>
 * object (a large one with parts for many: an array of buckets, counters' cells) each line of 64
 * bytes of the image conflicts by itself: such an object is reached by the methods with that word
 * and by no others, all its life. Ranges are the caller's to check: its layout classes know them.
 */
public final class HeapTransaction {
    /** No word is as old as this: what comes after the end takes the long way, and is refused. */
    private static final long ENDED = -1;

    private final long thread = Thread.currentThread().threadId();
    private final HeapState heap;
    private final Stripes stripes;
    private final VersionClock clock;
    private final PoolMemory memory;
    private final HeapReader reader;
    private final HeapWriter ownWriter;
    private final TransactionActions actions = new TransactionActions();

    /** {@link #ownWriter} in a transaction; null in a read. */
    private HeapWriter writer;

    private long snapshot = ENDED;

    /**
     * In a read in which each look at the clock found that no commit began since its snapshot: such
     * a look tells of all units, and no stripe is asked.
     */
    private boolean isQuiet;

    private int slot;

    /** What the transaction found at the start of an object, its own change included; 0: none. */
    private long known;

    private long firstWordOfKnown;
    private Object kept;

    HeapTransaction(HeapState heap) {
        this.heap = heap;
        this.stripes = heap.stripes;
        this.memory = heap.memory;
        this.reader = heap.reader();
        this.clock = heap.clock(reader);
        this.ownWriter = new HeapWriter(heap);
        this.slot = heap.active.hint();
    }

    /** The number of the thread that made it and that alone uses it. */
    long thread() {
        return thread;
    }

    /** What {@link #keep} was given; null before. */
    public Object kept() {
        return kept;
    }

    /**
     * Keeps something that collections use again and again in this thread, so that they make no
     * garbage, for as long as the heap is open.
     */
    public void keep(Object what) {
        kept = what;
    }

    // ---- begin and end ----

    /** Whether a transaction or read of this thread is under way. */
    public boolean isActive() {
        return snapshot != ENDED;
    }

    void beginRead() {
        writer = null;
        snapshot = reader.begin();
        isQuiet = true;
    }

    void endRead() {
        snapshot = ENDED;
        isQuiet = false;
        reader.end();
    }

    void beginGlance() {
        writer = null;
        snapshot = reader.beginGlance();
        isQuiet = true;
    }

    /**
     * Ends a glance.
     *
     * @return false: it was overtaken, and what came of it is nothing
     */
    public boolean endGlance() {
        snapshot = ENDED;
        isQuiet = false;
        return !reader.isOvertaken();
    }

    /** What this thread keeps of its reads. */
    HeapReader reader() {
        return reader;
    }

    void beginTransaction() {
        actions.clear();
        slot = heap.active.claimForTransaction(slot);
        writer = ownWriter;
        isQuiet = false;
        takeSnapshot();
    }

    /** Goes on with the watermark of now; nothing was read yet. */
    void takeSnapshot() {
        snapshot = heap.clock.watermark();
        known = 0;
        writer.begin(snapshot);
    }

    /**
     * Commits.
     *
     * @return false for a conflict: {@link #endTransaction} must follow in any case
     */
    boolean commit() {
        if (writer.metConflict()) {
            return false; // and the body caught what said so
        }
        writer.requireWhole();
        if (!writer.hasLane()) {
            return true; // each of its reads was as of its snapshot
        }
        return heap.commit.commit(heap, writer, slot);
    }

    /** Whether it met a conflict, or would now. */
    boolean isOvertaken() {
        return writer.metConflict() || !writer.isCurrent();
    }

    /**
     * @param cause why nothing of it remains; null after a commit
     */
    void endTransaction(Throwable cause) {
        snapshot = ENDED;
        try {
            if (cause != null) {
                actions.runOnAbort();
                writer.abortLane(cause);
            }
        } finally {
            writer.clear();
            heap.active.release(slot);
        }
    }

    /** What this thread keeps of its transactions. */
    HeapWriter writer() {
        return ownWriter;
    }

    /** What is to be done once it has ended. */
    TransactionActions actions() {
        return actions;
    }

    /** Whether it may change anything. */
    public boolean isWriter() {
        return writer != null;
    }

    /**
     * Refuses a read.
     *
     * @throws FarheapException WRONG_USE in a read
     */
    public void requireWriter() {
        if (writer == null) {
            heap.requireWritable();
            throw changeInRead();
        }
        requireActive();
    }

    /** Tells apart what it has changed before a call and after it: more each time. */
    public long changes() {
        requireWriter();
        return writer.changes();
    }

    static FarheapException changeInRead() {
        return FarheapException.wrongUse(
                "A read can't change the heap; use transaction() for what changes it.");
    }

    private void requireActive() {
        if (snapshot == ENDED) {
            throw FarheapException.wrongUse(
                    "The transaction or read has ended; its object is valid inside the body only.");
        }
    }

    // ---- objects that conflict as a whole ----

    public long getLong(long object, long offset) {
        try {
            if (isQuiet) {
                long value = memory.getLong(object + offset);
                if (isStillQuiet()) {
                    return value;
                }
            }
            return loadLong(object, object, offset);
        } catch (IndexOutOfBoundsException e) {
            throw outside(object, offset, e);
        }
    }

    /** Whether the first word of an object is this one, which is not asked twice in a row. */
    public boolean beginsWith(long object, long word) {
        if (writer == null) {
            return getLong(object, 0) == word;
        }
        if (object != known) {
            firstWordOfKnown = getLong(object, 0);
            known = object;
        }
        return firstWordOfKnown == word;
    }

    public int getInt(long object, long offset) {
        try {
            if (isQuiet) {
                int value = memory.getInt(object + offset);
                if (isStillQuiet()) {
                    return value;
                }
            }
            if (writer == null) {
                int stripe = Stripes.of(object);
                long word = stripes.word(stripe);
                int value = memory.getInt(object + offset);
                if (Stripes.isReadable(word, snapshot) && stripes.isUnchanged(stripe, word)) {
                    return value;
                }
            }
            return (int) loadElsewhere(object, object, offset, Integer.BYTES);
        } catch (IndexOutOfBoundsException e) {
            throw outside(object, offset, e);
        }
    }

    public short getShort(long object, long offset) {
        return (short) load(object, offset, Short.BYTES);
    }

    public byte getByte(long object, long offset) {
        return (byte) load(object, offset, Byte.BYTES);
    }

    /** Copies {@code length} bytes of an object, own writes included, to {@code target}. */
    public void read(
            long object, long offset, MemorySegment target, long targetOffset, long length) {
        copy(object, object, offset, target, targetOffset, length);
    }

    public void setLong(long object, long offset, long value) {
        store(object, object, offset, Long.BYTES, value);
    }

    public void setInt(long object, long offset, int value) {
        store(object, object, offset, Integer.BYTES, value);
    }

    public void setShort(long object, long offset, short value) {
        store(object, object, offset, Short.BYTES, value);
    }

    public void setByte(long object, long offset, byte value) {
        store(object, object, offset, Byte.BYTES, value);
    }

    /** Copies {@code length} bytes of {@code source} into an object. */
    public void write(
            long object, long offset, MemorySegment source, long sourceOffset, long length) {
        requireWriter();
        known = object == known ? 0 : known;
        writer.write(object, offset, source, sourceOffset, length);
    }

    // ---- shared objects, that conflict by lines ----

    /** As {@link #getLong}, of a shared object; the offset is a multiple of 8. */
    public long getSharedLong(long object, long offset) {
        try {
            if (isQuiet) {
                long value = memory.getLong(object + offset);
                if (isStillQuiet()) {
                    return value;
                }
            }
            return loadLong(Stripes.unitOfLine(object + offset), object, offset);
        } catch (IndexOutOfBoundsException e) {
            throw outside(object, offset, e);
        }
    }

    /** As {@link #setLong}, of a shared object; the offset is a multiple of 8. */
    public void setSharedLong(long object, long offset, long value) {
        store(Stripes.unitOfLine(object + offset), object, offset, Long.BYTES, value);
    }

    /** As {@link #read}, of a shared object. */
    public void readShared(
            long object, long offset, MemorySegment target, long targetOffset, long length) {
        long done = 0;
        while (done < length) {
            long from = object + offset + done;
            long part = Math.min(length - done, Stripes.LINE - (from & Stripes.LINE - 1));
            long unit = Stripes.unitOfLine(from);
            copy(unit, object, offset + done, target, targetOffset + done, part);
            done += part;
        }
    }

    /** As {@link #write}, of a shared object. */
    public void writeShared(
            long object, long offset, MemorySegment source, long sourceOffset, long length) {
        requireWriter();
        known = object == known ? 0 : known;
        writer.writeShared(object, offset, source, sourceOffset, length);
    }

    // ---- the read barrier ----

    /**
     * Whether several numbers may be {@linkplain #peek loaded} with one look at the clock for all
     * of them: they count if {@link #isStillQuiet} says so afterwards, else nothing of them does.
     */
    public boolean isQuiet() {
        return isQuiet;
    }

    /** A number of 1, 2, 4 or 8 bytes as it is in place; within {@link #isQuiet}. */
    public long peek(long offset, int size) {
        return Numbers.load(memory, offset, size);
    }

    /** The look at the clock, after bytes were loaded. */
    public boolean isStillQuiet() {
        if (clock.isLast(snapshot)) {
            return true;
        }
        isQuiet = false; // from now on stripes tell
        return false;
    }

    private long loadLong(long unit, long object, long offset) {
        if (writer == null) {
            int stripe = Stripes.of(unit);
            long word = stripes.word(stripe);
            long value = memory.getLong(object + offset);
            if (Stripes.isReadable(word, snapshot) && stripes.isUnchanged(stripe, word)) {
                return value;
            }
        }
        return loadElsewhere(unit, object, offset, Long.BYTES);
    }

    /** A number of the size as {@link #loadLong} loads it. */
    private long load(long object, long offset, int size) {
        try {
            if (isQuiet) {
                long value = Numbers.load(memory, object + offset, size);
                if (isStillQuiet()) {
                    return value;
                }
            }
            if (writer == null) {
                int stripe = Stripes.of(object);
                long word = stripes.word(stripe);
                long value = Numbers.load(memory, object + offset, size);
                if (Stripes.isReadable(word, snapshot) && stripes.isUnchanged(stripe, word)) {
                    return value;
                }
            }
            return loadElsewhere(object, object, offset, size);
        } catch (IndexOutOfBoundsException e) {
            throw outside(object, offset, e);
        }
    }

    /**
     * What led outside of the pool was loaded as of the snapshot, so that no commit explains it. A
     * glance that a commit has come after looks again as a read before it says so; a transaction
     * does when it ends.
     */
    private FarheapException outside(long object, long offset, IndexOutOfBoundsException e) {
        requireActive();
        if (writer == null && !clock.isLast(snapshot)) {
            reader.refuseGlance();
        }
        return FarheapException.badData(
                e,
                "The object at 0x%x, or what refers to it, is damaged: it leads outside of the pool"
                        + " (to 0x%x). Restore the pool from a replica, or save what can be read"
                        + " (farheap check, farheap dump).",
                object,
                object + offset);
    }

    /** Where a look at what is in place does not do: in a transaction, and for old bytes. */
    private long loadElsewhere(long unit, long object, long offset, int size) {
        requireActive();
        return writer == null
                ? reader.number(Stripes.of(unit), snapshot, object + offset, size)
                : writer.load(unit, object, offset, size);
    }

    private void copy(long unit, long object, long offset, MemorySegment target, long at, long n) {
        try {
            copyUnit(unit, object, offset, target, at, n);
        } catch (IndexOutOfBoundsException e) {
            throw outside(object, offset, e);
        }
    }

    private void copyUnit(
            long unit, long object, long offset, MemorySegment target, long at, long n) {
        if (isQuiet) {
            memory.copyOut(object + offset, target, at, n);
            if (isStillQuiet()) {
                return;
            }
        }
        requireActive();
        if (writer != null) {
            writer.read(unit, object, offset, target, at, n);
            return;
        }
        int stripe = Stripes.of(unit);
        long word = stripes.word(stripe);
        memory.copyOut(object + offset, target, at, n);
        if (!Stripes.isReadable(word, snapshot) || !stripes.isUnchanged(stripe, word)) {
            reader.bytes(stripe, snapshot, object + offset, target, at, n);
        }
    }

    private void store(long unit, long object, long offset, int size, long value) {
        requireWriter();
        if (object == known && offset < Long.BYTES) {
            known = 0;
        }
        writer.store(unit, object, offset, size, value);
    }

    // ---- objects that come and go ----

    /**
     * Allocates an object, all bytes 0, that exists when the transaction commits.
     *
     * @param size bytes, at least 1
     * @param typeNumber libpmemobj's; of a typed object its type id
     */
    public long allocate(long size, long typeNumber) {
        requireWriter();
        return writer.allocate(size, typeNumber, false);
    }

    /**
     * As {@link #allocate}, for what the heap needs for itself: in a full pool it takes the place
     * of a larger object.
     */
    public long allocateOwn(long size, long typeNumber) {
        requireWriter();
        return writer.allocate(size, typeNumber, true);
    }

    /** Notes that an object is none any more, and that its place stays. */
    public void noteDeleted(long object) {
        requireWriter();
        boolean unused = writer.deleted.add(object, object, object);
    }

    /** Frees an object with the commit; it is not shared. */
    public void free(long object) {
        requireWriter();
        known = 0;
        requireUnfreed(object);
        writer.free(object, false);
    }

    /** Frees a shared object with the commit. */
    public void freeShared(long object) {
        requireWriter();
        known = 0;
        requireUnfreed(object);
        writer.free(object, true);
    }

    /** Whoever frees owns the object: it has another owner, too, if it is freed already. */
    private void requireUnfreed(long object) {
        if (isFreed(object)) {
            throw FarheapException.badData(
                    "The object at 0x%x belongs to two others, or to one twice: one of them is"
                            + " damaged (farheap check).",
                    object);
        }
    }

    /** Whether this transaction freed an object that is older than it. */
    public boolean isFreed(long object) {
        return writer != null && writer.freed.contains(object);
    }

    /** Bytes that the pool has, in objects and else. */
    public long imageBytes() {
        return memory.size();
    }

    /** Whether all of a range lies in the pool. */
    public boolean isInside(long object, long bytes) {
        return object >= 0 && object <= memory.size() - bytes;
    }

    /** Bytes that an object has room for. */
    public long usableSize(long object) {
        requireActive();
        try {
            return writer == null ? reader.usableSize(snapshot, object) : writer.usableSize(object);
        } catch (IndexOutOfBoundsException e) {
            throw outside(object, 0, e);
        }
    }

    /** The root object of the pool; 0 for none. */
    public long root() {
        return reader.root();
    }

    /**
     * Has what is kept beside the pool undone where nothing of this transaction, or of this attempt
     * of it, remains. The action must not throw, nor look at the heap. In a read it is forgotten.
     */
    public void onAbort(Runnable action) {
        actions.onAbort(action);
    }

    /** Runs an action once, in this thread, after this transaction is durable. */
    public void afterCommit(Runnable action) {
        requireWriter();
        actions.afterCommit(action);
    }
}
