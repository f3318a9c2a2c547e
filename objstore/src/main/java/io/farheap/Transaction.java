package io.farheap;

import io.farheap.base.AllocationOptions;
import io.farheap.base.Errno;
import io.farheap.base.FailureBehavior;
import io.farheap.base.FarheapException;
import io.farheap.base.LogType;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.engine.CStrings;
import io.farheap.engine.LaneTransaction;
import io.farheap.engine.ObjectAccess;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.PoolReferences;
import io.farheap.engine.Scratch;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.NewObjects;
import io.farheap.pmemobj.PoolFaces;
import io.farheap.pmemobj.SnapshotOption;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.Function;
import net.openhft.chronicle.bytes.Bytes;

/**
 * All changes made here happen together, when the outermost {@link ObjectPool#transaction} returns,
 * durable here and on every replica that must have them; or none does, when an exception leaves it.
 *
 * <p>Two styles, one per object and transaction (mixing them throws): <b>buffered</b> set and write
 * calls, whose values stay in DRAM until the commit; and <b>in place</b>, {@link #snapshot} and
 * stores into the segment it returns, as C programs do. Objects allocated here take both. Every
 * read through the transaction sees its own writes.
 *
 * <p>Objects are named by {@link Ref}; on hot paths {@link #raw} takes their bare offsets, and
 * allocates nothing. Offsets inside an object and lengths are bytes; integers are little-endian at
 * any alignment. A reference that is null, of another pool, freed, or a range outside the object,
 * is a {@link FarheapException} WRONG_USE.
 *
 * <p>A call that changes something and fails aborts the transaction, also when its exception is
 * caught inside, as in libpmemobj; {@link FailureBehavior#RETURN} lets it go on. Nested ones are
 * flat: only the outermost commits, and an abort in any aborts all.
 *
 * <p>Belongs to the thread that began it, platform or virtual, and ends with the lambda: later use
 * is refused. The objects themselves are used again, to make no garbage: not before the lane has
 * had another {@value Faces#MOST} transactions, and never again once a late use of it was refused;
 * not at all with {@link PoolOptions#freshTransactions}.
 */
public final class Transaction implements ObjectReads {
    private final LaneTransaction lane;
    private final ObjectAccess objects;
    private final PoolEngine engine;
    private final long poolId;
    private final RawTransaction raw;

    /** Whether it is the face of the lane's latest transaction; faces are used again, see below. */
    private boolean latest;

    /** Whether somebody used it when it was not. */
    private volatile boolean kept;

    Transaction(LaneTransaction lane, PoolEngine engine, long poolId) {
        this.lane = lane;
        this.objects = lane.objects();
        this.engine = engine;
        this.poolId = poolId;
        this.raw = new RawTransaction(this);
    }

    /**
     * The faces of one lane, used in turn: what a program keeps of a transaction that has ended
     * must not act on the lane's next one, and a new object for each would be garbage. One that was
     * used late is known to be kept, and is not used again.
     */
    static final class Faces {
        static final int MOST = 1023;

        /** What constructors on this lane are given. */
        final NewObjects newObjects;

        private final boolean fresh;

        private final Transaction[] faces;
        private int at;
        private long number;

        /**
         * @param fresh whether none is used twice
         */
        Faces(NewObjects newObjects, boolean fresh) {
            this.newObjects = newObjects;
            this.fresh = fresh;
            this.faces = new Transaction[fresh ? 1 : MOST + 1];
        }

        /** The face of the transaction that the lane has under way. */
        Transaction of(LaneTransaction lane, PoolEngine engine, long poolId) {
            Transaction face = faces[at];
            if (face != null && number == lane.stages().number()) {
                return face;
            }
            if (face != null) {
                face.latest = false;
            }
            number = lane.stages().number();
            at = (at + 1) % faces.length;
            face = faces[at];
            if (face == null || face.kept || fresh) {
                face = new Transaction(lane, engine, poolId);
                faces[at] = face;
            }
            face.latest = true;
            return face;
        }
    }

    LaneTransaction lane() {
        if (!latest) {
            kept = true;
            throw FarheapException.wrongUse(
                    "The transaction has ended; its object is valid inside the lambda, or"
                            + " until end(), only.");
        }
        return lane;
    }

