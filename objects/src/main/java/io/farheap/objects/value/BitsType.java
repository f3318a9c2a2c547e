package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;

/** Values that are a number of 1, 2, 4 or 8 bytes. */
abstract class BitsType<T> extends ValueType<T> {
    private final String text;
    private final int size;

    BitsType(String text, int size) {
        this.text = text;
        this.size = size;
    }

    /** The value of a number, of which the low {@link #size} bytes count. */
    abstract T of(long bits);

    abstract long bits(T value);

    @Override
    public final int size() {
        return size;
    }

    @Override
    public final int alignment() {
        return size;
    }

    @Override
    public T get(HeapTransaction tx, long object, long offset) {
        return of(getBits(tx, object, offset));
    }

    /** The slot's number with its sign, without a box. */
    final long getBits(HeapTransaction tx, long object, long offset) {
        return switch (size) {
            case Byte.BYTES -> tx.getByte(object, offset);
            case Short.BYTES -> tx.getShort(object, offset);
            case Integer.BYTES -> tx.getInt(object, offset);
            default -> tx.getLong(object, offset);
        };
    }

    @Override
    public void set(HeapTransaction tx, long object, long offset, T value) {
        setBits(tx, object, offset, bits(value));
    }

    final void setBits(HeapTransaction tx, long object, long offset, long bits) {
        switch (size) {
            case Byte.BYTES -> tx.setByte(object, offset, (byte) bits);
            case Short.BYTES -> tx.setShort(object, offset, (short) bits);
            case Integer.BYTES -> tx.setInt(object, offset, (int) bits);
            default -> tx.setLong(object, offset, bits);
        }
    }

    @Override
    public int hash(T value) {
        return LongType.hashOf(bits(value));
    }

    @Override
    public boolean isEqual(HeapTransaction tx, long object, long offset, T value) {
        return getBits(tx, object, offset) == bits(value);
    }

    @Override
    public boolean isComparable() {
        return true;
    }

    @Override
    public boolean isNullable() {
        return false;
    }

    @Override
    public String text() {
        return text;
    }

    @Override
    T load(HeapTransaction tx, ValueImage image, int at) {
        return of(
                switch (size) {
                    case Byte.BYTES -> image.getByte(at);
                    case Short.BYTES -> image.getShort(at);
                    case Integer.BYTES -> image.getInt(at);
                    default -> image.getLong(at);
                });
    }

    @Override
    void store(ValueImage image, int at, T value) {
        long bits = bits(value);
        switch (size) {
            case Byte.BYTES -> image.putByte(at, (byte) bits);
            case Short.BYTES -> image.putShort(at, (short) bits);
            case Integer.BYTES -> image.putInt(at, (int) bits);
            default -> image.putLong(at, bits);
        }
    }
}
