package io.farheap.objects.transaction;

import io.farheap.base.FarheapException;
import io.farheap.base.TransactionConflictException;
import io.farheap.engine.LaneTransaction;
import io.farheap.engine.ObjectAccess;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * What a transaction keeps besides its snapshot: the lane that it claims when it first writes, what
 * it read, what it changes. Used again by its thread; not thread-safe.
 *
 * <p>Each read is checked as it happens, so the body never acts on bytes of two moments: it sees
 * the heap as of the snapshot, or the conflict.
 */
final class HeapWriter {
    private final HeapState heap;
    private final Stripes stripes;

    /** With the object for which each was read. */
    final StripeSet reads = new StripeSet();

    final WrittenUnits written = new WrittenUnits();

    /** Older objects that the commit frees, each with its range. */
    final WrittenUnits freed = new WrittenUnits();

    /** Objects that were made nothing here, those that were allocated here, too. */
    final WrittenUnits deleted = new WrittenUnits();

    /** While it commits: what it locked, with the words from before. */
    final StripeSet locked = new StripeSet();

    final OldBytesOfCommit oldBytes = new OldBytesOfCommit();

    private LaneTransaction lane;
    private ObjectAccess objects;

    /** What was allocated here last and not freed: most stores are to it; 0 for none. */
    private long newest;

    private int level;
    private long snapshot;

    /** The object for which it met a conflict, and that object's stripe; -1: it met none. */
    private long conflictObject;

    private int conflictStripe = -1;

    /** Stores, allocations and frees up to now. */
    private long changes;

    /** What ended a change in its middle: nothing may be committed; null for none. */
    private Throwable broken;

    HeapWriter(HeapState heap) {
        this.heap = heap;
        this.stripes = heap.stripes;
    }

    void begin(long newSnapshot) {
        snapshot = newSnapshot;
        conflictStripe = -1;
        broken = null;
    }

    /** Forgets everything; the lane is given back already. */
    void clear() {
        reads.clear();
        written.clear();
        freed.clear();
        deleted.clear();
        newest = 0;
        lane = null;
        objects = null;
    }

    long snapshot() {
        return snapshot;
    }

    boolean hasLane() {
        return lane != null;
    }

    /** The lane, claimed now if it was not. */
    LaneTransaction lane() {
        if (lane == null) {
            LaneTransaction claimed = heap.engine.beginTyped();
            level = claimed.level();
            objects = claimed.objects();
            lane = claimed;
        }
        return lane;
    }

    void commitLane() {
        lane.commit(level);
    }

    /** Rolls back and gives up the lane, if there is one. */
    void abortLane(Throwable cause) {
        LaneTransaction ended = lane;
        lane = null;
        if (ended != null) {
            ended.abort(level, cause);
        }
    }

    // ---- conflicts ----

    /** The object's stripe changed since the snapshot: nothing can come of this one. */
    void noteConflict(int stripe, long object) {
        conflictStripe = stripe;
        conflictObject = object;
    }

    private TransactionConflictException conflict(int stripe, long object) {
        noteConflict(stripe, object);
        return new TransactionConflictException();
    }

    boolean metConflict() {
        return conflictStripe >= 0;
    }

    int conflictStripe() {
        return conflictStripe;
    }

    long conflictObject() {
        return conflictObject;
    }

    /** Whether all that it read or will change is as its snapshot; a conflict is noted. */
    boolean isCurrent() {
        for (int i = 0; i < reads.size(); i++) {
            if (!isCurrent(reads.stripe(i))) {
                noteConflict(reads.stripe(i), reads.number(i));
                return false;
            }
        }
        for (int i = 0; i < written.size(); i++) {
            int stripe = Stripes.of(written.unit(i));
            if (!isCurrent(stripe)) {
                noteConflict(stripe, written.unit(i));
                return false;
            }
        }
        return true;
    }

    private boolean isCurrent(int stripe) {
        return Stripes.isReadable(stripes.word(stripe), snapshot) || locked.contains(stripe);
    }

    // ---- reads ----

