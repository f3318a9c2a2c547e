package io.farheap;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import java.util.function.Function;
import net.openhft.chronicle.bytes.Bytes;

/**
 * Reads of objects, the same ones inside of a transaction and outside: {@link Transaction} sees its
 * own writes, {@link ObjectPool} what is committed and, without a lock of the caller's, perhaps a
 * commit that is on its way, {@link ReplicaView} a replica at one commit boundary.
 *
 * <p>Objects are named by {@link Ref}; on hot paths {@link RawReads} takes their bare offsets.
 * Offsets inside an object and lengths are bytes. Numbers are little-endian at any alignment; float
 * and double are their IEEE 754 bits, a char is 2 bytes, a boolean 1 byte, of which any but 0 is
 * true. A reference that is null, of another pool or freed, or a range outside of the object, is a
 * {@link FarheapException} WRONG_USE.
 */
public sealed interface ObjectReads permits PoolReads, ReplicaView, Transaction {

    /** The same reads of objects that are named by bare offsets; allocates nothing. */
    RawReads raw();

    /** The root object; {@link Ref#NULL} when there is none yet. */
    Ref root();

    /** All objects but the root, in heap order; others may come and go meanwhile. */
    Iterable<Ref> objects();

    /** As {@link #objects()}, of one type number. */
    Iterable<Ref> objects(long typeNumber);

    /**
     * Bytes an object has room for, at least what was asked for; of {@link Ref#NULL} a pool says 0.
     */
    long usableSize(Ref object);

    /** Reads a field of 8 bytes. */
    long getLong(Ref object, long offset);

    /** Reads a field of 4 bytes. */
    int getInt(Ref object, long offset);

    /** Reads a field of 2 bytes. */
    short getShort(Ref object, long offset);

    /** Reads a field of one byte. */
    byte getByte(Ref object, long offset);

    /** Reads a field of 2 bytes. */
    default char getChar(Ref object, long offset) {
        return (char) getShort(object, offset);
    }

    /** Reads a field of one byte. */
    default boolean getBoolean(Ref object, long offset) {
        return getByte(object, offset) != 0;
    }

    /** Reads a field of 4 bytes. */
    default float getFloat(Ref object, long offset) {
        return Float.intBitsToFloat(getInt(object, offset));
    }

    /** Reads a field of 8 bytes. */
    default double getDouble(Ref object, long offset) {
        return Double.longBitsToDouble(getLong(object, offset));
    }

    /**
     * Reads a stored reference; one whose offset or pool is 0 is {@link Ref#NULL}. Without a
     * transaction or lock a field that goes from one pool to another may be seen half changed.
     */
    Ref getRef(Ref object, long offset);

    /** Reads {@code length} bytes. */
    byte[] readBytes(Ref object, long offset, int length);

    /**
     * Reads a payload: the lambda gets a copy of the object's usable bytes, valid during the call.
     */
    <T> T read(Ref object, Function<Bytes<?>, T> payload);

    /** As {@link #read(Ref, Function)}, of one range. */
    <T> T read(Ref object, long offset, long length, Function<Bytes<?>, T> payload);
}