    ObjectAccess access() {
        LaneTransaction unused = lane();
        return objects;
    }

    /** The same transaction for objects that are named by bare offsets; allocates nothing. */
    @Override
    public RawTransaction raw() {
        return raw;
    }

    long poolId() {
        return poolId;
    }

    // ---- allocation ----

    /**
     * Allocates an object; its content is undefined until written.
     *
     * @param size usable bytes wanted, at least 1; the object may have more
     * @param typeNumber what {@link ObjectPool#objects(long)} finds it by
     * @throws FarheapException ENVIRONMENT when the pool is full
     */
    public Ref allocate(long size, long typeNumber) {
        return ref(lane().allocate(size, typeNumber, false));
    }

    /** As {@link #allocate}, with all usable bytes 0. */
    public Ref allocateZeroed(long size, long typeNumber) {
        return ref(lane().allocate(size, typeNumber, true));
    }

    /** As {@link #allocate}, where and how the options say. */
    public Ref allocate(long size, long typeNumber, AllocationOptions options) {
        Objects.requireNonNull(options, "options");
        return ref(lane().allocate(size, typeNumber, options));
    }

    /**
     * Moves an object into a block for {@code size} bytes; what fits of the content goes along, the
     * rest is undefined. References to the old place are dead.
     *
     * @param object {@link Ref#NULL} allocates
     * @param size 0 frees and returns {@link Ref#NULL}
     */
    public Ref reallocate(Ref object, long size, long typeNumber) {
        return ref(lane().reallocate(changedOrNull(object), size, typeNumber, false));
    }

    /** As {@link #reallocate}; what is new of the object is 0. */
    public Ref reallocateZeroed(Ref object, long size, long typeNumber) {
        return ref(lane().reallocate(changedOrNull(object), size, typeNumber, true));
    }

    /**
     * Frees an object with the commit; null does nothing. Using it afterwards here is an error. Of
     * an object that this transaction allocated the space is free at once, unless the transaction
     * was given a segment of it or has actions that set its words: then at the end.
     */
    public void free(Ref object) {
        long offset = changedOrNull(object);
        if (offset != 0) {
            lane().free(offset);
        }
    }

    /**
     * Makes prepared actions part of this transaction: they happen with its commit and are
     * cancelled by its abort. Objects reserved there can be used here as those allocated here; a
     * value set there is seen after the commit only. When this throws, none of them became part of
     * it, and it is aborted unless its {@link FailureBehavior} says otherwise.
     */
    public void publish(Actions actions) {
        Objects.requireNonNull(actions, "actions");
        try {
            PoolFaces.publish(actions, lane(), poolId);
        } catch (RuntimeException failure) {
            throw lane().stages().failed(failure);
        }
    }

    /**
     * As {@link #publish(Actions)}; {@code onFailure} is for this call (POBJ_XPUBLISH_NO_ABORT).
     */
    public void publish(Actions actions, FailureBehavior onFailure) {
        Objects.requireNonNull(actions, "actions");
        Objects.requireNonNull(onFailure, "onFailure");
        failing(onFailure, () -> publish(actions));
    }

    /** As {@link #free(Ref)}; {@code onFailure} is for this call alone (POBJ_XFREE_NO_ABORT). */
    public void free(Ref object, FailureBehavior onFailure) {
        Objects.requireNonNull(onFailure, "onFailure");
        failing(onFailure, () -> free(object));
    }

    /**
     * Allocates a copy of a string as C programs keep it: UTF-8 and a zero byte (libpmemobj: {@code
     * pmemobj_tx_strdup}).
     *
     * @throws FarheapException WRONG_USE for null and for a string with a zero character
     */
    public Ref duplicate(String text, long typeNumber) {
        return duplicate(text, typeNumber, AllocationOptions.DEFAULT);
    }

    /** As {@link #duplicate(String, long)}, where and how the options say. */
    public Ref duplicate(String text, long typeNumber, AllocationOptions options) {
        Objects.requireNonNull(options, "options");
        return duplicate(text, CStrings::narrow, typeNumber, options);
    }

