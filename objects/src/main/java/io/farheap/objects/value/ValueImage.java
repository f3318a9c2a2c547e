package io.farheap.objects.value;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The bytes of one value in memory, little-endian: a part of fixed size, behind it whatever has no
 * fixed size. Access past the end throws IndexOutOfBoundsException.
 */
final class ValueImage {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] bytes;
    private int length;
    private boolean isLeaving;

    /** An image whose fixed part has {@code size} bytes, all 0. */
    ValueImage(int size) {
        this(new byte[size]);
    }

    ValueImage(byte[] bytes) {
        this.bytes = bytes;
        this.length = bytes.length;
    }

    /** Says of this one that its slot is about to lose the value; returns this. */
    ValueImage leaving() {
        isLeaving = true;
        return this;
    }

    /** Whether references in it may be to deleted objects: see {@link ValueType#taken}. */
    boolean isLeaving() {
        return isLeaving;
    }

    /** All bytes; not a copy where nothing was appended. */
    byte[] toBytes() {
        return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    }

    byte getByte(int at) {
        return bytes[at];
    }

    short getShort(int at) {
        return (short) SHORT.get(bytes, at);
    }

    int getInt(int at) {
        return (int) INT.get(bytes, at);
    }

    long getLong(int at) {
        return (long) LONG.get(bytes, at);
    }

    byte[] getBytes(int at, int count) {
        if (at < 0 || count < 0 || count > length - at) {
            throw new IndexOutOfBoundsException("bytes " + at + " + " + count + " of " + length);
        }
        return Arrays.copyOfRange(bytes, at, at + count);
    }

    void putByte(int at, byte value) {
        bytes[at] = value;
    }

    void putShort(int at, short value) {
        SHORT.set(bytes, at, value);
    }

    void putInt(int at, int value) {
        INT.set(bytes, at, value);
    }

    void putLong(int at, long value) {
        LONG.set(bytes, at, value);
    }

    void putBytes(int at, byte[] value) {
        System.arraycopy(value, 0, bytes, at, value.length);
    }

    /** Adds bytes behind all others, from a multiple of 8 on, and returns where. */
    int append(byte[] value) {
        int at = Math.addExact(length, -length & 7);
        int end = Math.addExact(at, value.length);
        if (end > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(end, bytes.length + (bytes.length >> 1)));
        }
        System.arraycopy(value, 0, bytes, at, value.length);
        length = end;
        return at;
    }
}
