package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.value.ValueType;

/** The value that a set's elements have in its map: none, in 0 bytes. */
final class Presence extends ValueType<Boolean> {
    static final Presence PRESENT = new Presence();

    private Presence() {}

    @Override
    public int size() {
        return 0;
    }

    @Override
    public int alignment() {
        return 1;
    }

    @Override
    public Boolean get(HeapTransaction tx, long object, long offset) {
        return Boolean.TRUE;
    }

    @Override
    public void set(HeapTransaction tx, long object, long offset, Boolean value) {
        // Has no bytes.
    }

    @Override
    public void release(HeapTransaction tx, long object, long offset) {
        // Owns nothing.
    }

    @Override
    public int hash(Boolean value) {
        return 1;
    }
}