    /**
     * As {@link #duplicate(String, long)}, as a wchar_t string: 4 bytes a code point, and a zero.
     */
    public Ref duplicateWide(String text, long typeNumber) {
        return duplicateWide(text, typeNumber, AllocationOptions.DEFAULT);
    }

    /** As {@link #duplicateWide(String, long)}, where and how the options say. */
    public Ref duplicateWide(String text, long typeNumber, AllocationOptions options) {
        Objects.requireNonNull(options, "options");
        return duplicate(text, CStrings::wide, typeNumber, options);
    }

    private Ref duplicate(
            String text,
            Function<String, byte[]> encoding,
            long typeNumber,
            AllocationOptions options) {
        byte[] bytes;
        try {
            bytes = encoding.apply(text);
        } catch (FarheapException failure) {
            throw options.noAbort() ? failure : lane().stages().failed(failure);
        }
        Ref copy = allocate(bytes.length, typeNumber, options);
        writeBytes(copy, 0, bytes);
        return copy;
    }

    @Override
    public long usableSize(Ref object) {
        return lane().usableSize(offset(object));
    }

    /** The root object as this transaction sees it; {@link Ref#NULL} when there is none. */
    @Override
    public Ref root() {
        lane().checkUsable();
        return ref(lane().rootOffset());
    }

    /**
     * The objects of the pool as this transaction sees them: without those it freed, then those it
     * allocated. Others may come and go while it iterates.
     */
    @Override
    public Iterable<Ref> objects() {
        return () -> TransactionObjects.all(lane(), engine.heap(), poolId);
    }

    /** As {@link #objects()}, of one type number. */
    @Override
    public Iterable<Ref> objects(long typeNumber) {
        return () -> TransactionObjects.ofType(lane(), engine.heap(), poolId, typeNumber);
    }

    // ---- buffered values ----

    /** Sets a field of 8 bytes. */
    public void setLong(Ref object, long offset, long value) {
        access().setLong(changed(object), offset, value);
    }

    /** Sets a field of 4 bytes. */
    public void setInt(Ref object, long offset, int value) {
        access().setInt(changed(object), offset, value);
    }

    /** Sets a field of 2 bytes. */
    public void setShort(Ref object, long offset, short value) {
        access().setShort(changed(object), offset, value);
    }

    /** Sets a field of one byte. */
    public void setByte(Ref object, long offset, byte value) {
        access().setByte(changed(object), offset, value);
    }

    /** Sets a field of 2 bytes. */
    public void setChar(Ref object, long offset, char value) {
        access().setShort(changed(object), offset, (short) value);
    }

    /** Sets a field of one byte. */
    public void setBoolean(Ref object, long offset, boolean value) {
        access().setByte(changed(object), offset, (byte) (value ? 1 : 0));
    }

    /** Sets a field of 4 bytes. */
    public void setFloat(Ref object, long offset, float value) {
        access().setInt(changed(object), offset, Float.floatToRawIntBits(value));
    }

    /** Sets a field of 8 bytes. */
    public void setDouble(Ref object, long offset, double value) {
        access().setLong(changed(object), offset, Double.doubleToRawLongBits(value));
    }

    /** Stores a reference, {@value Ref#BYTES} bytes; null clears it. */
    public void setRef(Ref object, long offset, Ref value) {
        raw.setRef(changed(object), offset, changedOrNull(value));
    }

    /** Writes the whole of {@code value}. */
    public void writeBytes(Ref object, long offset, byte[] value) {
        Objects.requireNonNull(value, "value");
        access().write(changed(object), offset, MemorySegment.ofArray(value), 0, value.length);
    }

    /** Writes the whole of {@code value}. */
    public void writeBytes(Ref object, long offset, MemorySegment value) {
        Objects.requireNonNull(value, "value");
        access().write(changed(object), offset, value, 0, value.byteSize());
    }

    /**
     * Writes a payload at the start of an object: what the lambda appends to the empty Bytes, up to
     * its write position. They belong to this call: keeping them is an error.
     */
    public void write(Ref object, Consumer<Bytes<?>> payload) {
        write(object, 0, payload);
    }

