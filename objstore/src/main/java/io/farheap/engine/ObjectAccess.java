package io.farheap.engine;

import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import io.farheap.ulog.UndoLog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * How one transaction reads and changes objects. Objects are image offsets of user data, offsets
 * and lengths bytes inside an object.
 *
 * <p>New values wait in DRAM until the commit; in-place stores follow a snapshot; objects allocated
 * here are stored to directly. Every object is checked before its first use: allocated, not freed
 * here, range inside it.
 */
public final class ObjectAccess {
    private final LaneTransaction tx;
    private final PoolEngine engine;
    private final PoolMemory memory;
    private final UndoLog undo;
    private final WriteSet writes = new WriteSet();

    /** In the undo log, and written back by the commit. */
    private final RangeMap snapshots = new RangeMap();

    /** In the undo log, and not written back, or by {@link #snapshots}, too. */
    private final RangeMap unflushed = new RangeMap();

    /** Written back, without anything in the undo log. */
    private final RangeMap unlogged = new RangeMap();

    private final TouchedObjects touched = new TouchedObjects();

    /** The object that was read last and not touched, 0 for none, and its usable bytes. */
    private long known;

    private long knownSize;

    /** Ends the life of segments given out by {@link #snapshot}: a late store must not pass. */
    private Arena snapshotArena;

    ObjectAccess(LaneTransaction tx, PoolEngine engine, UndoLog undo) {
        this.tx = tx;
        this.engine = engine;
        this.memory = engine.memory();
        this.undo = undo;
    }

    WriteSet writes() {
        return writes;
    }

    RangeMap snapshots() {
        return snapshots;
    }

    RangeMap unflushed() {
        return unflushed;
    }

    RangeMap unlogged() {
        return unlogged;
    }

    /** Makes ready for the next transaction; segments given out are dead. */
    void clear() {
        writes.clear();
        snapshots.clear();
        unflushed.clear();
        unlogged.clear();
        touched.clear();
        known = 0;
        if (snapshotArena != null) {
            if (snapshotArena.scope().isAlive()) {
                snapshotArena.close();
            }
            snapshotArena = null;
        }
    }

    // ---- objects that come and go ----

    /** From now on the object is stored to directly: nothing of it can be undone. */
    void fresh(long object, long usable, int reservation) {
        int slot = touched.find(object);
        if (slot < 0) {
            slot = touched.add(object, usable, TouchedObjects.FRESH);
        }
        touched.set(slot, usable, TouchedObjects.FRESH, reservation);
    }

    /** The reservation of a usable object, as given by {@link #fresh}; -1 when it is older. */
    int reservation(long object) {
        int slot = touch(object, 0, 0);
        return touched.state(slot) == TouchedObjects.FRESH ? touched.index(slot) : -1;
    }

    /** From now on every use of the object is refused. */
    void freed(long object) {
        int slot = touch(object, 0, 0);
        touched.set(slot, touched.size(slot), TouchedObjects.FREED, 0);
    }

    /** Whether this transaction allocated the object: nobody else knows it yet. */
    public boolean isFresh(long object) {
        int slot = touched.find(object);
        return slot >= 0 && touched.state(slot) == TouchedObjects.FRESH;
    }

    /** Whether this transaction allocated, changed or freed the object. */
    public boolean isTouched(long object) {
        return touched.find(object) >= 0;
    }

    /** Whether this transaction freed the object. */
    boolean isFreed(long object) {
        int slot = touched.find(object);
        return slot >= 0 && touched.state(slot) == TouchedObjects.FREED;
    }

    /** Usable bytes of an object. */
    long usableSize(long object) {
        int slot = touched.find(object);
        return slot < 0 ? engine.usableSize(object) : touched.size(checkNotFreed(slot, object));
    }

    /** Whether a roll-back of this transaction puts back, or its commit stores, bytes of a word. */
    boolean changesWord(long offset) {
        return writes.meets(offset)
                || meets(snapshots, offset)
                || meets(unflushed, offset)
                || tx.words().changes(offset);
    }

    private static boolean meets(RangeMap ranges, long word) {
        return ranges.meet(word, word + Long.BYTES);
    }

    // ---- new values, buffered until the commit ----

    public void setLong(long object, long offset, long value) {
        if (isStoredDirectly(object, offset, Long.BYTES)) {
            memory.putLong(object + offset, value);
        } else {
            tx.stages().changing();
            writes.putLong(object + offset, value);
            tx.stages().changed();
        }
    }

    public void setInt(long object, long offset, int value) {
        if (isStoredDirectly(object, offset, Integer.BYTES)) {
            memory.putInt(object + offset, value);
        } else {
            tx.stages().changing();
            writes.putInt(object + offset, value);
            tx.stages().changed();
        }
    }