    /** A number of the size of an object, its own new value included. */
    long load(long unit, long object, long offset, int size) {
        boolean touched = isTouched(object);
        if (touched && objects.isFresh(object)) {
            return Numbers.load(objects, object, offset, size);
        }
        int stripe = Stripes.of(unit);
        long word = stripes.word(stripe);
        if (Stripes.isReadable(word, snapshot)) {
            long value =
                    touched
                            ? Numbers.load(objects, object, offset, size)
                            : Numbers.load(heap.memory, object + offset, size);
            if (stripes.isUnchanged(stripe, word)) {
                reads.add(stripe, object);
                return value;
            }
        }
        throw conflict(stripe, object);
    }

    /** Copies a range that is in one unit, own new values included. */
    void read(long unit, long object, long offset, MemorySegment target, long at, long length) {
        boolean touched = isTouched(object);
        if (touched && objects.isFresh(object)) {
            objects.read(object, offset, target, at, length);
            return;
        }
        int stripe = Stripes.of(unit);
        long word = stripes.word(stripe);
        if (Stripes.isReadable(word, snapshot)) {
            if (touched) {
                objects.read(object, offset, target, at, length);
            } else {
                heap.memory.copyOut(object + offset, target, at, length);
            }
            if (stripes.isUnchanged(stripe, word)) {
                reads.add(stripe, object);
                return;
            }
        }
        throw conflict(stripe, object);
    }

    /** Usable bytes of an object, shared or not. */
    long usableSize(long object) {
        if (isTouched(object)) {
            long size = sizeInLane(object);
            if (!objects.isFresh(object)) {
                requireCurrent(object);
            }
            return size;
        }
        reads.add(Stripes.of(object), object);
        reads.add(Stripes.of(Stripes.unitOfLine(object)), object);
        requireCurrent(object);
        try {
            long size = heap.engine.usableSize(object);
            requireCurrent(object);
            return size;
        } catch (FarheapException unknown) {
            requireCurrent(object);
            throw noObject(object, unknown);
        }
    }

    private long sizeInLane(long object) {
        try {
            return lane.usableSize(object);
        } catch (FarheapException unknown) {
            requireCurrent(object);
            throw noObject(object, unknown);
        }
    }

    /**
     * What the allocator says is of now: who asked it looks afterwards whether that is of the
     * snapshot, too. Who frees an object has locked its unit or its lines before.
     */
    private void requireCurrent(long object) {
        VarHandle.loadLoadFence();
        int stripe = Stripes.of(object);
        if (!isCurrent(stripe) || !isCurrent(Stripes.of(Stripes.unitOfLine(object)))) {
            throw conflict(stripe, object);
        }
    }

    /** The allocator knows no object where something in the pool refers to one. */
    static FarheapException noObject(long object, FarheapException unknown) {
        return unknown.category() == FarheapException.Category.WRONG_USE
                ? FarheapException.badData(
                        unknown,
                        "Something refers to an object at 0x%x, and there is none: the pool is"
                                + " damaged (farheap check).",
                        object)
                : unknown;
    }

    /** Whether the lane has something of the object; refuses one that was freed here. */
    private boolean isTouched(long object) {
        requireGoing();
        if (freed.contains(object)) {
            throw FarheapException.wrongUse(
                    "The object at 0x%s was freed earlier in this transaction.",
                    Long.toHexString(object));
        }
        return lane != null && objects.isTouched(object);
    }

    /** A body that went on after a conflict meets it again; so does one after half a change. */
    private void requireGoing() {
        if (conflictStripe >= 0) {
            throw new TransactionConflictException();
        }
        requireWhole();
    }

    // ---- changes that must not stay in part ----

    long changes() {
        return changes;
    }

    /** A change ended in its middle: nothing of this transaction is of use any more. */
    void breakOff(Throwable cause) {
        if (broken == null) {
            broken = cause;
        }
    }

    /**
     * Refuses to go on, or to commit, after half a change.
     *
     * @throws FarheapException WRONG_USE
     */
    void requireWhole() {
        if (broken != null) {
            throw FarheapException.wrongUse(
                    broken,
                    "A change in this transaction failed in its middle (%s), so nothing of it can"
                            + " be committed; let the exception out of the transaction, and run it"
                            + " again without that change.",
                    broken.getMessage() == null ? broken : broken.getMessage());
        }
    }

