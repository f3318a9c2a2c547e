package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;

/** A {@code long} in 8 bytes. */
public final class LongType extends ValueType<Long> {
    public static final LongType LONG = new LongType();

    private LongType() {}

    @Override
    public int size() {
        return Long.BYTES;
    }

    @Override
    public int alignment() {
        return Long.BYTES;
    }

    @Override
    public Long get(HeapTransaction tx, long object, long offset) {
        return tx.getLong(object, offset);
    }

    @Override
    public void set(HeapTransaction tx, long object, long offset, Long value) {
        tx.setLong(object, offset, value);
    }

    @Override
    public void release(HeapTransaction tx, long object, long offset) {
        // Owns nothing.
    }

    @Override
    public int hash(Long value) {
        return hashOf(value);
    }

    /** As {@link #hash}, without a box. */
    public static int hashOf(long value) {
        long mixed = value * 0x9E37_79B9_7F4A_7C15L;
        return (int) (mixed >>> 32);
    }
}
