package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;

/** A {@code long} in 8 bytes. */
public final class LongType extends BitsType<Long> {
    public static final LongType LONG = new LongType();

    private LongType() {
        super("long", Long.BYTES);
    }

    @Override
    Long of(long bits) {
        return bits;
    }

    @Override
    long bits(Long value) {
        return value;
    }

    @Override
    public int hash(Long value) {
        return hashOf(value);
    }

    @Override
    public boolean isEqual(HeapTransaction tx, long object, long offset, Long value) {
        return tx.getLong(object, offset) == value;
    }

    @Override
    public int compare(HeapTransaction tx, long object, long offset, Long value) {
        return Long.compare(tx.getLong(object, offset), value);
    }

    /** As {@link #hash}, without a box. */
    public static int hashOf(long value) {
        long mixed = value * 0x9E37_79B9_7F4A_7C15L;
        return (int) (mixed >>> 32);
    }
}