    // ---- writes ----

    long allocate(long size, long typeNumber, boolean own) {
        LaneTransaction claimed = lane();
        changes++;
        newest = 0;
        long object =
                own
                        ? claimed.allocateOwn(size, typeNumber)
                        : claimed.allocate(size, typeNumber, true);
        if (freed.contains(object) || written.contains(object)) {
            // What is changed or freed here was freed by another one's commit: its place is used
            // again, and whatever is asked of it would be taken for that of the older object.
            throw conflict(Stripes.of(object), object);
        }
        if (isFreedSinceSnapshot(object) && !isCurrent()) {
            // Another one freed what had this place, and what led there may be in hand still.
            throw new TransactionConflictException();
        }
        newest = object;
        return newest;
    }

    private boolean isFreedSinceSnapshot(long object) {
        return !Stripes.isReadable(stripes.word(Stripes.of(object)), snapshot)
                || !Stripes.isReadable(
                        stripes.word(Stripes.of(Stripes.unitOfLine(object))), snapshot);
    }

    void store(long unit, long object, long offset, int size, long value) {
        if (!isFresh(object)) {
            change(unit, object, object + offset, object + offset + size);
        }
        try {
            Numbers.store(objects, object, offset, size, value);
        } catch (FarheapException refused) {
            throw refusedStore(unit, object, refused);
        }
    }

    /**
     * Another commit may have freed the object since its unit was looked at, and even have put a
     * smaller one in its place. Otherwise what led to an object that is none is damaged: no program
     * says where one is.
     */
    private RuntimeException refusedStore(long unit, long object, FarheapException refused) {
        VarHandle.loadLoadFence();
        int stripe = Stripes.of(unit);
        if (!isCurrent(stripe)) {
            return conflict(stripe, object);
        }
        long unused = sizeInLane(object);
        return refused;
    }

    void write(long object, long offset, MemorySegment source, long at, long length) {
        if (!isFresh(object)) {
            change(object, object, object + offset, object + offset + length);
        }
        writeInLane(object, object, offset, source, at, length);
    }

    void writeShared(long object, long offset, MemorySegment source, long at, long length) {
        if (!isFresh(object)) {
            changeLines(object, object + offset, object + offset + length);
        }
        writeInLane(Stripes.unitOfLine(object + offset), object, offset, source, at, length);
    }

    private void writeInLane(
            long unit, long object, long offset, MemorySegment source, long at, long length) {
        try {
            objects.write(object, offset, source, at, length);
        } catch (FarheapException refused) {
            throw refusedStore(unit, object, refused);
        }
    }

    /** Whether what is about to change was allocated here. */
    private boolean isFresh(long object) {
        LaneTransaction claimed = lane();
        changes++;
        if (object == newest && object != 0) {
            requireGoing();
            return true;
        }
        return isTouched(object) && claimed.objects().isFresh(object);
    }

    private void change(long unit, long object, long start, long end) {
        if (written.add(unit, start, end)) {
            int stripe = Stripes.of(unit);
            if (!Stripes.isReadable(stripes.word(stripe), snapshot)) {
                throw conflict(stripe, object);
            }
        }
    }

    private void changeLines(long object, long start, long end) {
        for (long from = start; from < end; from = (from & -Stripes.LINE) + Stripes.LINE) {
            long to = Math.min(end, (from & -Stripes.LINE) + Stripes.LINE);
            change(Stripes.unitOfLine(from), object, from, to);
        }
    }

    /**
     * Frees an object: a new one at once, an older one with the commit, when nobody else can be
     * about to.
     */
    void free(long object, boolean shared) {
        if (isFresh(object)) {
            newest = 0;
            lane.free(object);
            return;
        }
        long size = usableSize(object);
        if (shared) {
            changeLines(object, object, object + size);
        } else {
            change(object, object, object, object + size);
        }
        freed.add(object, object, object + size);
    }
}
