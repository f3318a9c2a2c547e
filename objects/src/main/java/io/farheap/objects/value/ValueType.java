package io.farheap.objects.value;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;
import java.lang.foreign.MemorySegment;

/**
 * How the values of one Java type lie in a slot of an object: a field, or an element, key or value
 * of a collection. Fixed bytes in the slot; what does not fit lies in a block that the slot owns.
 * Thread-safe.
 *
 * <p>A slot whose bytes are all 0 is a good one and owns nothing: 0 of what is {@linkplain
 * #isNullable not nullable}, else null.
 */
public abstract class ValueType<T> {
    /** libpmemobj's type number of the blocks that slots own. */
    public static final long BLOCKS = ValueSlot.BLOCK_TYPE;

    /** Bytes of a slot. */
    public abstract int size();

    /** What a slot's offset is a multiple of: 1, 2, 4 or 8. */
    public abstract int alignment();

    /** The value in a slot. */
    public abstract T get(HeapTransaction tx, long object, long offset);

    /**
     * The value in a slot that is about to lose it, for whoever removes or replaces it: a reference
     * to a deleted object is no error here, only the use of that object is.
     */
    public T taken(HeapTransaction tx, long object, long offset) {
        return get(tx, object, offset);
    }

    /**
     * Replaces the value in a slot; frees what the old one owned.
     *
     * @throws NullPointerException for null where the slot has no place for it
     */
    public abstract void set(HeapTransaction tx, long object, long offset, T value);

    /**
     * Gives a slot the value of another one, whatever that refers to, and frees what its old one
     * owned. A type whose slots own something does so, too.
     */
    public void copy(HeapTransaction tx, long from, long fromAt, long object, long offset) {
        byte[] bytes = new byte[size()];
        MemorySegment slot = MemorySegment.ofArray(bytes);
        tx.read(from, fromAt, slot, 0, bytes.length);
        tx.write(object, offset, slot, 0, bytes.length);
    }

    /** As {@link #set}, of a value that was in the pool already: references are not looked at. */
    public void keep(HeapTransaction tx, long object, long offset, T value) {
        set(tx, object, offset, value);
    }

    /** Frees what a slot owns; the slot's bytes are of no use afterwards. */
    public void release(HeapTransaction tx, long object, long offset) {
        // Owns nothing, unless it says otherwise.
    }

    /**
     * The hash of a value, the same in every run and on every machine: it lies in the pool. Equal
     * values have equal ones.
     */
    public abstract int hash(T value);

    /** Whether the slot holds a value equal to {@code value}, which is not null. */
    public boolean isEqual(HeapTransaction tx, long object, long offset, T value) {
        return value.equals(taken(tx, object, offset));
    }

    /** Whether values have a natural order. */
    public boolean isComparable() {
        return false;
    }

    /**
     * The slot's value against {@code value} in the natural order; neither is null.
     *
     * @return negative, 0 or positive, as of {@link Comparable#compareTo}
     */
    @SuppressWarnings("unchecked")
    public int compare(HeapTransaction tx, long object, long offset, T value) {
        if (!isComparable()) {
            throw FarheapException.wrongUse("Values of type %s have no natural order.", text());
        }
        return ((Comparable<Object>) taken(tx, object, offset)).compareTo(value);
    }

    /** Whether a slot can hold null by itself; where it can't, its holder keeps a bit for that. */
    public boolean isNullable() {
        return false;
    }

    /** Its name in the type table (docs/format.md). */
    public String text() {
        return getClass().getSimpleName();
    }

    /** Tells all that a slot names: blocks that it owns, objects that it refers to. */
    public void reach(HeapTransaction tx, long object, long offset, Reach reach) {
        // Names nothing, unless it says otherwise.
    }

    // ---- inside the image of a value that lies in one block ----

    /** Bytes in the image, without what lies behind all components. */
    public int imageSize() {
        return size();
    }

    int imageAlignment() {
        return alignment();
    }

    T load(HeapTransaction tx, ValueImage image, int at) {
        throw notInside();
    }

    void store(ValueImage image, int at, T value) {
        throw notInside();
    }

    private FarheapException notInside() {
        return FarheapException.wrongUse("A %s can't be part of another value.", text());
    }

    /** Tells the objects that a value in an image refers to. */
    void reach(ValueImage image, int at, Reach reach) {
        // Names nothing, unless it says otherwise.
    }

    /** The bytes of a value inside another one: equal ones have the same. */
    public final byte[] bytes(T value) {
        ValueImage image = new ValueImage(imageSize());
        store(image, 0, value);
        return image.toBytes();
    }

    /** Whether values may refer to objects. */
    public boolean namesObjects() {
        return false;
    }

    /** Whether every value has the same number of bytes. */
    boolean isFixed() {
        return true;
    }

    static RuntimeException damaged(String what, long object, RuntimeException cause) {
        return FarheapException.badData(
                cause,
                "The %s at 0x%x is damaged: look at the pool with farheap verify, and restore it"
                        + " from a replica.",
                what,
                object);
    }
}
