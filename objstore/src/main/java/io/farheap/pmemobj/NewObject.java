package io.farheap.pmemobj;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.PoolReferences;
import io.farheap.engine.Scratch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Consumer;
import net.openhft.chronicle.bytes.Bytes;

/**
 * An object that nobody can reach yet: stores go straight into it, and become durable together with
 * its existence, here and on every replica. Until something is stored its content is undefined,
 * unless it was allocated with zeroes.
 *
 * <p>Offsets and lengths are bytes inside the object; integers are little-endian at any alignment.
 * Ends with the constructor it was given to, or with the publishing or cancelling of its {@link
 * Actions}; later use, and a range outside the object, is a {@link FarheapException} WRONG_USE. The
 * faces are used again, to make no garbage: not before 63 others of the same {@link Actions}, or of
 * constructors on the same lane, and never again once a late use was refused. Not thread-safe.
 */
public final class NewObject {
    // Each store pins the pool: whoever gives its memory back must see that somebody stores.
    private final PoolEngine engine;
    private final long poolId;
    private long object;

    /** Whether somebody used it when it stood for no object: it is kept, and not used again. */
    private volatile boolean usedLate;

    NewObject(PoolEngine engine, long poolId) {
        this.engine = engine;
        this.poolId = poolId;
    }

    /** Begins to stand for an object that is reserved. */
    NewObject begin(long offset) {
        object = offset;
        return this;
    }

    void end() {
        object = 0;
    }

    boolean isInUse() {
        return object != 0;
    }

    boolean wasUsedLate() {
        return usedLate;
    }

    /** What refers to the object, also once it exists; to be stored in other objects. */
    public Ref ref() {
        return new Ref(poolId, offset());
    }

    /** The object's bare image offset. */
    public long offset() {
        if (object == 0) {
            usedLate = true;
            throw FarheapException.wrongUse(
                    "The new object was given up or exists by now; change it as any other"
                            + " object.");
        }
        return object;
    }

    /** Bytes it has room for, at least what was asked for. */
    public long usableSize() {
        engine.ensureUsable();
        return engine.usableSize(offset());
    }

    /** Stores a field of 8 bytes. */
    public void setLong(long offset, long value) {
        long at = range(offset, Long.BYTES);
        int pinned = engine.pin();
        try {
            engine.image().putLong(at, value);
        } finally {
            engine.unpin(pinned);
        }
    }

    /** Stores a field of 4 bytes. */
    public void setInt(long offset, int value) {
        long at = range(offset, Integer.BYTES);
        int pinned = engine.pin();
        try {
            engine.image().putInt(at, value);
        } finally {
            engine.unpin(pinned);
        }
    }

    /** Stores a field of 2 bytes. */
    public void setShort(long offset, short value) {
        long at = range(offset, Short.BYTES);
        int pinned = engine.pin();
        try {
            engine.image().putShort(at, value);
        } finally {
            engine.unpin(pinned);
        }
    }

    /** Stores a field of one byte. */
    public void setByte(long offset, byte value) {
        long at = range(offset, 1);
        int pinned = engine.pin();
        try {
            engine.image().putByte(at, value);
        } finally {
            engine.unpin(pinned);
        }
    }

    /** Stores a field of 8 bytes. */
    public void setDouble(long offset, double value) {
        setLong(offset, Double.doubleToRawLongBits(value));
    }

    /** Stores a reference of this pool, {@value Ref#BYTES} bytes; {@link Ref#NULL} clears it. */
    public void setRef(long offset, Ref value) {
        setRef(offset, PoolReferences.nullable(value, poolId));
    }

    /** As {@link #setRef(long, Ref)} with a bare offset; 0 is null. */
    public void setRef(long offset, long value) {
        long at = range(offset, Ref.BYTES);
        int pinned = engine.pin();
        try {
            engine.image().putLong(at, value == 0 ? 0 : poolId);
            engine.image().putLong(at + Long.BYTES, value);
        } finally {
            engine.unpin(pinned);
        }
    }

    /** Writes the whole of {@code value}. */
    public void writeBytes(long offset, byte[] value) {
        Objects.requireNonNull(value, "value");
        writeBytes(offset, MemorySegment.ofArray(value), 0, value.length);
    }

    /** Writes {@code length} bytes of {@code source}; allocates nothing. */
    public void writeBytes(long offset, MemorySegment source, long sourceOffset, long length) {
        Objects.requireNonNull(source, "source");
        long at = range(offset, length);
        int pinned = engine.pin();
        try {
            engine.image().copyIn(at, source, sourceOffset, length);
        } finally {
            engine.unpin(pinned);
        }
    }

    /** Stores {@code value} into every byte of a range. */
    public void fill(long offset, long length, byte value) {
        long at = range(offset, length);
        int pinned = engine.pin();
        try {
            engine.image().fill(at, length, value);
        } finally {
            engine.unpin(pinned);
        }
    }

    /** Writes a payload as {@link io.farheap.Transaction#write(Ref, long, Consumer)} does. */
    public void write(long offset, Consumer<Bytes<?>> payload) {
        Objects.requireNonNull(payload, "payload");
        long room = usableSize() - offset;
        long unused = range(offset, Math.max(room, 0));
        Scratch scratch = engine.scratches().take();
        try {
            long length = scratch.fill(object, offset, room, payload);
            writeBytes(offset, scratch.segment(), 0, length);
        } finally {
            engine.scratches().put(scratch);
        }
    }

    /**
     * Stores into a range through a segment.
     *
     * @param change gets a segment of {@code length} bytes, valid during the call
     */
    public void update(long offset, long length, Consumer<MemorySegment> change) {
        Objects.requireNonNull(change, "change");
        long at = range(offset, length);
        // The segment below has a life of its own: the pool must not be unmapped under it.
        int pinned = engine.pin();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment range = engine.image().image().asSlice(at, length);
            change.accept(range.reinterpret(arena, null));
        } finally {
            engine.unpin(pinned);
        }
    }

    private long range(long offset, long length) {
        engine.checkReadable(offset(), offset, length);
        return object + offset;
    }
}
