package io.farheap.tx;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.TransactionAbortedException;
import io.farheap.heap.Heap;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.ulog.Lane;
import io.farheap.ulog.RedoLog;
import io.farheap.ulog.RedoOperations;
import io.farheap.ulog.UndoLog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The transaction of one lane, used again and again by whoever owns the lane; it belongs to the
 * thread that began it. Objects are image offsets of user data, offsets and lengths bytes inside an
 * object.
 *
 * <p>New values wait in DRAM until the commit; in-place stores follow a snapshot; objects allocated
 * here are stored to directly. Every object is checked before its first use: allocated, not freed
 * here, range inside it.
 */
public final class LaneTransaction {
    private final PoolEngine engine;
    private final PoolMemory memory;
    private final Heap heap;
    private final int laneIndex;
    private final UndoLog undo;
    private final RedoLog redo;
    private final RedoOperations words = new RedoOperations();
    private final WriteSet writes = new WriteSet();
    private final Ranges snapshots = new Ranges();
    private final TouchedObjects touched = new TouchedObjects();
    private final Allocations allocations;
    private final ArrayList<ReentrantLock> locks = new ArrayList<>();
    private final CommitPipeline pipeline;

    /** The public face of this transaction, made by the API on first use. */
    private Object face;

    /** The thread that may use it: none while idle, and none once an inner call aborted it. */
    private Thread user;

    private Thread owner;
    private int depth;
    private Throwable doom;
    private int setWords;

    /** The transaction in whose middle this operation runs; null for none, and for those. */
    private LaneTransaction around;

    /** Where the root will be once this commits; 0: where it is. */
    private long newRoot;

    private long newRootSize;

    /** Ends the life of segments given out by {@link #snapshot}: a late store must not pass. */
    private Arena snapshotArena;

    LaneTransaction(PoolEngine engine, Lane lane, int laneIndex) {
        this.engine = engine;
        this.memory = engine.memory();
        this.heap = engine.heap();
        this.laneIndex = laneIndex;
        this.undo = lane.undo();
        this.redo = lane.external();
        this.allocations = new Allocations(heap);
        this.pipeline = new CommitPipeline(this, engine);
    }

    PoolMemory memory() {
        return memory;
    }

    WriteSet writes() {
        return writes;
    }

    Ranges snapshots() {
        return snapshots;
    }

    Allocations allocations() {
        return allocations;
    }

    RedoOperations words() {
        return words;
    }

    UndoLog undo() {
        return undo;
    }

    RedoLog redo() {
        return redo;
    }

    int laneIndex() {
        return laneIndex;
    }

    /** What the API attached to this lane, null at first. */
    public Object face() {
        return face;
    }

    public void setFace(Object newFace) {
        face = newFace;
    }

    // ---- life ----

    /** Begins, or joins the transaction that the calling thread has under way. */
    void begin() {
        if (depth == 0) {
            owner = Thread.currentThread();
            user = owner;
        } else {
            checkUsable();
        }
        depth++;
    }

    /**
     * Begins an operation of its own, inside {@code outer} if the thread has that under way: ending
     * that one in either way changes nothing of this one.
     */
    void beginDetached(LaneTransaction outer) {
        begin();
        around = outer;
    }

    /**
     * Leaves one level; the outermost commits.
     *
     * @throws TransactionAbortedException when an inner level aborted; all is rolled back then
     */
    public void commit() {
        if (depth == 1) {
            if (doom != null) {
                TransactionAbortedException aborted = abortedBy(doom);
                pipeline.abort(aborted);
                throw aborted;
            }
            checkUsable();
            pipeline.commit();
        } else {
            depth--;
        }
    }

    /** Leaves one level because {@code cause} left it; from then on nothing can commit. */
    public void abort(Throwable cause) {
        if (depth == 1) {
            pipeline.abort(cause);
        } else {
            depth--;
            if (doom == null) {
                doom = cause;
                user = null;
            }
        }
    }

    /** Makes the lane ready for the next transaction, then gives up locks and lane. */
    void end() {
        writes.clear();
        snapshots.clear();
        touched.clear();
        words.clear();
        setWords = 0;
        around = null;
        newRoot = 0;
        if (snapshotArena != null) {
            snapshotArena.close();
            snapshotArena = null;
        }
        owner = null;
        user = null;
        doom = null;
        depth = 0;
        for (int i = locks.size() - 1; i >= 0; i--) {
            locks.get(i).unlock();
        }
        locks.clear();
        engine.ended(this);
    }

