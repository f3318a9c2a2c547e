package io.farheap.objects.value;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;

/**
 * A record of no fixed size, or one of those that a sealed interface permits.
 *
 * <pre>
 *   0  number of the record's type in the type table, 4 B    4  0, 4 B    8  its image
 * </pre>
 *
 * The number tells which record it is and in which version it was stored.
 */
public final class RecordType<T> extends VariableType<T> {
    private static final int IMAGE_AT = 8;

    /** What the program and the pool know of its records. */
    public interface Records {
        /** How a record of the program is stored now; null for what is none. */
        RecordImage ofValue(Object record);

        /** How a record with that number in the table was stored; null when it is none of those. */
        RecordImage of(int number);
    }

    private final Class<T> type;
    private final Records records;

    /**
     * @param text its kind and name in the type table
     */
    public RecordType(String text, Class<T> type, Records records) {
        super(text);
        this.type = type;
        this.records = records;
    }

    private RecordImage imageOfValue(Object value) {
        RecordImage image = records.ofValue(value);
        if (image == null) {
            throw FarheapException.wrongUse(
                    "A %s is no value of %s.", value.getClass().getName(), text());
        }
        return image;
    }

    private RecordImage imageOf(int number) {
        RecordImage image = records.of(number);
        if (image == null) {
            throw FarheapException.badData(
                    "A value of type %s is one of type number %d, which the program does not know"
                            + " as such.",
                    text(), number);
        }
        return image;
    }

    @Override
    byte[] encode(T value) {
        RecordImage record = imageOfValue(value);
        ValueImage image = new ValueImage(IMAGE_AT + record.size());
        image.putInt(0, record.number());
        try {
            record.store(image, IMAGE_AT, value);
        } catch (StackOverflowError e) {
            throw tooDeep(e);
        }
        return image.toBytes();
    }

    private FarheapException tooDeep(StackOverflowError e) {
        return FarheapException.wrongUse(
                e,
                "A value of type %s is nested deeper than this thread's stack allows; make objects"
                        + " of it that refer to each other.",
                text());
    }

    @Override
    T decode(HeapTransaction tx, byte[] bytes) {
        return record(tx, new ValueImage(bytes));
    }

    @Override
    T decodeLeaving(HeapTransaction tx, byte[] bytes) {
        return record(tx, new ValueImage(bytes).leaving());
    }

    @SuppressWarnings("unchecked")
    private T record(HeapTransaction tx, ValueImage image) {
        try {
            return (T) imageOf(image.getInt(0)).load(tx, image, IMAGE_AT);
        } catch (StackOverflowError e) {
            throw tooDeep(e);
        }
    }

    @Override
    public int hash(T value) {
        try {
            return imageOfValue(value).hash(value);
        } catch (StackOverflowError e) {
            throw tooDeep(e);
        }
    }

    @Override
    public boolean isComparable() {
        return Comparable.class.isAssignableFrom(type);
    }

    /** A record that is not known yet may name some. */
    @Override
    public boolean namesObjects() {
        return true;
    }

    @Override
    void reach(byte[] bytes, Reach reach) {
        ValueImage image = new ValueImage(bytes);
        try {
            imageOf(image.getInt(0)).reach(image, IMAGE_AT, reach);
        } catch (StackOverflowError e) {
            throw tooDeep(e);
        }
    }
}
