package io.farheap.objects.value;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Gives fields their places: each at a multiple of its alignment, those with the larger alignment
 * first, then the larger ones, then as they are declared; behind them the bits for null.
 *
 * <pre>
 *   start   fields by alignment and size   null bits, 1 B for 8   up to a multiple of the alignment
 * </pre>
 */
public final class FieldLayout {
    /**
     * A field to be placed.
     *
     * @param mayBeNull whether it needs a place for null
     */
    public record Field(String name, ValueType<?> type, boolean mayBeNull) {}

    private final List<FieldPlace> places;
    private final int size;
    private final int alignment;

    private FieldLayout(
            int start,
            List<Field> fields,
            ToIntFunction<ValueType<?>> sizeOf,
            ToIntFunction<ValueType<?>> alignmentOf) {
        List<Field> ordered = new ArrayList<>(fields);
        ordered.sort(
                Comparator.<Field>comparingInt(field -> -alignmentOf.applyAsInt(field.type()))
                        .thenComparingInt(field -> -sizeOf.applyAsInt(field.type())));
        int end = start;
        int largest = 1;
        int[] offsets = new int[fields.size()];
        for (Field field : ordered) {
            int step = alignmentOf.applyAsInt(field.type());
            largest = Math.max(largest, step);
            end = up(end, step);
            offsets[fields.indexOf(field)] = end;
            end = Math.addExact(end, sizeOf.applyAsInt(field.type()));
        }
        int bit = end * Byte.SIZE;
        this.places = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            Field field = fields.get(i);
            boolean needsBit = field.mayBeNull() && !field.type().isNullable();
            places.add(
                    new FieldPlace(
                            field.name(),
                            field.type(),
                            offsets[i],
                            needsBit ? bit++ : FieldPlace.NONE));
        }
        this.alignment = largest;
        this.size = up((bit + Byte.SIZE - 1) / Byte.SIZE, largest);
    }

    private static int up(int value, int step) {
        return (value + step - 1) & -step;
    }

    /** Slots in an object, from {@code start} on. */
    public static FieldLayout ofObject(int start, List<Field> fields) {
        return new FieldLayout(start, fields, ValueType::size, ValueType::alignment);
    }

    /** In the image of a record. */
    public static FieldLayout ofImage(List<Field> fields) {
        return new FieldLayout(0, fields, ValueType::imageSize, ValueType::imageAlignment);
    }

    /** In the order of declaration. */
    public List<FieldPlace> places() {
        return places;
    }

    /** Bytes from the holder's start, a multiple of the alignment. */
    public int size() {
        return size;
    }

    public int alignment() {
        return alignment;
    }
}
