package io.farheap.engine;

import io.farheap.base.AllocationOptions;
import io.farheap.base.FarheapException;
import io.farheap.base.LogType;
import io.farheap.base.TransactionAbortedException;
import io.farheap.heap.Heap;
import io.farheap.heap.Reservation;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.ulog.Lane;
import io.farheap.ulog.RedoLog;
import io.farheap.ulog.RedoOperations;
import io.farheap.ulog.UndoLog;
import java.util.concurrent.locks.Lock;

/**
 * The transaction of one lane, used again and again by whoever owns the lane; it belongs to the
 * thread that began it. What it reads and changes of objects is {@link ObjectAccess}'s. Objects are
 * image offsets of user data.
 */
public final class LaneTransaction {
    /** A level that is not known yet, because nothing was begun inside it. */
    public static final int INNERMOST = 0;

    private final PoolEngine engine;
    private final PoolMemory memory;
    private final long heapStart;
    final int laneIndex;
    private final UndoLog undo;
    private final RedoLog redo;
    private final RedoOperations words = new RedoOperations();
    private final ObjectAccess objects;
    private final Allocations allocations;
    private final HeldLocks locks = new HeldLocks();
    private final CommitPipeline pipeline;
    private final TransactionStages stages;
    private final NonAtomicStore nonAtomicStore;
    private final SentRecord sent;

    /** The public faces of this lane's transactions, made by the API on first use. */
    private Object faces;

    /** Where the thread that works on this lane has it; null: it has not said so, or let go. */
    LaneAssignment.ThreadLanes threadLanes;

    private volatile boolean abandoned;

    /** Whether it is one of typed objects. */
    private boolean typed;

    private int setWords;

    /** The transaction in whose middle this operation runs; null for none, and for those. */
    private LaneTransaction around;

    /** Whether it is an operation: begun, changed and ended within one call, a few frames deep. */
    private boolean detached;

    /** Where the root will be once this commits; 0: where it is. */
    private long newRoot;

    private long newRootSize;

    LaneTransaction(PoolEngine engine, Lane lane, int laneIndex) {
        this.engine = engine;
        this.memory = engine.memory();
        this.heapStart = new Descriptor(memory).heapOffset();
        this.laneIndex = laneIndex;
        this.undo = lane.undo();
        this.redo = lane.external();
        this.objects = new ObjectAccess(this, engine, undo);
        this.allocations = new Allocations(engine.heap());
        this.sent = engine.newSentRecord();
        this.pipeline = new CommitPipeline(this, engine);
        this.stages = new TransactionStages(this, pipeline);
        this.nonAtomicStore = new NonAtomicStore(engine, sent);
    }

    NonAtomicStore nonAtomicStore() {
        return nonAtomicStore;
    }

    CommitPipeline pipeline() {
        return pipeline;
    }

    /** The record of this lane that is on its way to the replicas. */
    SentRecord sent() {
        return sent;
    }

    PoolMemory memory() {
        return memory;
    }

