package io.farheap;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.engine.PoolReferences;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A {@link Transaction} for objects that are named by their bare offset ({@link Ref#offset}):
 * allocates nothing in the Java heap. The order of arguments is always object, offset in it, value.
 * In all else it is the transaction it is of: {@link Transaction#raw}.
 */
public final class RawTransaction implements RawReads {
    private final Transaction tx;

    RawTransaction(Transaction tx) {
        this.tx = tx;
    }

    // ---- objects ----

    /**
     * Allocates an object.
     *
     * @param size usable bytes wanted, at least 1
     * @param typeNumber what {@link ObjectPool#objects(long)} finds it by
     * @param zeroed whether its usable bytes are 0; else its content is undefined
     * @return its offset
     * @throws FarheapException ENVIRONMENT when the pool is full
     */
    public long allocate(long size, long typeNumber, boolean zeroed) {
        return tx.lane().allocate(size, typeNumber, zeroed);
    }

    /** As {@link Transaction#free(Ref)}; the offset must not be 0. */
    public void free(long object) {
        tx.lane().free(object);
    }

    // ---- buffered values ----

    /** Sets a field of 8 bytes. */
    public void setLong(long object, long offset, long value) {
        tx.access().setLong(object, offset, value);
    }

    /** Sets a field of 4 bytes. */
    public void setInt(long object, long offset, int value) {
        tx.access().setInt(object, offset, value);
    }

    /** Sets a field of 2 bytes. */
    public void setShort(long object, long offset, short value) {
        tx.access().setShort(object, offset, value);
    }

    /** Sets a field of one byte. */
    public void setByte(long object, long offset, byte value) {
        tx.access().setByte(object, offset, value);
    }

    /** Sets a field of 2 bytes. */
    public void setChar(long object, long offset, char value) {
        tx.access().setShort(object, offset, (short) value);
    }

    /** Sets a field of one byte. */
    public void setBoolean(long object, long offset, boolean value) {
        tx.access().setByte(object, offset, (byte) (value ? 1 : 0));
    }

    /** Sets a field of 4 bytes. */
    public void setFloat(long object, long offset, float value) {
        tx.access().setInt(object, offset, Float.floatToRawIntBits(value));
    }

    /** Sets a field of 8 bytes. */
    public void setDouble(long object, long offset, double value) {
        tx.access().setLong(object, offset, Double.doubleToRawLongBits(value));
    }

    /** Stores a reference, {@value Ref#BYTES} bytes, to the object at an offset; 0 clears it. */
    public void setRef(long object, long offset, long value) {
        tx.checkChanged(object, offset, Ref.BYTES);
        tx.access().setLong(object, offset, value == 0 ? 0 : tx.poolId());
        tx.access().setLong(object, offset + Long.BYTES, value);
    }

    /** Writes {@code length} bytes of {@code source}. */
    public void writeBytes(
            long object, long offset, MemorySegment source, long sourceOffset, long length) {
        Objects.requireNonNull(source, "source");
        tx.access().write(object, offset, source, sourceOffset, length);
    }

    // ---- reads ----

    @Override
    public long getLong(long object, long offset) {
        return tx.access().getLong(object, offset);
    }

    @Override
    public int getInt(long object, long offset) {
        return tx.access().getInt(object, offset);
    }

    @Override
    public short getShort(long object, long offset) {
        return tx.access().getShort(object, offset);
    }

    @Override
    public byte getByte(long object, long offset) {
        return tx.access().getByte(object, offset);
    }

    @Override
    public long getRef(long object, long offset) {
        tx.access().checkReadable(object, offset, Ref.BYTES);
        long target = tx.access().getLong(object, offset + Long.BYTES);
        if (target != 0) {
            PoolReferences.checkPool(tx.access().getLong(object, offset), tx.poolId());
        }
        return target;
    }

    @Override
    public void readBytes(
            long object, long offset, MemorySegment target, long targetOffset, long length) {
        Objects.requireNonNull(target, "target");
        tx.access().read(object, offset, target, targetOffset, length);
    }
}
