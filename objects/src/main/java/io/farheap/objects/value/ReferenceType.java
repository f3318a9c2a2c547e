package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;

/** A reference to a typed object: libpmemobj's PMEMoid, pool id and offset; all 0 for null. */
public final class ReferenceType<T> extends ValueType<T> {
    private static final int POOL_ID = 0;
    private static final int OFFSET = 8;
    private static final int BYTES = 16;

    private final Class<T> type;
    private final String text;
    private final ObjectReferences references;

    /**
     * @param name of the type in the pool
     */
    public ReferenceType(Class<T> type, String name, ObjectReferences references) {
        this.type = type;
        this.text = "ref " + name;
        this.references = references;
    }

    @Override
    public int size() {
        return BYTES;
    }

    @Override
    public int alignment() {
        return Long.BYTES;
    }

    @Override
    public T get(HeapTransaction tx, long object, long offset) {
        return at(tx, tx.getLong(object, offset + OFFSET));
    }

    @Override
    public T taken(HeapTransaction tx, long object, long offset) {
        return takenAt(tx, tx.getLong(object, offset + OFFSET));
    }

    private T takenAt(HeapTransaction tx, long target) {
        return target == 0 ? null : references.takenAt(tx, target, type);
    }

    private T at(HeapTransaction tx, long target) {
        return target == 0 ? null : references.at(tx, target, type);
    }

    @Override
    public void set(HeapTransaction tx, long object, long offset, T value) {
        long target = value == null ? 0 : references.offsetOf(value);
        if (target != 0) {
            references.requireThere(tx, target);
        }
        tx.setLong(object, offset + POOL_ID, target == 0 ? 0 : references.poolId());
        tx.setLong(object, offset + OFFSET, target);
    }

    /** Of the place: an object keeps it all its life. */
    @Override
    public int hash(T value) {
        return LongType.hashOf(references.offsetOf(value));
    }

    @Override
    public boolean isEqual(HeapTransaction tx, long object, long offset, T value) {
        return tx.getLong(object, offset + OFFSET) == references.offsetOf(value);
    }

    @Override
    public boolean isComparable() {
        return Comparable.class.isAssignableFrom(type);
    }

    @Override
    public boolean isNullable() {
        return true;
    }

    @Override
    public String text() {
        return text;
    }

    @Override
    public void reach(HeapTransaction tx, long object, long offset, Reach reach) {
        reach(tx.getLong(object, offset + OFFSET), reach);
    }

    private void reach(long target, Reach reach) {
        if (target != 0) {
            reach.object(target, references);
        }
    }

    @Override
    T load(HeapTransaction tx, ValueImage image, int at) {
        long target = image.getLong(at + OFFSET);
        return image.isLeaving() ? takenAt(tx, target) : at(tx, target);
    }

    @Override
    void store(ValueImage image, int at, T value) {
        long target = value == null ? 0 : references.offsetOf(value);
        image.putLong(at + POOL_ID, target == 0 ? 0 : references.poolId());
        image.putLong(at + OFFSET, target);
    }

    @Override
    public boolean namesObjects() {
        return true;
    }

    @Override
    void reach(ValueImage image, int at, Reach reach) {
        reach(image.getLong(at + OFFSET), reach);
    }
}