    /** How this transaction reads and changes objects. */
    public ObjectAccess objects() {
        return objects;
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

    /** What the API attached to this lane, null at first. */
    public Object faces() {
        return faces;
    }

    public void setFaces(Object newFaces) {
        faces = newFaces;
    }

    /** It is a transaction of typed objects, until it ends. */
    void setTyped() {
        typed = true;
    }

    boolean isTyped() {
        return typed;
    }

    // ---- stages ----

    /** Its stages and levels. */
    public TransactionStages stages() {
        return stages;
    }

    /**
     * Begins an operation of its own, inside {@code outer} if the thread has that under way: ending
     * that one in either way changes nothing of this one.
     */
    void beginDetached(LaneTransaction outer) {
        stages.begin();
        around = outer;
        detached = true;
    }

    /** The level that was begun last and not ended; 1 is the outermost. */
    public int level() {
        return stages.level();
    }

    /** As {@link #commit(int)}, the innermost level. */
    public void commit() {
        stages.endLevel(stages.level());
    }

    /**
     * Leaves a level; the outermost commits. When this throws, {@link #abort(int, Throwable)} must
     * follow, as when anything else between {@link PoolEngine#begin} and this throws.
     *
     * @throws TransactionAbortedException when it was aborted before
     */
    public void commit(int level) {
        stages.endLevel(level);
    }

    /** As {@link #abort(int, Throwable)}, the innermost level. */
    public void abort(Throwable cause) {
        abort(INNERMOST, cause);
    }

    /**
     * Leaves a level, if that was not done, because {@code cause} left it; nothing can commit then.
     * It needs no memory, and its stack was asked for as the transaction began; what an error ends
     * half done all the same is tried once more, and if that fails, too, the pool is left to
     * recovery.
     *
     * @throws FarheapException only where {@code cause} says that a page of a file could not be
     *     reached, and one of the pool's was cut off: in its place
     */
    public void abort(int level, Throwable cause) {
        FarheapException loss = null;
        try {
            loss = memory.cutOff(cause);
        } finally {
            abortLevel(level, loss == null ? cause : loss); // whatever ends the look at the files
        }
        if (loss != null) {
            throw loss;
        }
    }

    /** See {@link PoolMemory#lost}. */
    public FarheapException lost(InternalError error) {
        return memory.lost(error);
    }

    /** Ends the pool where a file of it was cut off. */
    public void requireWhole() {
        memory.requireAllWhole();
    }

    private void abortLevel(int level, Throwable cause) {
        try {
            stages.endLevel(level, cause);
        } catch (Throwable cut) {
            try {
                stages.endLevel(level, cause);
            } catch (Throwable again) {
                abandon(again);
            }
        }
    }

    private void abandon(Throwable failure) {
        engine.cutShort(failure);
        abandoned = true;
        if (threadLanes != null) {
            threadLanes.current = null;
        }
    }

    /** It is durable or rolled back: what it knew of objects is of no use any more. */
    void settled() {
        objects.clear();
        words.clear();
        setWords = 0;
        newRoot = 0;
        undo.setGrowing(true);
        redo.setGrowing(true);
    }

    /** Whether nobody could end it: recovery will, when the pool is opened again. */
    boolean isAbandoned() {
        return abandoned;
    }

    /** Gives up its locks; after an {@link Error} the same call goes on with what is left. */
    void releaseLocks() {
        locks.release();
    }

    /** Gives up the lane; after an {@link Error} once more. */
    void ended() {
        around = null;
        detached = false;
        typed = false;
        engine.ended(this);
    }

    /** Whether one of its logs may take memory of the heap; yes again for the next one. */
    public void setLogGrowing(LogType log, boolean growing) {
        checkUsable();
        switch (log) {
            case SNAPSHOT -> undo.setGrowing(growing);
            case INTENT -> redo.setGrowing(growing);
        }
    }

    /** Refuses any thread but the one that began it, and any stage but WORK. */
    public void checkUsable() {
        stages.checkUsable();
    }

    /**
     * Takes a lock and holds it until the commit is acknowledged or everything is rolled back;
     * again: nothing.
     *
     * @throws FarheapException ENVIRONMENT when another one holds it for longer than the bound, or
     *     the thread is interrupted while it waits
     */
    public void lock(Lock lock) {
        checkUsable();
        locks.take(lock, engine.settings().lockTimeout());
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
        return allocate(
                size, typeNumber, zeroed ? AllocationOptions.ZEROED : AllocationOptions.DEFAULT);
    }

    /** As {@link #allocate(long, long, boolean)}, where and how the options say. */
    public long allocate(long size, long typeNumber, AllocationOptions options) {
        try {
            return allocate(size, typeNumber, 0, options);
        } catch (RuntimeException failure) {
            throw options.noAbort() ? failure : stages.failed(failure);
        }
    }

    /** A zeroed object that is no user's: in a full heap it takes the place of a larger one. */
    public long allocateOwn(long size, long typeNumber) {
        try {
            return allocate(size, typeNumber, Heap.ANY_UNIT, AllocationOptions.ZEROED);
        } catch (RuntimeException failure) {
            throw stages.failed(failure);
        }
    }

    private long allocate(long size, long typeNumber, int objectFlags, AllocationOptions options) {
        checkUsable();
        if (size <= 0) {
            throw FarheapException.wrongUse("An object needs at least 1 byte, not %s.", size);
        }
        if (!typed) {
            engine.refuseTypedNumber(typeNumber);
        }
        requireStack();
        stages.changing();
        long object;
        try {
            reserveWords(1);
            int index = allocations.reserve(size, typeNumber, objectFlags, options);
            object = touchFresh(index);
            if (options.zeroed()) {
                memory.fill(object, allocations.reservation(index).usableSize(), (byte) 0);
            }
        } catch (FarheapException refused) {
            stages.changed();
            throw refused;
        }
        stages.changed();
        return object;
    }

    /**
     * A transaction's next change may come from deeper than its begin, an operation's comes from
     * where {@link PoolEngine#operation} has asked just now, for that and for its end.
     */
    private void requireStack() {
        if (!detached) {
            StackReserve.require();
        }
    }

    private long touchFresh(int index) {
        long object = allocations.reservation(index).userOffset();
        long usable = allocations.reservation(index).usableSize();
        objects.fresh(object, usable, index);
        return object;
    }

    /**
     * Takes over an object that was reserved outside transactions: it exists when this commits, and
     * is cancelled when this aborts.
     *
     * @return a reservation that is not in use, for the giver to go on with
     * @throws FarheapException ENVIRONMENT when the log has no room; the giver keeps it then
     */
    Reservation adopt(Reservation reservation, boolean flushed) {
        checkUsable();
        makeRoom(1);
        stages.changing();
        Reservation unused = allocations.adopt(reservation, flushed);
        long object = touchFresh(allocations.reservedCount() - 1);
        assert object == reservation.userOffset() : object;
        stages.changed();
        return unused;
    }

    /** Frees an object when the transaction commits; using it here afterwards is an error. */
    public void free(long object) {
        try {
            checkUsable();
            checkUnheld(object);
            freeAny(object, false);
        } catch (RuntimeException failure) {
            throw stages.failed(failure);
        }
    }

    void checkFreeable(long object) {
        checkUnheld(object);
        engine.heap().refuseInternal(object);
    }

    private void checkUnheld(long object) {
        if (around != null && around.objects.isTouched(object)) {
            throw FarheapException.wrongUse(
                    "The object at 0x%s was changed by the transaction under way; free it"
                            + " there, or after its end.",
                    Long.toHexString(object));
        }
        if (object == rootOffset()) {
            throw FarheapException.wrongUse(
                    "The root object can't be freed; free what hangs from it and reset the"
                            + " fields.");
        }
    }

    private void freeAny(long object, boolean internal) {
        requireStack();
        stages.changing();
        try {
            int reservation = objects.reservation(object);
            if (reservation >= 0) {
                allocations.cancel(reservation);
            } else {
                reserveWords(1);
                allocations.free(object, internal);
            }
            objects.freed(object);
        } catch (FarheapException refused) {
            stages.changed();
            throw refused;
        }
        stages.changed();
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
        long oldSize = checkMovable(object);
        long moved = allocate(size, typeNumber, false);
        long newSize = usableSize(moved);
        long kept = Math.min(oldSize, newSize);
        objects.read(object, 0, memory.image(), moved, kept);
        if (zeroed && newSize > kept) {
            memory.fill(moved + kept, newSize - kept, (byte) 0);
        }
        free(object);
        return moved;
    }

    /**
     * Refuses what can't be freed, before anything is allocated for it: a transaction that goes on
     * would keep the new object.
     *
     * @return its usable bytes
     */
    private long checkMovable(long object) {
        try {
            checkFreeable(object);
            objects.checkChangeable(object);
            long size = usableSize(object);
            refuseWordsOf(object, size);
            makeRoom(objects.reservation(object) >= 0 ? 1 : 2);
            return size;
        } catch (RuntimeException failure) {
            throw stages.failed(failure);
        }
    }

    /** Words are set where they were meant to be, and what moves would be without them. */
    private void refuseWordsOf(long object, long size) {
        if (words.changesWithin(object, object + size)) {
            throw FarheapException.wrongUse(
                    "The object at 0x%s can't move: actions that this transaction took set words of"
                            + " it with the commit; move it before that, or after the end.",
                    Long.toHexString(object));
        }
    }

    /** Where the root object is for this transaction; 0 when there is none. */
    public long rootOffset() {
        return newRoot != 0 ? newRoot : engine.root().offset();
    }

    /**
     * Makes or grows the root (docs/format.md#structures-in-objects): the caller holds the root's
     * lock.
     */
    long growRoot(Descriptor descriptor, long size) {
        long old = rootOffset();
        long oldSize = newRoot != 0 ? newRootSize : descriptor.rootSize();
        if (old != 0 && size <= oldSize) {
            return old;
        }
        if (size == 0) {
            throw FarheapException.wrongUse("The pool has no root object yet; give its size.");
        }
        if (old != 0) {
            refuseWordsOf(old, usableSize(old));
        }
        long root = allocate(size, 0, Heap.INTERNAL | Heap.ANY_UNIT, AllocationOptions.ZEROED);
        if (old != 0) {
            objects.read(old, 0, memory.image(), root, Math.min(usableSize(old), usableSize(root)));
            freeAny(old, true);
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
     * @throws FarheapException WRONG_USE when no object can be there, or when the transaction in
     *     whose middle this runs saved the word in its undo log, or will store into it or set it:
     *     its roll-back, or its commit, would undo what this made durable
     */
    public void setWord(long offset, long value) {
        checkUsable();
        checkWordOffset(offset);
        if (offset < heapStart) {
            throw FarheapException.wrongUse(
                    "The word at 0x%s can't be set: it lies before the heap, where no object is.",
                    Long.toHexString(offset));
        }
        if (around != null && around.objects.changesWord(offset)) {
            throw FarheapException.wrongUse(
                    "The word at 0x%s was changed by the transaction under way, buffered,"
                            + " in place or by actions; set it there, or after its end.",
                    Long.toHexString(offset));
        }
        addWord(offset, value);
    }

    /** Refuses an image offset that no word of a redo log can have. */
    static void checkWordOffset(long offset) {
        if ((offset & (Long.BYTES - 1)) != 0) {
            throw FarheapException.wrongUse(
                    "The word at 0x%s can't be set in one atomic step: its offset must be"
                            + " a multiple of 8.",
                    Long.toHexString(offset));
        }
    }

    private void addWord(long offset, long value) {
        makeRoom(1);
        stages.changing();
        words.set(offset, value);
        setWords++;
        stages.changed();
    }

    /** Makes room in the log for so many allocations, frees and words more. */
    void makeRoom(int more) {
        if (redo.hasRoom(actions() + more)) {
            return;
        }
        requireStack();
        stages.changing();
        try {
            reserveWords(more);
        } catch (FarheapException refused) {
            stages.changed();
            throw refused;
        }
        stages.changed();
    }

    private void reserveWords(int more) {
        if (!redo.hasRoom(actions() + more)) {
            allocations.mergeFrees();
            redo.reserve(actions() + more);
        }
    }

    /** Whether words besides the allocator's are among those to be set. */
    boolean setsWords() {
        return setWords > 0;
    }

    private int actions() {
        return allocations.actions() + setWords + 1;
    }

    /** Usable bytes of an object. */
    public long usableSize(long object) {
        checkUsable();
        return objects.usableSize(object);
    }

    /** Whether this transaction freed the object. */
    public boolean isFreedHere(long object) {
        return objects.isFreed(object);
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
}