    /** Refuses any thread but the one that began it, and any use after its end. */
    public void checkUsable() {
        if (Thread.currentThread() != user) {
            throw unusable();
        }
    }

    private RuntimeException unusable() {
        if (doom != null && Thread.currentThread() == owner) {
            return abortedBy(doom);
        }
        return new FarheapException(
                Category.WRONG_USE,
                owner == null
                        ? "The transaction has ended; its object is valid inside the lambda only."
                        : "The transaction belongs to thread "
                                + owner.getName()
                                + "; begin one in thread "
                                + Thread.currentThread().getName()
                                + ".");
    }

    private static TransactionAbortedException abortedBy(Throwable cause) {
        return new TransactionAbortedException(
                "The transaction was aborted in a nested call and can't go on; let the exception"
                        + " leave the outermost call.",
                cause);
    }

    /** Takes a lock and holds it until the commit is acknowledged or everything is rolled back. */
    public void lock(ReentrantLock lock) {
        checkUsable();
        if (lock.isHeldByCurrentThread() && locks.contains(lock)) {
            return;
        }
        if (!lock.tryLock()) {
            waitFor(lock);
        }
        locks.add(lock);
    }

    private void waitFor(ReentrantLock lock) {
        long timeout = engine.settings().lockTimeout().toNanos();
        long deadline = System.nanoTime() + timeout;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    if (lock.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                        return;
                    }
                    throw new FarheapException(
                            Category.WRONG_USE,
                            "Another transaction held the lock for more than "
                                    + TimeUnit.NANOSECONDS.toMillis(timeout)
                                    + " ms: take locks in one order everywhere, or raise"
                                    + " FARHEAP_LOCK_TIMEOUT_MILLIS.");
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // ---- objects ----

    /**
     * Allocates an object that exists when the transaction commits.
     *
     * @param size usable bytes, at least 1
     * @param typeNumber any number; iteration by type finds it
     * @param zeroed whether all usable bytes become 0; else the content is undefined
     */
    public long allocate(long size, long typeNumber, boolean zeroed) {
        return allocate(size, typeNumber, 0, zeroed);
    }

    /** As {@link #allocate(long, long, boolean)}, of an object that iteration skips. */
    long allocate(long size, long typeNumber, int objectFlags, boolean zeroed) {
        checkUsable();
        if (size <= 0) {
            throw new FarheapException(
                    Category.WRONG_USE, "An object needs at least 1 byte, not " + size + ".");
        }
        redo.reserve(actions() + 1);
        int index = allocations.reserve(size, typeNumber, objectFlags);
        long object = allocations.reservation(index).userOffset();
        long usable = allocations.reservation(index).usableSize();
        int slot = touched.find(object);
        if (slot < 0) {
            slot = touched.add(object, usable, TouchedObjects.FRESH);
        }
        touched.set(slot, usable, TouchedObjects.FRESH, index);
        if (zeroed) {
            memory.fill(object, usable, (byte) 0);
        }
        return object;
    }

    /** Frees an object when the transaction commits; using it here afterwards is an error. */
    public void free(long object) {
        checkUsable();
        int slot = touch(object, 0, 0);
        if (object == rootOffset()) {
            throw new FarheapException(
                    Category.WRONG_USE,
                    "The root object can't be freed; free what hangs from it and reset the fields.");
        }
        freeTouched(object, slot);
    }

    private void freeTouched(long object, int slot) {
        if (touched.state(slot) == TouchedObjects.FRESH) {
            allocations.cancel(touched.index(slot));
        } else {
            redo.reserve(actions() + 1);
            allocations.free(object);
        }
        touched.set(slot, touched.size(slot), TouchedObjects.FREED, 0);
    }

    /**
     * Moves an object to a block of another size; the content up to the smaller usable size goes
     * with it, what is new of it is undefined or zero.
     *
     * @param object 0 allocates
     * @param size 0 frees and returns 0
     */
    public long reallocate(long object, long size, long typeNumber, boolean zeroed) {
        checkUsable();
        if (object == 0) {
            return size == 0 ? 0 : allocate(size, typeNumber, zeroed);
        }
        if (size == 0) {
            free(object);
            return 0;
        }
        long oldSize = usableSize(object);
        long moved = allocate(size, typeNumber, false);
        long newSize = usableSize(moved);
        long kept = Math.min(oldSize, newSize);
        read(object, 0, memory.image(), moved, kept);
        if (zeroed && newSize > kept) {
            memory.fill(moved + kept, newSize - kept, (byte) 0);
        }
        free(object);
        return moved;
    }

    /** Where the root object is for this transaction; 0 when there is none. */
    public long rootOffset() {
        return newRoot != 0 ? newRoot : engine.rootOffset();
    }

    /** Makes or grows the root (spec: heap, 9): the caller holds the root's lock. */
    long growRoot(Descriptor descriptor, long size) {
        long old = rootOffset();
        long oldSize = newRoot != 0 ? newRootSize : descriptor.rootSize();
        if (old != 0 && size <= oldSize) {
            return old;
        }
        if (size == 0) {
            throw new FarheapException(
                    Category.WRONG_USE, "The pool has no root object yet; give its size.");
        }
        long root = allocate(size, 0, Heap.INTERNAL, true);
        if (old != 0) {
            read(old, 0, memory.image(), root, Math.min(usableSize(old), usableSize(root)));
            freeTouched(old, touch(old, 0, 0));
        }
        addWord(Descriptor.ROOT_SIZE, size);
        addWord(Descriptor.ROOT_OFFSET, root);
        newRoot = root;
        newRootSize = size;
        return root;
    }

    /**
     * Sets one word when this commits, by the redo log: no undo log, no copy of the old value; a
     * read before the commit sees the old one. Later words for the same offset replace earlier
     * ones. Whether the word belongs to an object that may be changed is for the caller to know.
     *
     * @param offset image offset, a multiple of 8
     * @throws FarheapException WRONG_USE when the transaction in whose middle this runs saved the
     *     word in its undo log: its roll-back would undo what this made durable
     */
    public void setWord(long offset, long value) {
        checkUsable();
        if ((offset & (Long.BYTES - 1)) != 0) {
            throw new FarheapException(
                    Category.WRONG_USE,
                    "The word at 0x"
                            + Long.toHexString(offset)
                            + " can't be set in one atomic step: its offset must be a multiple of"
                            + " 8.");
        }
        if (around != null && around.savedInPlace(offset)) {
            throw new FarheapException(
                    Category.WRONG_USE,
                    "The word at 0x"
                            + Long.toHexString(offset)
                            + " is stored in place by the transaction under way; set it there, or"
                            + " after its end.");
        }
        addWord(offset, value);
    }

    private void addWord(long offset, long value) {
        redo.reserve(actions() + 1);
        words.set(offset, value);
        setWords++;
    }

    /** Whether a roll-back of this transaction puts back bytes of this word. */
    private boolean savedInPlace(long offset) {
        int index = snapshots.firstReaching(offset + 1);
        return index < snapshots.size() && snapshots.start(index) < offset + Long.BYTES;
    }

    private int actions() {
        return allocations.actions() + setWords + 1;
    }

    /** Usable bytes of an object. */
    public long usableSize(long object) {
        checkUsable();
        int slot = touched.find(object);
        return slot < 0 ? engine.usableSize(object) : touched.size(checkNotFreed(slot, object));
    }

    /** Whether this transaction freed the object. */
    public boolean isFreedHere(long object) {
        int slot = touched.find(object);
        return slot >= 0 && touched.state(slot) == TouchedObjects.FREED;
    }

    /** How many objects this transaction allocated, some of them perhaps freed again. */
    public int freshCount() {
        checkUsable();
        return allocations.reservedCount();
    }

    /** The object of one allocation of this transaction; 0 when it was freed again. */
    public long fresh(int index) {
        return allocations.isLive(index) ? allocations.reservation(index).userOffset() : 0;
    }

    // ---- new values, buffered until the commit ----

    public void setLong(long object, long offset, long value) {
        if (isStoredDirectly(object, offset, Long.BYTES)) {
            memory.putLong(object + offset, value);
        } else {
            writes.putLong(object + offset, value);
        }
    }

    public void setInt(long object, long offset, int value) {
        if (isStoredDirectly(object, offset, Integer.BYTES)) {
            memory.putInt(object + offset, value);
        } else {
            writes.putInt(object + offset, value);
        }
    }

    public void setShort(long object, long offset, short value) {
        if (isStoredDirectly(object, offset, Short.BYTES)) {
            memory.putShort(object + offset, value);
        } else {
            writes.putShort(object + offset, value);
        }
    }

    public void setByte(long object, long offset, byte value) {
        if (isStoredDirectly(object, offset, 1)) {
            memory.putByte(object + offset, value);
        } else {
            writes.putByte(object + offset, value);
        }
    }

    /** Copies {@code length} bytes of {@code source} into the object. */
    public void write(
            long object, long offset, MemorySegment source, long sourceOffset, long length) {
        if (isStoredDirectly(object, offset, length)) {
            memory.copyIn(object + offset, source, sourceOffset, length);
        } else {
            writes.put(object + offset, source, sourceOffset, length);
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

    // ---- stores in place ----

    /**
     * Logs the present content of a range, durably, and returns the range to store into until the
     * transaction ends. One fence, none for what this transaction logged or allocated before.
     */
    public MemorySegment snapshot(long object, long offset, long length) {
        checkUsable();
        int slot = touch(object, offset, length);
        byte state = touched.state(slot);
        if (state != TouchedObjects.FRESH) {
            if (state == TouchedObjects.BUFFERED) {
                throw mixed(object);
            }
            touched.set(slot, touched.size(slot), TouchedObjects.IN_PLACE, 0);
            logUncovered(object + offset, object + offset + length);
        }
        if (snapshotArena == null) {
            snapshotArena = Arena.ofConfined();
        }
        return memory.image().asSlice(object + offset, length).reinterpret(snapshotArena, null);
    }

    private void logUncovered(long start, long end) {
        long from = start;
        boolean logged = false;
        for (int i = snapshots.firstReaching(start + 1);
                i < snapshots.size() && snapshots.start(i) < end;
                i++) {
            if (from < snapshots.start(i)) {
                undo.append(from, snapshots.start(i) - from);
                logged = true;
            }
            from = Math.max(from, snapshots.end(i));
        }
        if (from < end) {
            undo.append(from, end - from);
            logged = true;
        }
        if (logged) {
            undo.persist();
            snapshots.cover(start, end);
        }
    }

    // ---- checks ----

    /** Checks a write and says whether it goes straight into the pool. */
    private boolean isStoredDirectly(long object, long offset, long length) {
        checkUsable();
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
    }

    /** Checks a read and says whether the write set may hold some of it. */
    private boolean hasBufferedValues(long object, long offset, long length) {
        checkUsable();
        int slot = touched.find(object);
        if (slot < 0) {
            checkRange(object, offset, length, engine.usableSize(object));
            return false;
        }
        checkRange(object, offset, length, touched.size(checkNotFreed(slot, object)));
        return touched.state(slot) == TouchedObjects.BUFFERED;
    }

    /** The slot of an object that may be used here, checked; new ones get no style yet. */
    private int touch(long object, long offset, long length) {
        int slot = touched.find(object);
        if (slot < 0) {
            slot = touched.add(object, engine.usableSize(object), TouchedObjects.UNUSED);
        }
        checkRange(object, offset, length, touched.size(checkNotFreed(slot, object)));
        return slot;
    }

    private int checkNotFreed(int slot, long object) {
        if (touched.state(slot) == TouchedObjects.FREED) {
            throw new FarheapException(
                    Category.WRONG_USE,
                    "The object at 0x"
                            + Long.toHexString(object)
                            + " was freed earlier in this transaction.");
        }
        return slot;
    }

    static void checkRange(long object, long offset, long length, long usableSize) {
        if ((offset | length) < 0 || offset > usableSize - length) {
            throw new FarheapException(
                    Category.WRONG_USE,
                    "Bytes "
                            + offset
                            + " to "
                            + (offset + length)
                            + " are outside the object at 0x"
                            + Long.toHexString(object)
                            + ", which has "
                            + usableSize
                            + ".");
        }
    }

    private static FarheapException mixed(long object) {
        return new FarheapException(
                Category.WRONG_USE,
                "The object at 0x"
                        + Long.toHexString(object)
                        + " is used both in place and with buffered values in one transaction; use"
                        + " one style for it.");
    }
}
