package io.farheap;

import io.farheap.base.FarheapException;
import io.farheap.base.PoolPosition;
import io.farheap.base.Ref;
import io.farheap.engine.PoolReferences;
import io.farheap.engine.Scratch;
import io.farheap.engine.ScratchPool;
import io.farheap.heap.Heap;
import io.farheap.heap.ReplicaHeap;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.readers.ReaderSlot;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Function;
import net.openhft.chronicle.bytes.Bytes;

/**
 * A replica at one commit boundary, as {@link ReplicaPool#read} shows it: whatever is read of it
 * was there at the same moment, the one that {@link #position} names.
 *
 * <p>Valid during the call, in the thread that it was given to; later each call is a {@link
 * FarheapException} WRONG_USE. Each call may throw {@link io.farheap.base.SnapshotTooOldException}:
 * the body is to let it through, and is run again.
 */
public final class ReplicaView implements ObjectReads {
    private static final long NONE = 0;

    private final ReplicaPool pool;
    private final PoolMemory memory;
    private final ReplicaHeap heap;
    private final long poolId;
    private final ScratchPool scratches;
    private final RawReplicaReads raw = new RawReplicaReads(this);
    private final ReaderSlot slot;
    private final long evicted;
    private final PoolPosition position;
    private boolean ended;

    /** The object that was read last, and its size: it stays the same for as long as this does. */
    private long known = NONE;

    private long knownSize;

    ReplicaView(
            ReplicaPool pool,
            PoolMemory memory,
            ReplicaHeap heap,
            long poolId,
            ScratchPool scratches,
            ReaderSlot slot,
            long evicted,
            PoolPosition position) {
        this.pool = pool;
        this.memory = memory;
        this.heap = heap;
        this.poolId = poolId;
        this.scratches = scratches;
        this.slot = slot;
        this.evicted = evicted;
        this.position = position;
    }

    /** Which commits it has: all up to there, and no later one. */
    public PoolPosition position() {
        return position;
    }

    @Override
    public RawReads raw() {
        return raw;
    }

    /**
     * Refuses to go on when what was read so far may not be of one moment any more; every other
     * call does so, too. Of use in long computations, to end them early.
     */
    public void check() {
        if (ended) {
            throw FarheapException.wrongUse(
                    "This view of %s has ended: read inside the body that it was given to.",
                    memory.name());
        }
        if (!stands()) {
            throw pool.tooOld(1);
        }
    }

    boolean stands() {
        return slot.stands(evicted);
    }

    void end() {
        ended = true;
    }

    private <T> T checked(T loaded) {
        check();
        return loaded;
    }

    /** What is loaded while the agent applies may be anything, and lead to any exception. */
    private RuntimeException failed(RuntimeException failure) {
        check();
        return failure;
    }

    // ---- bare offsets ----

    long range(long object, long offset, long length) {
        long size = sizeOf(object);
        if (offset < 0 || length < 0 || offset > size - length) {
            throw failed(
                    FarheapException.wrongUse(
                            "Bytes %s to %s are outside of the object at %s, which has %s.",
                            offset, offset + length, object, size));
        }
        return object + offset;
    }

    private long sizeOf(long object) {
        if (object != known || known == NONE) {
            try {
                knownSize = heap.usableSize(object);
                known = object;
            } catch (FarheapException | IndexOutOfBoundsException e) {
                throw failed(e);
            }
        }
        return knownSize;
    }

    long longAt(long object, long offset) {
        long loaded = memory.getLong(range(object, offset, Long.BYTES));
        check();
        return loaded;
    }

    int intAt(long object, long offset) {
        int loaded = memory.getInt(range(object, offset, Integer.BYTES));
        check();
        return loaded;
    }

    short shortAt(long object, long offset) {
        short loaded = memory.getShort(range(object, offset, Short.BYTES));
        check();
        return loaded;
    }

    byte byteAt(long object, long offset) {
        byte loaded = memory.getByte(range(object, offset, 1));
        check();
        return loaded;
    }

