package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;

/**
 * How the values of one Java type lie in a slot of an object: a field, or an element, key or value
 * of a collection. Fixed bytes in the slot; what does not fit lies in a block that the slot owns.
 * Without state, thread-safe.
 *
 * <p>A slot whose bytes are all 0 holds {@code null}, or 0 of a primitive.
 */
public abstract class ValueType<T> {
    /** Bytes of a slot. */
    public abstract int size();

    /** What a slot's offset is a multiple of: 1, 2, 4 or 8. */
    public abstract int alignment();

    /** The value in a slot. */
    public abstract T get(HeapTransaction tx, long object, long offset);

    /** Replaces the value in a slot; frees what the old one owned. */
    public abstract void set(HeapTransaction tx, long object, long offset, T value);

    /** Frees what a slot owns; the slot's bytes are of no use afterwards. */
    public abstract void release(HeapTransaction tx, long object, long offset);

    /**
     * The hash of a value, the same in every run and on every machine: it lies in the pool. Equal
     * values have equal ones.
     */
    public abstract int hash(T value);

    /** Whether the slot holds a value equal to {@code value}, which is not null. */
    public boolean isEqual(HeapTransaction tx, long object, long offset, T value) {
        return value.equals(get(tx, object, offset));
    }
}
