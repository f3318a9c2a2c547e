package io.farheap.objects.transaction;

import io.farheap.base.FarheapException;
import io.farheap.base.SnapshotTooOldException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * One transaction, or one read, of one thread: the only way by which typed objects, values and
 * collections reach the bytes of the pool. A thread uses one object of this class again and again:
 * it is valid inside the body only, and only in its thread.
 *
 * <p>Objects are image offsets of user data, offsets and lengths bytes inside them; numbers are
 * little-endian. What is read and written of one object conflicts as a whole. Of a <em>shared</em>
 * object (a large one with parts for many: an array of buckets, counters' cells) each line of 64
 * bytes of the image conflicts by itself: such an object is reached by the methods with that word
 * and by no others, all its life. Ranges are the caller's to check: his layout classes know them.
 */
public final class HeapTransaction {
    /** No word is as old as this: what comes after the end takes the long way, and is refused. */
    private static final long ENDED = -1;

    private final HeapState heap;
    private final Stripes stripes;
    private final HeapWriter ownWriter;
    private final List<Runnable> afterCommit = new ArrayList<>();

    /** {@link #ownWriter} in a transaction; null in a read. */
    private HeapWriter writer;

    private long snapshot = ENDED;
    private int slot;
    private boolean tooOld;

    HeapTransaction(HeapState heap) {
        this.heap = heap;
        this.stripes = heap.stripes;
        this.ownWriter = new HeapWriter(heap);
        this.slot = heap.active.hint();
    }

    // ---- begin and end ----

    boolean isActive() {
        return snapshot != ENDED;
    }

    void beginRead() {
        slot = heap.active.claimForRead(slot);
        tooOld = false;
        writer = null;
        snapshot = heap.clock.watermark();
        heap.active.sees(slot, snapshot);
    }

    void endRead() {
        snapshot = ENDED;
        heap.active.release(slot);
        heap.history.dropUnneeded();
    }

    /** Refuses what a body made of a conflict that it caught. */
    void requireWhole() {
        if (tooOld) {
            throw heap.history.tooOld();
        }
    }

    void beginTransaction() {
        afterCommit.clear();
        slot = heap.active.claimForTransaction(slot);
        writer = ownWriter;
        takeSnapshot();
    }

    /** Goes on with the watermark of now; nothing was read yet. */
    void takeSnapshot() {
        snapshot = heap.clock.watermark();
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

    /** Whether a read could not go on; it may have caught what said so. */
    boolean isTooOld() {
        return tooOld;
    }

    List<Runnable> actionsAfterCommit() {
        return afterCommit;
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
            throw FarheapException.wrongUse(
                    "A read can't change the heap; use transaction() for what changes it.");
        }
        requireActive();
    }

    private void requireActive() {
        if (snapshot == ENDED) {
            throw FarheapException.wrongUse(
                    "The transaction or read has ended; its object is valid inside the body only.");
        }
    }

    // ---- objects that conflict as a whole ----

    public long getLong(long object, long offset) {
        return load(object, object, offset, Long.BYTES);
    }

    public int getInt(long object, long offset) {
        return (int) load(object, object, offset, Integer.BYTES);
    }

    public short getShort(long object, long offset) {
        return (short) load(object, object, offset, Short.BYTES);
    }

    public byte getByte(long object, long offset) {
        return (byte) load(object, object, offset, Byte.BYTES);
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
        writer.write(object, offset, source, sourceOffset, length);
    }

    // ---- shared objects, that conflict by lines ----

    /** As {@link #getLong}, of a shared object; the offset is a multiple of 8. */
    public long getSharedLong(long object, long offset) {
        return load(Stripes.unitOfLine(object + offset), object, offset, Long.BYTES);
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
        writer.writeShared(object, offset, source, sourceOffset, length);
    }

    // ---- the read barrier ----

    private long load(long unit, long object, long offset, int size) {
        if (writer != null) {
            requireActive();
            return writer.load(unit, object, offset, size);
        }
        int stripe = Stripes.of(unit);
        long word = stripes.word(stripe);
        long value = Numbers.load(heap.memory, object + offset, size);
        if (Stripes.isReadable(word, snapshot) && stripes.isUnchanged(stripe, word)) {
            return value;
        }
        return oldNumber(stripe, object + offset, size);
    }

    private long oldNumber(int stripe, long from, int size) {
        requireActive();
        try {
            long inPlace = Numbers.load(heap.memory, from, size);
            return heap.history.number(stripe, snapshot, from, size, inPlace);
        } catch (SnapshotTooOldException failure) {
            tooOld = true;
            throw failure;
        }
    }

    private void copy(long unit, long object, long offset, MemorySegment target, long at, long n) {
        requireActive();
        if (writer != null) {
            writer.read(unit, object, offset, target, at, n);
            return;
        }
        int stripe = Stripes.of(unit);
        long word = stripes.word(stripe);
        heap.memory.copyOut(object + offset, target, at, n);
        if (Stripes.isReadable(word, snapshot) && stripes.isUnchanged(stripe, word)) {
            return;
        }
        try {
            heap.memory.copyOut(object + offset, target, at, n);
            heap.history.bytes(stripe, snapshot, object + offset, n, target, at);
        } catch (SnapshotTooOldException failure) {
            tooOld = true;
            throw failure;
        }
    }

    private void store(long unit, long object, long offset, int size, long value) {
        requireWriter();
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
        return writer.lane().allocate(size, typeNumber, true);
    }

    /** Frees an object with the commit; it is not shared. */
    public void free(long object) {
        requireWriter();
        writer.free(object, false);
    }

    /** Frees a shared object with the commit. */
    public void freeShared(long object) {
        requireWriter();
        writer.free(object, true);
    }

    /** Bytes that an object has room for. */
    public long usableSize(long object) {
        requireActive();
        return writer == null ? usableSizeThen(object) : writer.usableSize(object);
    }

    /** Another commit may have freed it since the snapshot; its size went with its bytes. */
    private long usableSizeThen(long object) {
        int stripe = Stripes.of(object);
        int firstLine = Stripes.of(Stripes.unitOfLine(object));
        FarheapException unknown = null;
        long now = 0;
        try {
            now = heap.engine.usableSize(object);
        } catch (FarheapException noObject) {
            unknown = noObject;
        }
        long freed = heap.history.freedSize(stripe, snapshot, object);
        if (freed == 0) {
            freed = heap.history.freedSize(firstLine, snapshot, object);
        }
        if (freed == 0 && unknown != null) {
            throw unknown;
        }
        return freed != 0 ? freed : now;
    }

    /**
     * Whether a commit after a moment changed or freed an object, shared or not, which may be
     * something else by now; also where that is not known for certain.
     *
     * @param moment what {@link HeapTransactions#moment} said
     */
    public boolean isChangedSince(long moment, long object) {
        long word = stripes.word(Stripes.of(object));
        long wordOfLine = stripes.word(Stripes.of(Stripes.unitOfLine(object)));
        return !Stripes.isReadable(word, moment) || !Stripes.isReadable(wordOfLine, moment);
    }

    /** The root object of the pool; 0 for none. */
    public long root() {
        return heap.engine.rootOffset();
    }

    /** Runs an action once, in this thread, after this transaction is durable. */
    public void afterCommit(Runnable action) {
        requireWriter();
        afterCommit.add(action);
    }
}