    long refAt(long object, long offset) {
        long at = range(object, offset, Ref.BYTES);
        long target = memory.getLong(at + Long.BYTES);
        long its = memory.getLong(at);
        check();
        if (target == 0) {
            return 0;
        }
        PoolReferences.checkPool(its, poolId);
        return target;
    }

    void copyOut(long object, long offset, MemorySegment target, long targetOffset, long length) {
        memory.copyOut(range(object, offset, length), target, targetOffset, length);
        check();
    }

    // ---- references ----

    @Override
    public Ref root() {
        long offset = memory.getLong(Descriptor.ROOT_OFFSET);
        check();
        return offset == 0 ? Ref.NULL : new Ref(poolId, offset);
    }

    @Override
    public Iterable<Ref> objects() {
        check();
        return () -> new Found(true, 0);
    }

    @Override
    public Iterable<Ref> objects(long typeNumber) {
        check();
        return () -> new Found(false, typeNumber);
    }

    /** Objects in heap order. */
    private final class Found implements Iterator<Ref> {
        private final boolean anyType;
        private final long typeNumber;
        private long next;

        Found(boolean anyType, long typeNumber) {
            this.anyType = anyType;
            this.typeNumber = typeNumber;
            this.next = wanted(from(Heap.NONE));
        }

        private long from(long object) {
            try {
                return checked(object == Heap.NONE ? heap.first() : heap.next(object));
            } catch (FarheapException | IndexOutOfBoundsException e) {
                throw failed(e);
            }
        }

        private long wanted(long first) {
            long object = first;
            while (object != Heap.NONE && !anyType && type(object) != typeNumber) {
                object = from(object);
            }
            return object;
        }

        @Override
        public boolean hasNext() {
            return next != Heap.NONE;
        }

        @Override
        public Ref next() {
            if (next == Heap.NONE) {
                throw new NoSuchElementException("There are no more objects.");
            }
            Ref present = new Ref(poolId, next);
            next = wanted(from(next));
            return present;
        }
    }

    private long type(long object) {
        try {
            return checked(heap.typeNumber(object));
        } catch (FarheapException | IndexOutOfBoundsException e) {
            throw failed(e);
        }
    }

    /** The type number an object was allocated with. */
    public long typeNumber(Ref object) {
        return type(offset(object));
    }

    @Override
    public long usableSize(Ref object) {
        long offset = PoolReferences.nullable(object, poolId);
        return checked(offset == 0 ? 0L : sizeOf(offset));
    }

    @Override
    public long getLong(Ref object, long offset) {
        return longAt(offset(object), offset);
    }

    @Override
    public int getInt(Ref object, long offset) {
        return intAt(offset(object), offset);
    }

    @Override
    public short getShort(Ref object, long offset) {
        return shortAt(offset(object), offset);
    }

    @Override
    public byte getByte(Ref object, long offset) {
        return byteAt(offset(object), offset);
    }

    @Override
    public Ref getRef(Ref object, long offset) {
        long at = range(offset(object), offset, Ref.BYTES);
        long its = memory.getLong(at);
        long target = memory.getLong(at + Long.BYTES);
        check();
        return target == 0 ? Ref.NULL : new Ref(its, target);
    }

    @Override
    public byte[] readBytes(Ref object, long offset, int length) {
        long at = range(offset(object), offset, length);
        byte[] value = new byte[length];
        memory.copyOut(at, MemorySegment.ofArray(value), 0, length);
        return checked(value);
    }

    @Override
    public <T> T read(Ref object, Function<Bytes<?>, T> payload) {
        return read(object, 0, usableSize(object), payload);
    }

    @Override
    public <T> T read(Ref object, long offset, long length, Function<Bytes<?>, T> payload) {
        Objects.requireNonNull(payload, "payload");
        long at = range(offset(object), offset, length);
        Scratch scratch = scratches.take();
        try {
            scratch.prepare(length);
            memory.copyOut(at, scratch.segment(), 0, length);
            check();
            return payload.apply(scratch.forReading());
        } finally {
            scratches.put(scratch);
        }
    }

    private long offset(Ref object) {
        return PoolReferences.offset(object, poolId);
    }
}
