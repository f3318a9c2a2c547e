package io.farheap.objects.type;

import io.farheap.base.FarheapException;
import io.farheap.objects.type.TypeDescriptor.Field;
import io.farheap.objects.value.FieldPlace;
import io.farheap.objects.value.ValueType;
import java.util.function.BiFunction;
import java.util.function.ToIntFunction;

/**
 * Where a field of the program lies in a stored version of its holder.
 *
 * @param place null where that version lacks the field
 * @param isExact whether the place takes each value that the field may have
 * @param refusal why the stored field can't be the program's; null where it can
 */
record FieldBinding(FieldPlace place, boolean isExact, String refusal) {
    private static final FieldBinding ABSENT = new FieldBinding(null, false, null);

    /**
     * @param type the field's type in the program
     * @param storedAs the value type that reads a stored text as another type; null for none
     * @param sizeOf bytes of a value in such a holder
     */
    static FieldBinding of(
            Property property,
            ValueType<?> type,
            TypeDescriptor holder,
            BiFunction<String, ValueType<?>, ValueType<?>> storedAs,
            ToIntFunction<ValueType<?>> sizeOf) {
        Field field = find(property, holder);
        if (field == null) {
            return ABSENT;
        }
        ValueType<?> stored = storedAs.apply(field.type(), type);
        if (stored == null) {
            return refused("%s can't become %s", field.type(), type.text());
        }
        boolean mayBeNull = field.nullBit() >= 0;
        if (mayBeNull && property.rawType().isPrimitive()) {
            return refused("null can't become %s", type.text());
        }
        if (sizeOf.applyAsInt(stored) != field.size()) {
            throw FarheapException.badData(
                    "The type table is damaged: field %s of %s, a %s, has %d bytes instead of %d.",
                    field.name(),
                    holder.name(),
                    field.type(),
                    field.size(),
                    sizeOf.applyAsInt(stored));
        }
        boolean needsBit = !property.rawType().isPrimitive() && !type.isNullable();
        return new FieldBinding(
                new FieldPlace(property.name(), stored, field.offset(), field.nullBit()),
                stored == type && (mayBeNull || !needsBit),
                null);
    }

    private static FieldBinding refused(String format, Object... values) {
        return new FieldBinding(null, false, String.format(format, values));
    }

    private static Field find(Property property, TypeDescriptor holder) {
        Field field = holder.field(property.name());
        for (String former : property.formerNames()) {
            field = field == null ? holder.field(former) : field;
        }
        return field;
    }
}
