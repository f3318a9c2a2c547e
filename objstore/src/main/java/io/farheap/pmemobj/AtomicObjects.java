package io.farheap.pmemobj;

import io.farheap.base.AllocationOptions;
import io.farheap.base.Ref;
import io.farheap.engine.CStrings;
import io.farheap.engine.LaneTransaction;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.PoolReferences;
import java.util.Objects;
import java.util.function.Function;

/**
 * Allocation without a transaction: each call happens whole or not at all, and is durable, here and
 * on every replica, when it returns. Inside a transaction of the same thread it is independent of
 * that, as in libpmemobj: an abort does not take it back.
 *
 * <p>A destination ({@code holder} and {@code offset}: the field of an existing object where a
 * reference is kept, {@value Ref#BYTES} bytes, 8-byte aligned) is set in the same step, so that an
 * object is never without its reference nor the reference without its object. Without one, an
 * object that the program forgets can be found by {@link io.farheap.ObjectPool#objects()} only.
 *
 * <p>A call costs a redo log, not an undo log: two fences for an allocation, one for a free; with a
 * destination four and three. Holders and objects are named by {@link Ref}, or by the bare offset
 * where nothing must be allocated in the Java heap (holder 0: no destination). What the transaction
 * under way in this thread changed can't be freed or overwritten here: WRONG_USE. Thread-safe; two
 * threads that change one destination need a lock of their own.
 *
 * <p>All sizes are bytes, at least 1 and at most {@link io.farheap.heap.Heap#MAX_REQUEST}.
 * Exceptions: WRONG_USE as said, ENVIRONMENT when the pool is full, and what commits throw ({@link
 * io.farheap.ObjectPool#transaction}); nothing has happened then.
 */
public final class AtomicObjects {
    private static final AllocationOptions UNWRITTEN = AllocationOptions.DEFAULT.withoutFlush();

    private final PoolEngine engine;
    private final long poolId;
    private final Function<LaneTransaction, NewObjects> constructed;

    AtomicObjects(
            PoolEngine engine, long poolId, Function<LaneTransaction, NewObjects> constructed) {
        this.engine = engine;
        this.poolId = poolId;
        this.constructed = constructed;
    }

    // ---- allocate ----

    /** Allocates an object; its content is undefined, and may be another after a crash. */
    public Ref allocate(long size, long typeNumber) {
        return ref(make(0, 0, size, typeNumber, AllocationOptions.DEFAULT, null));
    }

    /** As {@link #allocate(long, long)}, with all usable bytes 0. */
    public Ref allocateZeroed(long size, long typeNumber) {
        return ref(make(0, 0, size, typeNumber, AllocationOptions.ZEROED, null));
    }

    /** As {@link #allocate(long, long)}, where and how the options say. */
    public Ref allocate(long size, long typeNumber, AllocationOptions options) {
        Objects.requireNonNull(options, "options");
        return ref(make(0, 0, size, typeNumber, options, null));
    }

    /** Allocates an object that exists with the content the constructor gives it. */
    public Ref allocate(long size, long typeNumber, ObjectConstructor constructor) {
        Objects.requireNonNull(constructor, "constructor");
        return ref(make(0, 0, size, typeNumber, AllocationOptions.DEFAULT, constructor));
    }

    /** As {@link #allocate(long, long, ObjectConstructor)}, where and how the options say. */
    public Ref allocate(
            long size, long typeNumber, AllocationOptions options, ObjectConstructor constructor) {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(constructor, "constructor");
        return ref(make(0, 0, size, typeNumber, options, constructor));
    }

    /** Allocates an object, content undefined, and sets the destination to it. */
    public Ref allocate(Ref holder, long offset, long size, long typeNumber) {
        return ref(make(offset(holder), offset, size, typeNumber, AllocationOptions.DEFAULT, null));
    }

    /** As {@link #allocate(Ref, long, long, long)}, with all usable bytes 0. */
    public Ref allocateZeroed(Ref holder, long offset, long size, long typeNumber) {
        return ref(make(offset(holder), offset, size, typeNumber, AllocationOptions.ZEROED, null));
    }

    /** Allocates an object with the constructor's content and sets the destination to it. */
    public Ref allocate(
            Ref holder, long offset, long size, long typeNumber, ObjectConstructor constructor) {
        return allocate(holder, offset, size, typeNumber, AllocationOptions.DEFAULT, constructor);
    }

