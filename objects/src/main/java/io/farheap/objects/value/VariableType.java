package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;
import java.time.DateTimeException;

/**
 * Values of no fixed size: in a slot of their own, up to 15 bytes inside it, else in a block; in
 * another value's image behind what is fixed, and in the fixed part the place and the length:
 *
 * <pre>
 *   0  place in the image, 4 B; 0: null     4  length, 4 B
 * </pre>
 */
public abstract class VariableType<T> extends ValueType<T> {
    private static final int PLACE_BYTES = 8;

    private final String text;

    VariableType(String text) {
        this.text = text;
    }

    abstract byte[] encode(T value);

    /**
     * @throws IndexOutOfBoundsException or another unchecked one of the JDK's for bytes that are no
     *     value
     */
    abstract T decode(HeapTransaction tx, byte[] bytes);

    /** As {@link #decode}, of a value that is leaving its slot: see {@link #taken}. */
    T decodeLeaving(HeapTransaction tx, byte[] bytes) {
        return decode(tx, bytes);
    }

    /** Tells the objects that an encoded value refers to. */
    void reach(byte[] bytes, Reach reach) {
        // None, unless it says otherwise.
    }

    @Override
    public final int size() {
        return ValueSlot.BYTES;
    }

    @Override
    public final int alignment() {
        return Long.BYTES;
    }

    @Override
    public final T get(HeapTransaction tx, long object, long offset) {
        byte[] bytes = ValueSlot.get(tx, object, offset);
        return bytes == null ? null : decoded(tx, bytes, object + offset, false);
    }

    @Override
    public final T taken(HeapTransaction tx, long object, long offset) {
        byte[] bytes = ValueSlot.get(tx, object, offset);
        return bytes == null ? null : decoded(tx, bytes, object + offset, true);
    }

    private T decoded(HeapTransaction tx, byte[] bytes, long place, boolean isLeaving) {
        try {
            return isLeaving ? decodeLeaving(tx, bytes) : decode(tx, bytes);
        } catch (IndexOutOfBoundsException
                | NegativeArraySizeException
                | ArithmeticException
                | NumberFormatException
                | DateTimeException e) {
            throw damaged(text, place, e);
        }
    }

    @Override
    public final void set(HeapTransaction tx, long object, long offset, T value) {
        byte[] bytes = value == null ? null : encode(value);
        if (bytes != null && namesObjects()) {
            reach(bytes, new ReferredObjects(tx));
        }
        ValueSlot.set(tx, object, offset, bytes);
    }

    @Override
    public final void copy(HeapTransaction tx, long from, long fromAt, long object, long offset) {
        ValueSlot.set(tx, object, offset, ValueSlot.get(tx, from, fromAt));
    }

    @Override
    public final void keep(HeapTransaction tx, long object, long offset, T value) {
        ValueSlot.set(tx, object, offset, value == null ? null : encode(value));
    }

    @Override
    public final void release(HeapTransaction tx, long object, long offset) {
        ValueSlot.release(tx, object, offset);
    }

    @Override
    public final void reach(HeapTransaction tx, long object, long offset, Reach reach) {
        ValueSlot.reach(tx, object, offset, reach);
        byte[] bytes = namesObjects() ? ValueSlot.get(tx, object, offset) : null;
        if (bytes != null) {
            reach(bytes, reach);
        }
    }

    @Override
    public final boolean isNullable() {
        return true;
    }

    @Override
    public final String text() {
        return text;
    }

    @Override
    final boolean isFixed() {
        return false;
    }

    @Override
    public final int imageSize() {
        return PLACE_BYTES;
    }

    @Override
    final int imageAlignment() {
        return Integer.BYTES;
    }

    @Override
    final T load(HeapTransaction tx, ValueImage image, int at) {
        byte[] bytes = bytes(image, at);
        if (bytes == null) {
            return null;
        }
        return image.isLeaving() ? decodeLeaving(tx, bytes) : decode(tx, bytes);
    }

    private static byte[] bytes(ValueImage image, int at) {
        int place = image.getInt(at);
        return place == 0 ? null : image.getBytes(place, image.getInt(at + Integer.BYTES));
    }

    @Override
    final void store(ValueImage image, int at, T value) {
        if (value == null) {
            image.putLong(at, 0);
            return;
        }
        byte[] bytes = encode(value);
        int place = image.append(bytes);
        image.putInt(at, place);
        image.putInt(at + Integer.BYTES, bytes.length);
    }

    @Override
    final void reach(ValueImage image, int at, Reach reach) {
        byte[] bytes = namesObjects() ? bytes(image, at) : null;
        if (bytes != null) {
            reach(bytes, reach);
        }
    }
}
