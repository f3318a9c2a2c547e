package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;

/** A record all of whose components have a fixed size: a slot is its image. */
public final class FlatRecordType<T> extends ImageType<T> {
    private final String text;
    private final RecordImage record;

    /**
     * @param text its name and version in the pool
     */
    public FlatRecordType(String text, RecordImage record) {
        this.text = text;
        this.record = record;
    }

    @Override
    public int size() {
        return Math.max(1, record.size());
    }

    @Override
    public int alignment() {
        return record.alignment();
    }

    @Override
    public int hash(T value) {
        return record.hash(value);
    }

    @Override
    public boolean isComparable() {
        return Comparable.class.isAssignableFrom(record.javaType());
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
    public void reach(HeapTransaction tx, long object, long offset, Reach reach) {
        if (namesObjects()) {
            record.reach(image(tx, object, offset), 0, reach);
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    T load(HeapTransaction tx, ValueImage image, int at) {
        return (T) record.load(tx, image, at);
    }

    @Override
    void store(ValueImage image, int at, T value) {
        record.store(image, at, value);
    }

    @Override
    public boolean namesObjects() {
        return record.namesObjects();
    }

    @Override
    void reach(ValueImage image, int at, Reach reach) {
        record.reach(image, at, reach);
    }
}