    /** As {@link #write(Ref, Consumer)}, from {@code offset} on to at most the object's end. */
    public void write(Ref object, long offset, Consumer<Bytes<?>> payload) {
        Objects.requireNonNull(payload, "payload");
        long target = changed(object);
        long room = room(object, offset);
        Scratch scratch = engine.scratches().take();
        try {
            long length = filled(scratch, target, offset, room, payload);
            access().write(target, offset, scratch.segment(), 0, length);
        } finally {
            engine.scratches().put(scratch);
        }
    }

    private long filled(
            Scratch scratch, long object, long offset, long room, Consumer<Bytes<?>> payload) {
        try {
            return scratch.fill(object, offset, room, payload);
        } catch (FarheapException failure) {
            throw lane().stages().failed(failure);
        }
    }

    /** Makes every byte of a range {@code value} (libpmemobj: TX_MEMSET). */
    public void fill(Ref object, long offset, long length, byte value) {
        access().fill(changed(object), offset, length, value);
    }

    /** Copies bytes between objects, or inside one; the ranges may overlap. */
    public void copy(Ref from, long fromOffset, Ref to, long toOffset, long length) {
        long source = changed(from);
        long target = changed(to);
        checkChanged(source, fromOffset, length);
        checkChanged(target, toOffset, length);
        Scratch scratch = engine.scratches().take();
        try {
            scratch.prepare(length);
            access().read(source, fromOffset, scratch.segment(), 0, length);
            access().write(target, toOffset, scratch.segment(), 0, length);
        } finally {
            engine.scratches().put(scratch);
        }
    }

    // ---- reads ----

    @Override
    public long getLong(Ref object, long offset) {
        return access().getLong(offset(object), offset);
    }

    @Override
    public int getInt(Ref object, long offset) {
        return access().getInt(offset(object), offset);
    }

    @Override
    public short getShort(Ref object, long offset) {
        return access().getShort(offset(object), offset);
    }

    @Override
    public byte getByte(Ref object, long offset) {
        return access().getByte(offset(object), offset);
    }

    @Override
    public Ref getRef(Ref object, long offset) {
        long holder = offset(object);
        access().checkReadable(holder, offset, Ref.BYTES);
        long target = access().getLong(holder, offset + Long.BYTES);
        return target == 0 ? Ref.NULL : new Ref(access().getLong(holder, offset), target);
    }

    @Override
    public byte[] readBytes(Ref object, long offset, int length) {
        access().checkReadable(offset(object), offset, length);
        byte[] value = new byte[length];
        access().read(offset(object), offset, MemorySegment.ofArray(value), 0, length);
        return value;
    }

    @Override
    public <T> T read(Ref object, Function<Bytes<?>, T> payload) {
        return read(object, 0, usableSize(object), payload);
    }

    @Override
    public <T> T read(Ref object, long offset, long length, Function<Bytes<?>, T> payload) {
        Objects.requireNonNull(payload, "payload");
        long source = offset(object);
        access().checkReadable(source, offset, length);
        Scratch scratch = engine.scratches().take();
        try {
            scratch.prepare(length);
            access().read(source, offset, scratch.segment(), 0, length);
            return payload.apply(scratch.forReading());
        } finally {
            engine.scratches().put(scratch);
        }
    }

    // ---- in place ----

    /**
     * Saves a range of an object in the undo log, durably, and returns it to be stored into until
     * the transaction ends; after that the segment is dead. Costs a fence, except for what was
     * saved or allocated in this transaction before. An abort puts the saved bytes back.
     */
    public MemorySegment snapshot(Ref object, long offset, long length) {
        try {
            return access().snapshot(offset(object), offset, length);
        } catch (RuntimeException failure) {
            throw lane().stages().failed(failure);
        }
    }

    /** As {@link #snapshot(Ref, long, long)}, with libpmemobj's XADD flags. */
    public MemorySegment snapshot(Ref object, long offset, long length, SnapshotOption... options) {
        Objects.requireNonNull(options, "options");
        boolean saved = !SnapshotOption.NO_SNAPSHOT.isIn(options);
        boolean flushed = !SnapshotOption.NO_FLUSH.isIn(options);
        try {
            return access().inPlace(offset(object), offset, length, saved, flushed);
        } catch (RuntimeException failure) {
            throw SnapshotOption.NO_ABORT.isIn(options) ? failure : lane().stages().failed(failure);
        }
    }

    // ---- life ----