    /**
     * As {@link #allocate(Ref, long, long, long, ObjectConstructor)}, where and how the options
     * say.
     */
    public Ref allocate(
            Ref holder,
            long offset,
            long size,
            long typeNumber,
            AllocationOptions options,
            ObjectConstructor constructor) {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(constructor, "constructor");
        return ref(make(offset(holder), offset, size, typeNumber, options, constructor));
    }

    /** As the others with bare offsets; {@code holder} 0: no destination. */
    public long allocateOffset(
            long holder, long offset, long size, long typeNumber, AllocationOptions options) {
        Objects.requireNonNull(options, "options");
        return make(holder, offset, size, typeNumber, options, null);
    }

    /** As the others with bare offsets; {@code holder} 0: no destination. */
    public long allocateOffset(
            long holder,
            long offset,
            long size,
            long typeNumber,
            AllocationOptions options,
            ObjectConstructor constructor) {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(constructor, "constructor");
        return make(holder, offset, size, typeNumber, options, constructor);
    }

    private long make(
            long holder,
            long offset,
            long size,
            long typeNumber,
            AllocationOptions options,
            ObjectConstructor constructor) {
        LaneTransaction lane = engine.operation();
        long object;
        try {
            checkDestination(lane, holder, offset);
            object = lane.allocate(size, typeNumber, constructor == null ? bare(options) : options);
            if (constructor != null) {
                construct(lane, object, constructor);
                recheckDestination(holder, offset);
            }
            setDestination(lane, holder, offset, object);
            lane.commit();
        } catch (Throwable failure) {
            lane.abort(failure);
            throw failure;
        }
        return object;
    }

    /** Undefined bytes are not written back: nobody stores to them before they can be seen. */
    private static AllocationOptions bare(AllocationOptions options) {
        if (options == AllocationOptions.DEFAULT) {
            return UNWRITTEN;
        }
        return options.zeroed() ? options : options.withoutFlush();
    }

    /** Has a constructor fill an object that the lane's transaction allocated. */
    void construct(LaneTransaction lane, long object, ObjectConstructor constructor) {
        NewObject fresh = constructed.apply(lane).next().begin(object);
        try {
            constructor.construct(fresh);
        } finally {
            fresh.end();
        }
    }

    // ---- reallocate ----

    /**
     * Moves the object that the destination refers to into a block for {@code size} bytes and sets
     * the destination to its new place. What fits of the content goes along, the rest is undefined;
     * its type number becomes {@code typeNumber}. An object that has exactly {@code size} usable
     * bytes stays as it is.
     *
     * @param size 0 frees the object and clears the destination
     * @return where the object is now; for a destination that was null a new object, all 0; {@link
     *     Ref#NULL} for size 0
     */
    public Ref reallocate(Ref holder, long offset, long size, long typeNumber) {
        return ref(move(offset(holder), offset, size, typeNumber, false));
    }

    /** As {@link #reallocate(Ref, long, long, long)}; what is new of the object is 0. */
    public Ref reallocateZeroed(Ref holder, long offset, long size, long typeNumber) {
        return ref(move(offset(holder), offset, size, typeNumber, true));
    }

    /**
     * As {@link #reallocate(Ref, long, long, long)} of an object whose references the caller keeps:
     * those to the old place are dead.
     */
    public Ref reallocate(Ref object, long size, long typeNumber) {
        return ref(move(0, 0, PoolReferences.nullable(object, poolId), size, typeNumber, false));
    }

    /** As {@link #reallocate(Ref, long, long)}; what is new of the object is 0. */
    public Ref reallocateZeroed(Ref object, long size, long typeNumber) {
        return ref(move(0, 0, PoolReferences.nullable(object, poolId), size, typeNumber, true));
    }

    /** As the others with bare offsets; the destination must be given. */
    public long reallocateOffset(
            long holder, long offset, long size, long typeNumber, boolean zeroed) {
        return move(holder, offset, size, typeNumber, zeroed);
    }

    private long move(long holder, long offset, long size, long typeNumber, boolean zeroed) {
        return move(holder, offset, destination(holder, offset), size, typeNumber, zeroed);
    }

