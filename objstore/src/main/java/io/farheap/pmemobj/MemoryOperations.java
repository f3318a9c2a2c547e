package io.farheap.pmemobj;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.engine.LaneTransaction;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.PoolReferences;
import io.farheap.engine.Scratch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * Bytes stored outside transactions: each call is one small transaction, durable here and on every
 * replica when it returns, and joins the one that the thread is in, as {@link
 * io.farheap.ObjectPool#transaction} does. Three fences, and one for an aligned 8-byte word or with
 * {@link MemoryOption#NOT_ATOMIC}.
 *
 * <p>Objects are named by {@link Ref}, or by the bare image offset where nothing must be allocated
 * in the Java heap ({@link #raw}). Offsets and lengths are bytes. A reference that is null, of
 * another pool or freed, and a range outside its object, is a {@link FarheapException} WRONG_USE.
 * Thread-safe as long as no two threads change the same bytes.
 */
public final class MemoryOperations {
    private final PoolEngine engine;
    private final long poolId;
    private final RawMemory raw = new RawMemory(this);

    MemoryOperations(PoolEngine engine, long poolId) {
        this.engine = engine;
        this.poolId = poolId;
    }

    // ---- copy, move, fill ----

    /** Copies bytes between objects or inside one; the ranges may overlap. */
    public void copy(
            Ref from,
            long fromOffset,
            Ref to,
            long toOffset,
            long length,
            MemoryOption... options) {
        boolean atomic = isAtomic(options);
        long source = offset(from);
        long target = offset(to);
        LaneTransaction lane = engine.current();
        Scratch scratch = engine.scratches().take();
        try {
            if (lane != null) {
                lane.objects().checkReadable(source, fromOffset, length);
            } else {
                engine.checkReadable(source, fromOffset, length);
            }
            scratch.prepare(length); // not before: the length may be any number
            if (lane != null) {
                lane.objects().read(source, fromOffset, scratch.segment(), 0, length);
            } else {
                engine.image().copyOut(source + fromOffset, scratch.segment(), 0, length);
            }
            store(target, toOffset, scratch.segment(), 0, length, atomic);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        } finally {
            engine.scratches().put(scratch);
        }
    }

    /** As {@link #copy}, under the name that libpmemobj has for ranges that may overlap. */
    public void move(
            Ref from,
            long fromOffset,
            Ref to,
            long toOffset,
            long length,
            MemoryOption... options) {
        copy(from, fromOffset, to, toOffset, length, options);
    }

    /** Copies bytes of any memory into an object. */
    public void copy(
            MemorySegment from,
            long fromOffset,
            Ref to,
            long toOffset,
            long length,
            MemoryOption... options) {
        Objects.requireNonNull(from, "from");
        boolean atomic = isAtomic(options);
        store(offset(to), toOffset, from, fromOffset, length, atomic);
    }

    /** Stores {@code value} into every byte of a range. */
    public void fill(Ref object, long offset, long length, byte value, MemoryOption... options) {
        boolean atomic = isAtomic(options);
        long target = offset(object);
        Scratch scratch = engine.scratches().take();
        try {
            engine.checkReadable(target, offset, length);
            scratch.prepare(length);
            scratch.segment().asSlice(0, length).fill(value);
            store(target, offset, scratch.segment(), 0, length, atomic);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        } finally {
            engine.scratches().put(scratch);
        }
    }

    // ---- with bare offsets ----

    /** The same for objects that are named by bare offsets; allocates nothing. */
    public RawMemory raw() {
        return raw;
    }

    void setLong(long object, long offset, long value) {
        if (isWord(object + offset, Long.BYTES)) {
            setWord(object, offset, value);
            return;
        }
        LaneTransaction lane = engine.begin();
        int level = LaneTransaction.INNERMOST;
        try {
            level = lane.level();
            lane.objects().setLong(object, offset, value);
            lane.commit(level);
        } catch (Throwable failure) {
            lane.abort(level, failure);
            throw failure;
        }
    }

    void store(
            long object,
            long offset,
            MemorySegment source,
            long sourceOffset,
            long length,
            boolean atomic) {
        checkSource(source, sourceOffset, length);
        if (isWord(object + offset, length)) {
            setWord(object, offset, source.get(ValueLayout.JAVA_LONG_UNALIGNED, sourceOffset));
        } else if (engine.current() != null) {
            write(object, offset, source, sourceOffset, length);
        } else if (!atomic && !engine.image().isMirrored()) {
            storeNonAtomically(object, offset, source, sourceOffset, length);
        } else if (engine.storesAtomically(length)) {
            storeAtomically(object, offset, source, sourceOffset, length);
        } else {
            write(object, offset, source, sourceOffset, length);
        }
    }

    private void storeNonAtomically(
            long object, long offset, MemorySegment source, long sourceOffset, long length) {
        try {
            engine.checkReadable(object, offset, length);
            engine.refuseTyped(object);
            engine.storeNonAtomically(object + offset, source, sourceOffset, length);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    private void storeAtomically(
            long object, long offset, MemorySegment source, long sourceOffset, long length) {
        try {
            // Before a lane is claimed: that waits for the write-back of the store before this one.
            engine.checkLoad(object, offset, length);
            engine.refuseTyped(object);
            engine.storeAtomically(object + offset, source, sourceOffset, length);
        } catch (InternalError error) {
            FarheapException loss = engine.image().cutOff(error);
            if (loss != null) {
                throw loss;
            }
            throw error;
        }
    }

    /** Whether a range is a word that the redo log can set, and nobody's transaction is joined. */
    private boolean isWord(long at, long length) {
        return length == Long.BYTES && at % Long.BYTES == 0 && engine.current() == null;
    }

    private void setWord(long object, long offset, long value) {
        LaneTransaction lane = engine.operation();
        try {
            lane.objects().checkReadable(object, offset, Long.BYTES);
            engine.refuseTyped(object);
            lane.setWord(object + offset, value);
            lane.commit();
        } catch (Throwable failure) {
            lane.abort(failure);
            throw failure;
        }
    }

    private void write(
            long object, long offset, MemorySegment source, long sourceOffset, long length) {
        LaneTransaction lane = engine.begin();
        int level = LaneTransaction.INNERMOST;
        try {
            level = lane.level();
            lane.objects().write(object, offset, source, sourceOffset, length);
            lane.commit(level);
        } catch (Throwable failure) {
            lane.abort(level, failure);
            throw failure;
        }
    }

    // ---- durability ----

    /**
     * Makes a range durable as it is: {@link #flush} and {@link #drain}. What this class and
     * transactions stored is durable anyway: needed for contents allocated with {@link
     * io.farheap.base.AllocationOptions#noFlush}, and for what a transaction was told not to flush.
     *
     * @param options {@link MemoryOption#RELAXED} or none
     */
    public void persist(Ref object, long offset, long length, MemoryOption... options) {
        flush(object, offset, length, options);
        drain();
    }

    /**
     * Starts to make a range durable as it is; done when {@link #drain} returns, called next by the
     * same thread. Local replicas get it, too; remote ones have it since the commit that stored it.
     *
     * @param options {@link MemoryOption#RELAXED} or none
     */
    public void flush(Ref object, long offset, long length, MemoryOption... options) {
        for (MemoryOption option : checked(options)) {
            if (option != MemoryOption.RELAXED) {
                throw FarheapException.wrongUse(
                        "%s says how bytes are stored; nothing is stored here, leave it.", option);
            }
        }
        long target = offset(object);
        try {
            engine.checkReadable(target, offset, length);
            engine.flush(target + offset, length);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    /** Waits until everything that this thread flushed is durable. One fence. */
    public void drain() {
        engine.fence();
    }

    private static boolean isAtomic(MemoryOption[] options) {
        boolean atomic = true;
        for (MemoryOption option : checked(options)) {
            atomic &= option != MemoryOption.NOT_ATOMIC;
        }
        return atomic;
    }

    private static MemoryOption[] checked(MemoryOption[] options) {
        if (options == null) {
            throw FarheapException.wrongUse("The options are null; leave them out for none.");
        }
        for (MemoryOption option : options) {
            if (option == null) {
                throw FarheapException.wrongUse("An option is null; leave it out for none.");
            }
        }
        return options;
    }

    private static void checkSource(MemorySegment source, long offset, long length) {
        Objects.requireNonNull(source, "source");
        if ((offset | length) < 0 || offset > source.byteSize() - length) {
            throw FarheapException.wrongUse(
                    "%s bytes from offset %s on are outside the memory to be copied, which"
                            + " has %s.",
                    length, offset, source.byteSize());
        }
    }

    private long offset(Ref object) {
        return PoolReferences.offset(object, poolId);
    }
}