    public void setShort(long object, long offset, short value) {
        if (isStoredDirectly(object, offset, Short.BYTES)) {
            memory.putShort(object + offset, value);
        } else {
            tx.stages().changing();
            writes.putShort(object + offset, value);
            tx.stages().changed();
        }
    }

    public void setByte(long object, long offset, byte value) {
        if (isStoredDirectly(object, offset, 1)) {
            memory.putByte(object + offset, value);
        } else {
            tx.stages().changing();
            writes.putByte(object + offset, value);
            tx.stages().changed();
        }
    }

    /** Copies {@code length} bytes of {@code source} into the object. */
    public void write(
            long object, long offset, MemorySegment source, long sourceOffset, long length) {
        if (isStoredDirectly(object, offset, length)) {
            memory.copyIn(object + offset, source, sourceOffset, length);
        } else {
            tx.stages().changing();
            writes.put(object + offset, source, sourceOffset, length);
            tx.stages().changed();
        }
    }

    /** Makes every byte of a range {@code value}. */
    public void fill(long object, long offset, long length, byte value) {
        if (isStoredDirectly(object, offset, length)) {
            memory.fill(object + offset, length, value);
        } else {
            tx.stages().changing();
            writes.fill(object + offset, length, value);
            tx.stages().changed();
        }
    }

    public long getLong(long object, long offset) {
        return hasBufferedValues(object, offset, Long.BYTES)
                ? writes.getLong(memory, object + offset)
                : memory.getLong(object + offset);
    }

    public int getInt(long object, long offset) {
        return hasBufferedValues(object, offset, Integer.BYTES)
                ? writes.getInt(memory, object + offset)
                : memory.getInt(object + offset);
    }

    public short getShort(long object, long offset) {
        return hasBufferedValues(object, offset, Short.BYTES)
                ? writes.getShort(memory, object + offset)
                : memory.getShort(object + offset);
    }

    public byte getByte(long object, long offset) {
        return hasBufferedValues(object, offset, 1)
                ? writes.getByte(memory, object + offset)
                : memory.getByte(object + offset);
    }

    /** Copies {@code length} bytes of the object, own writes included, to {@code target}. */
    public void read(
            long object, long offset, MemorySegment target, long targetOffset, long length) {
        if (hasBufferedValues(object, offset, length)) {
            writes.get(memory, object + offset, target, targetOffset, length);
        } else {
            memory.copyOut(object + offset, target, targetOffset, length);
        }
    }

    /** Refuses a range that is not inside a usable object. */
    public void checkReadable(long object, long offset, long length) {
        boolean unused = hasBufferedValues(object, offset, length);
    }

    /**
     * A word of the object will be set by the redo log: it is not freed beside this transaction,
     * nor its place given away before the end when this transaction itself frees it.
     */
    void holdForWord(long object, long offset) {
        int slot = touch(object, offset, Long.BYTES);
        if (touched.state(slot) == TouchedObjects.FRESH) {
            tx.allocations().hold(touched.index(slot));
        }
    }

    /** Refuses what this transaction can't change or free, without touching it. */
    void checkChangeable(long object) {
        checkReadable(object, 0, 0);
        if (isFresh(object)) {
            return;
        }
        if (!engine.heap().isPublished(object)) {
            throw FarheapException.wrongUse(
                    "The object at 0x%s is reserved for what is not committed yet; the one that was"
                            + " there before is gone.",
                    Long.toHexString(object));
        }
        if (!tx.isTyped()) {
            engine.refuseTyped(object);
        }
    }

    // ---- stores in place ----

    /**
     * Logs the present content of a range, durably, and returns the range to store into until the
     * transaction ends. One fence, none for what this transaction logged or allocated before.
     */
    public MemorySegment snapshot(long object, long offset, long length) {
        return inPlace(object, offset, length, true, true);
    }

    /**
     * As {@link #snapshot}. On a pool with replicas both parameters count as true, see {@link
     * io.farheap.pmemobj.SnapshotOption}.
     *
     * @param saved whether the present content is logged, so that a roll-back puts it back
     * @param flushed whether the commit writes the range back
     */
    public MemorySegment inPlace(
            long object, long offset, long length, boolean saved, boolean flushed) {
        tx.checkUsable();
        int slot = touch(object, offset, length);
        byte state = touched.state(slot);
        if (state != TouchedObjects.FRESH) {
            if (state == TouchedObjects.BUFFERED) {
                throw mixed(object);
            }
            boolean copied = engine.isReplicated();
            logged(object + offset, object + offset + length, saved || copied, flushed || copied);
            touched.set(slot, touched.size(slot), TouchedObjects.IN_PLACE, 0);
        } else {
            tx.allocations().hold(touched.index(slot));
        }
        if (snapshotArena == null) {
            snapshotArena = Arena.ofConfined();
        }
        return memory.image().asSlice(object + offset, length).reinterpret(snapshotArena, null);
    }