    /** Takes a lock until the commit is acknowledged or rolled back; again: nothing. Bounded. */
    public void lock(TransactionLock lock) {
        Objects.requireNonNull(lock, "lock");
        lane().lock(lock.lock);
    }

    /**
     * As {@link #lock(TransactionLock)}, a lock that lies in the pool, or any other: from now on it
     * is the transaction's, which gives it back at its outermost end. Failing to get it aborts
     * nothing.
     */
    public void lock(Lock lock) {
        Objects.requireNonNull(lock, "lock");
        lane().lock(lock);
    }

    /** As {@link #lock(Lock)}; {@code onFailure} says whether failing to get it aborts. */
    public void lock(Lock lock, FailureBehavior onFailure) {
        Objects.requireNonNull(lock, "lock");
        Objects.requireNonNull(onFailure, "onFailure");
        failing(
                onFailure,
                () -> {
                    try {
                        lane().lock(lock);
                    } catch (RuntimeException failure) {
                        throw lane().stages().failed(failure);
                    }
                });
    }

    /** As {@link #abort(int)}, with {@link Errno#ECANCELED}. */
    public TransactionAbortedException abort() {
        throw abort(Errno.ECANCELED);
    }

    /**
     * Gives everything up, of the outer transactions of this thread too, also when the exception is
     * caught inside. Never returns: {@code throw tx.abort()} lets the compiler know.
     *
     * @param code what the transaction ends with; 0 becomes {@link Errno#ECANCELED}
     */
    public TransactionAbortedException abort(int code) {
        TransactionAbortedException aborted =
                new TransactionAbortedException(
                        "The transaction was aborted by its own code.", code);
        lane().stages().abort(aborted);
        throw aborted;
    }

    /** What a failing call does to this level: {@link FailureBehavior#ABORT} unless set. */
    public FailureBehavior failureBehavior() {
        lane().checkUsable();
        return lane().stages().failureBehavior();
    }

    /** For the innermost level, and for those begun inside it from now on. */
    public void setFailureBehavior(FailureBehavior behavior) {
        Objects.requireNonNull(behavior, "behavior");
        lane().stages().setFailureBehavior(behavior);
    }

    /**
     * Whether a log may take memory of the pool when the lane's own space is full; on in a new
     * transaction (libpmemobj: {@code pmemobj_tx_log_auto_alloc}). Off, the call that needs more,
     * or the commit, fails with ENVIRONMENT.
     */
    public void setLogAutoAllocation(LogType log, boolean on) {
        Objects.requireNonNull(log, "log");
        lane().setLogGrowing(log, on);
    }

    /** What {@link #setUserData} was given last, in any level; null in a new transaction. */
    public Object userData() {
        return lane().stages().userData();
    }

    /** Keeps an object of the program, volatile, until the outermost end. */
    public void setUserData(Object data) {
        lane().stages().setUserData(data);
    }

    private void failing(FailureBehavior onFailure, Runnable call) {
        FailureBehavior before = lane().stages().override(onFailure);
        try {
            call.run();
        } finally {
            lane().stages().restore(before);
        }
    }

    private long room(Ref object, long offset) {
        checkChanged(object.offset(), offset, 0);
        return usableSize(object) - offset;
    }

    /** Checks a range for a call that changes something: a wrong one is that call's failure. */
    void checkChanged(long object, long offset, long length) {
        try {
            access().checkReadable(object, offset, length);
        } catch (FarheapException failure) {
            throw lane().stages().failed(failure);
        }
    }

    private Ref ref(long offset) {
        return offset == 0 ? Ref.NULL : new Ref(poolId, offset);
    }

    private long offset(Ref object) {
        return PoolReferences.offset(object, poolId);
    }

    /** As {@link #offset}, for calls that change something: a wrong reference is their failure. */
    private long changed(Ref object) {
        try {
            return offset(object);
        } catch (FarheapException failure) {
            throw lane().stages().failed(failure);
        }
    }

    private long changedOrNull(Ref object) {
        try {
            return nullable(object);
        } catch (FarheapException failure) {
            throw lane().stages().failed(failure);
        }
    }

    private long nullable(Ref object) {
        return PoolReferences.nullable(object, poolId);
    }
}
