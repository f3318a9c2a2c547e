package io.farheap;

import io.farheap.base.Ref;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.PoolReferences;
import io.farheap.engine.Scratch;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Function;
import net.openhft.chronicle.bytes.Bytes;

/**
 * What an {@link ObjectPool} tells without a transaction. Without a lock of the caller's it may
 * show a commit that is on its way.
 */
abstract sealed class PoolReads implements ObjectReads permits ObjectPool {
    final PoolEngine engine;
    final long poolId;
    private final RawPoolReads raw;

    PoolReads(PoolEngine engine, long poolId) {
        this.engine = engine;
        this.poolId = poolId;
        this.raw = new RawPoolReads(engine, poolId);
    }

    @Override
    public final RawReads raw() {
        return raw;
    }

    // ---- objects ----

    @Override
    public final Ref root() {
        try {
            long offset = engine.root().offset();
            return offset == 0 ? Ref.NULL : new Ref(poolId, offset);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    /** The largest size asked of the root, 0 when there is none yet. */
    public final long rootSize() {
        try {
            return engine.root().size();
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    @Override
    public final Iterable<Ref> objects() {
        engine.ensureUsable();
        return () -> TransactionObjects.all(null, engine.heap(), poolId);
    }

    @Override
    public final Iterable<Ref> objects(long typeNumber) {
        engine.ensureUsable();
        return () -> TransactionObjects.ofType(null, engine.heap(), poolId, typeNumber);
    }

    /** Bytes an object has room for; 0 for {@link Ref#NULL}. */
    @Override
    public final long usableSize(Ref object) {
        try {
            engine.ensureUsable();
            long offset = PoolReferences.nullable(object, poolId);
            return offset == 0 ? 0 : engine.usableSize(offset);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    /** The type number an object was allocated with. */
    public final long typeNumber(Ref object) {
        try {
            engine.ensureUsable();
            return engine.heap().typeNumber(offset(object));
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    // ---- fields and ranges ----

    @Override
    public final long getLong(Ref object, long offset) {
        try {
            return image(object, offset, Long.BYTES).getLong(object.offset() + offset);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    @Override
    public final int getInt(Ref object, long offset) {
        try {
            return image(object, offset, Integer.BYTES).getInt(object.offset() + offset);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    @Override
    public final short getShort(Ref object, long offset) {
        try {
            return image(object, offset, Short.BYTES).getShort(object.offset() + offset);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    @Override
    public final byte getByte(Ref object, long offset) {
        try {
            return image(object, offset, 1).getByte(object.offset() + offset);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    @Override
    public final Ref getRef(Ref object, long offset) {
        try {
            PoolMemory image = image(object, offset, Ref.BYTES);
            long at = object.offset() + offset;
            long target = image.getLong(at + Long.BYTES);
            long pool = image.getLong(at);
            // A commit that clears it stores the one before the other.
            return target == 0 || pool == 0 ? Ref.NULL : new Ref(pool, target);
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    @Override
    public final byte[] readBytes(Ref object, long offset, int length) {
        try {
            PoolMemory image = image(object, offset, length);
            byte[] value = new byte[length];
            image.copyOut(object.offset() + offset, MemorySegment.ofArray(value), 0, length);
            return value;
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
    }

    @Override
    public final <T> T read(Ref object, Function<Bytes<?>, T> payload) {
        return read(object, 0, usableSize(object), payload);
    }

    @Override
    public final <T> T read(Ref object, long offset, long length, Function<Bytes<?>, T> payload) {
        Objects.requireNonNull(payload, "payload");
        Scratch scratch = engine.scratches().take();
        try {
            PoolMemory image = image(object, offset, length);
            scratch.prepare(length);
            image.copyOut(object.offset() + offset, scratch.segment(), 0, length);
            return payload.apply(scratch.forReading());
        } catch (InternalError error) {
            throw engine.image().lost(error);
        } finally {
            engine.scratches().put(scratch);
        }
    }

    /**
     * An object's usable bytes, read-only and without a copy: it shows what is there at each load,
     * also what a transaction stores in place. Once the pool is closed a load is the JDK's {@link
     * IllegalStateException}; after the object is freed it shows whatever comes next.
     */
    public final MemorySegment segment(Ref object) {
        long size = usableSize(object);
        return engine.image().image().asSlice(offset(object), size).asReadOnly();
    }

    private PoolMemory image(Ref object, long offset, long length) {
        engine.checkLoad(offset(object), offset, length);
        return engine.image();
    }

    final long offset(Ref object) {
        return PoolReferences.offset(object, poolId);
    }
}