    private void logged(long start, long end, boolean saved, boolean flushed) {
        StackReserve.require();
        tx.stages().changing();
        try {
            add(start, end, saved, flushed);
        } catch (FarheapException refused) {
            tx.stages().changed();
            throw refused;
        }
        tx.stages().changed();
    }

    private void add(long start, long end, boolean saved, boolean flushed) {
        if (!saved) {
            if (flushed) {
                unlogged.cover(start, end);
            }
            return;
        }
        boolean isNew = appendUncovered(start, end);
        if (!flushed) {
            unflushed.cover(start, end);
        } else if (isNew) {
            snapshots.cover(start, end);
        }
    }

    /**
     * Logs, durably, what is in no undo entry yet; says whether some was outside of {@link
     * #snapshots}.
     */
    private boolean appendUncovered(long start, long end) {
        long from = start;
        boolean uncovered = false;
        for (int i = snapshots.firstReaching(start + 1);
                i < snapshots.size() && snapshots.start(i) < end;
                i++) {
            if (from < snapshots.start(i)) {
                appendUnlessUnflushed(from, snapshots.start(i));
                uncovered = true;
            }
            from = Math.max(from, snapshots.end(i));
        }
        if (from < end) {
            appendUnlessUnflushed(from, end);
            uncovered = true;
        }
        if (uncovered) {
            undo.persist();
        }
        return uncovered;
    }

    private void appendUnlessUnflushed(long start, long end) {
        long from = start;
        for (int i = unflushed.firstReaching(start + 1);
                i < unflushed.size() && unflushed.start(i) < end;
                i++) {
            if (from < unflushed.start(i)) {
                undo.append(from, unflushed.start(i) - from);
            }
            from = Math.max(from, unflushed.end(i));
        }
        if (from < end) {
            undo.append(from, end - from);
        }
    }

    // ---- checks ----

    /** Checks a write and says whether it goes straight into the pool. */
    private boolean isStoredDirectly(long object, long offset, long length) {
        try {
            tx.checkUsable();
            int slot = touch(object, offset, length);
            byte state = touched.state(slot);
            if (state == TouchedObjects.FRESH) {
                return true;
            }
            if (state == TouchedObjects.IN_PLACE) {
                throw mixed(object);
            }
            touched.set(slot, touched.size(slot), TouchedObjects.BUFFERED, 0);
            return false;
        } catch (RuntimeException failure) {
            throw tx.stages().failed(failure);
        }
    }

    /** Checks a read and says whether the write set may hold some of it. */
    private boolean hasBufferedValues(long object, long offset, long length) {
        tx.checkUsable();
        int slot = touched.find(object);
        if (slot < 0) {
            if (object != known || object == 0) {
                knownSize = engine.usableSize(object);
                known = object;
            }
            checkRange(object, offset, length, knownSize);
            return false;
        }
        checkRange(object, offset, length, touched.size(checkNotFreed(slot, object)));
        return touched.state(slot) == TouchedObjects.BUFFERED;
    }

    /** The slot of an object that may be used here, checked; new ones get no style yet. */
    private int touch(long object, long offset, long length) {
        int slot = touched.find(object);
        if (slot < 0) {
            long usable = engine.usableSize(object);
            if (!tx.isTyped()) {
                engine.refuseTyped(object);
            }
            slot = touched.add(object, usable, TouchedObjects.UNUSED);
        }
        checkRange(object, offset, length, touched.size(checkNotFreed(slot, object)));
        return slot;
    }

    private int checkNotFreed(int slot, long object) {
        if (touched.state(slot) == TouchedObjects.FREED) {
            throw FarheapException.wrongUse(
                    "The object at 0x%s was freed earlier in this transaction.",
                    Long.toHexString(object));
        }
        return slot;
    }

    static void checkRange(long object, long offset, long length, long usableSize) {
        if ((offset | length) < 0 || offset > usableSize - length) {
            throw FarheapException.wrongUse(
                    "%s bytes from offset %s on are outside the object at 0x%s, which has %s.",
                    length, offset, Long.toHexString(object), usableSize);
        }
    }

    private static FarheapException mixed(long object) {
        return FarheapException.wrongUse(
                "The object at 0x%s is used both in place and with buffered values in"
                        + " one transaction; use one style for it.",
                Long.toHexString(object));
    }
}
