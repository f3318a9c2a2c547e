package io.farheap.objects.value;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;
import java.util.List;

/** A slot of a smaller number, read as a larger one; not to be written. */
public final class WidenedType<T> extends ValueType<T> {
    private static final List<String> INTEGERS = List.of("byte", "short", "int", "long");

    private final ValueType<Number> stored;
    private final ValueType<T> target;

    private WidenedType(ValueType<Number> stored, ValueType<T> target) {
        this.stored = stored;
        this.target = target;
    }

    /**
     * The stored type, read as {@code target}; null where a value could change by that.
     *
     * @param stored the stored type's text
     */
    public static <T> ValueType<T> of(String stored, ValueType<T> target) {
        int from = INTEGERS.indexOf(stored);
        boolean isWider =
                from >= 0 && from < INTEGERS.indexOf(target.text())
                        || stored.equals("float") && target.text().equals("double");
        return isWider ? new WidenedType<>(number(stored), target) : null;
    }

    @SuppressWarnings("unchecked")
    private static ValueType<Number> number(String text) {
        ValueType<?> type =
                switch (text) {
                    case "byte" -> Primitives.BYTE;
                    case "short" -> Primitives.SHORT;
                    case "int" -> Primitives.INT;
                    default -> Primitives.FLOAT;
                };
        return (ValueType<Number>) type;
    }

    @SuppressWarnings("unchecked")
    private T widened(Number value) {
        Object wide =
                switch (target.text()) {
                    case "short" -> value.shortValue();
                    case "int" -> value.intValue();
                    case "long" -> value.longValue();
                    default -> value.doubleValue();
                };
        return (T) wide;
    }

    @Override
    public int size() {
        return stored.size();
    }

    @Override
    public int alignment() {
        return stored.alignment();
    }

    @Override
    public T get(HeapTransaction tx, long object, long offset) {
        return widened(stored.get(tx, object, offset));
    }

    @Override
    public void set(HeapTransaction tx, long object, long offset, T value) {
        throw FarheapException.wrongUse("A slot of type %s has no room for %s.", text(), value);
    }

    @Override
    public int hash(T value) {
        return target.hash(value);
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
        return stored.text();
    }

    @Override
    T load(HeapTransaction tx, ValueImage image, int at) {
        return widened(stored.load(tx, image, at));
    }

    @Override
    void store(ValueImage image, int at, T value) {
        throw FarheapException.wrongUse("A slot of type %s has no room for %s.", text(), value);
    }
}