    private long move(
            long holder, long offset, long object, long size, long typeNumber, boolean zeroed) {
        if (size == 0) {
            return object == 0 ? 0 : release(holder, offset, object);
        }
        if (object == 0) {
            return make(holder, offset, size, typeNumber, AllocationOptions.ZEROED, null);
        }
        if (usableSize(object) == size) {
            return object;
        }
        LaneTransaction lane = engine.operation();
        long moved;
        try {
            checkDestination(lane, holder, offset);
            moved = lane.reallocate(object, size, typeNumber, zeroed);
            if (holder != 0) {
                lane.setWord(holder + offset + Long.BYTES, moved);
            }
            lane.commit();
        } catch (Throwable failure) {
            lane.abort(failure);
            throw failure;
        }
        return moved;
    }

    // ---- free ----

    /** Frees an object; null does nothing. References to it are dead. */
    public void free(Ref object) {
        free(PoolReferences.nullable(object, poolId));
    }

    /** As {@link #free(Ref)} with the bare offset; 0 does nothing. */
    public void free(long object) {
        if (object != 0) {
            release(0, 0, object);
        }
    }

    /** Frees what the destination refers to and clears it; a null one does nothing. */
    public void free(Ref holder, long offset) {
        free(offset(holder), offset);
    }

    /** As {@link #free(Ref, long)} with the holder's bare offset. */
    public void free(long holder, long offset) {
        long object = destination(holder, offset);
        if (object != 0) {
            release(holder, offset, object);
        }
    }

    private long release(long holder, long offset, long object) {
        LaneTransaction lane = engine.operation();
        try {
            checkDestination(lane, holder, offset);
            lane.free(object);
            setDestination(lane, holder, offset, 0);
            lane.commit();
        } catch (Throwable failure) {
            lane.abort(failure);
            throw failure;
        }
        return 0;
    }

    // ---- duplicate ----

    /** Allocates an object with a string as C has it: UTF-8 and a zero byte. */
    public Ref duplicate(String text, long typeNumber) {
        return ref(copyOf(0, 0, CStrings.narrow(text), typeNumber));
    }

    /** As {@link #duplicate(String, long)}, and sets the destination to it. */
    public Ref duplicate(Ref holder, long offset, String text, long typeNumber) {
        return ref(copyOf(offset(holder), offset, CStrings.narrow(text), typeNumber));
    }

    /** As {@link #duplicate(String, long)}, as wchar_t of Linux: UTF-32, little-endian. */
    public Ref duplicateWide(String text, long typeNumber) {
        return ref(copyOf(0, 0, CStrings.wide(text), typeNumber));
    }

    /** As {@link #duplicateWide(String, long)}, and sets the destination to it. */
    public Ref duplicateWide(Ref holder, long offset, String text, long typeNumber) {
        return ref(copyOf(offset(holder), offset, CStrings.wide(text), typeNumber));
    }

    private long copyOf(long holder, long offset, byte[] content, long typeNumber) {
        return make(
                holder,
                offset,
                content.length,
                typeNumber,
                AllocationOptions.DEFAULT,
                object -> object.writeBytes(0, content));
    }

    private long usableSize(long object) {
        try {
            engine.ensureUsable();
            return engine.usableSize(object);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    // ---- destinations ----

    /** What a destination refers to; 0 for null. */
    private long destination(long holder, long offset) {
        try {
            engine.checkReadable(holder, offset, Ref.BYTES);
            long object = engine.image().getLong(holder + offset + Long.BYTES);
            if (object != 0) {
                PoolReferences.checkPool(engine.image().getLong(holder + offset), poolId);
            }
            return object;
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    /** Before anything is allocated for it. */
    private void checkDestination(LaneTransaction lane, long holder, long offset) {
        if (holder != 0) {
            lane.objects().checkReadable(holder, offset, Ref.BYTES);
            engine.refuseTyped(holder);
        }
    }

    /** The constructor is the program's, and may have freed the holder. */
    private void recheckDestination(long holder, long offset) {
        if (holder != 0) {
            engine.checkReadable(holder, offset, Ref.BYTES);
        }
    }

    private void setDestination(LaneTransaction lane, long holder, long offset, long object) {
        if (holder != 0) {
            lane.setWord(holder + offset, object == 0 ? 0 : poolId);
            lane.setWord(holder + offset + Long.BYTES, object);
        }
    }

    private long offset(Ref object) {
        return PoolReferences.offset(object, poolId);
    }

    private Ref ref(long offset) {
        return offset == 0 ? Ref.NULL : new Ref(poolId, offset);
    }
}
