package io.farheap;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import java.lang.foreign.MemorySegment;

/**
 * Reads of objects that are named by their bare offset in the image ({@link Ref#offset}), which
 * allocates nothing: for hot paths, and for structures in DRAM that keep a long for each object.
 * Three numbers in a row are easily mixed up, which is why these stand apart: the order is always
 * object, offset in it, value.
 *
 * <p>In all else as {@link ObjectReads}: the object and the range are checked, an offset that is
 * none of an object is a {@link FarheapException} WRONG_USE.
 */
public sealed interface RawReads permits RawPoolReads, RawReplicaReads, RawTransaction {

    /** Reads a field of 8 bytes. */
    long getLong(long object, long offset);

    /** Reads a field of 4 bytes. */
    int getInt(long object, long offset);

    /** Reads a field of 2 bytes. */
    short getShort(long object, long offset);

    /** Reads a field of one byte. */
    byte getByte(long object, long offset);

    /** Reads a field of 2 bytes. */
    default char getChar(long object, long offset) {
        return (char) getShort(object, offset);
    }

    /** Reads a field of one byte. */
    default boolean getBoolean(long object, long offset) {
        return getByte(object, offset) != 0;
    }

    /** Reads a field of 4 bytes. */
    default float getFloat(long object, long offset) {
        return Float.intBitsToFloat(getInt(object, offset));
    }

    /** Reads a field of 8 bytes. */
    default double getDouble(long object, long offset) {
        return Double.longBitsToDouble(getLong(object, offset));
    }

    /**
     * Reads a stored reference as the bare offset of its object; 0 is null.
     *
     * @throws FarheapException WRONG_USE when the stored reference leads into another pool
     */
    long getRef(long object, long offset);

    /** Reads {@code length} bytes into {@code target}. */
    void readBytes(long object, long offset, MemorySegment target, long targetOffset, long length);
}
