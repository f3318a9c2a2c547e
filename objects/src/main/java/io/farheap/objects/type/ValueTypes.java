package io.farheap.objects.type;

import io.farheap.objects.value.ArrayType;
import io.farheap.objects.value.LongType;
import io.farheap.objects.value.NumberTypes;
import io.farheap.objects.value.Primitives;
import io.farheap.objects.value.ReferenceType;
import io.farheap.objects.value.StringType;
import io.farheap.objects.value.TwoNumbersType;
import io.farheap.objects.value.ValueType;
import io.farheap.objects.value.VariableType;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Which value type stands for a type of the program. */
final class ValueTypes {
    private static final Map<Class<?>, ValueType<?>> SIMPLE =
            Map.ofEntries(
                    Map.entry(long.class, LongType.LONG),
                    Map.entry(Long.class, LongType.LONG),
                    Map.entry(int.class, Primitives.INT),
                    Map.entry(Integer.class, Primitives.INT),
                    Map.entry(short.class, Primitives.SHORT),
                    Map.entry(Short.class, Primitives.SHORT),
                    Map.entry(byte.class, Primitives.BYTE),
                    Map.entry(Byte.class, Primitives.BYTE),
                    Map.entry(char.class, Primitives.CHAR),
                    Map.entry(Character.class, Primitives.CHAR),
                    Map.entry(boolean.class, Primitives.BOOLEAN),
                    Map.entry(Boolean.class, Primitives.BOOLEAN),
                    Map.entry(float.class, Primitives.FLOAT),
                    Map.entry(Float.class, Primitives.FLOAT),
                    Map.entry(double.class, Primitives.DOUBLE),
                    Map.entry(Double.class, Primitives.DOUBLE),
                    Map.entry(String.class, StringType.STRING),
                    Map.entry(byte[].class, ArrayType.BYTES),
                    Map.entry(BigInteger.class, NumberTypes.BIG_INTEGER),
                    Map.entry(BigDecimal.class, NumberTypes.BIG_DECIMAL),
                    Map.entry(Instant.class, TwoNumbersType.INSTANT),
                    Map.entry(Duration.class, TwoNumbersType.DURATION),
                    Map.entry(LocalDate.class, TwoNumbersType.LOCAL_DATE),
                    Map.entry(LocalTime.class, TwoNumbersType.LOCAL_TIME),
                    Map.entry(LocalDateTime.class, TwoNumbersType.LOCAL_DATE_TIME),
                    Map.entry(UUID.class, TwoNumbersType.UUID));

    private final HeapContext heap;
    private final Mistakes mistakes;

    /** Enums, records and sealed interfaces; null for what is none of those. */
    private final Function<Class<?>, ValueType<?>> declared;

    ValueTypes(HeapContext heap, Mistakes mistakes, Function<Class<?>, ValueType<?>> declared) {
        this.heap = heap;
        this.mistakes = mistakes;
        this.declared = declared;
    }

    /** By its name in the type table; null for none of these. */
    static ValueType<?> simple(String text) {
        return SIMPLE.values().stream()
                .filter(type -> type.text().equals(text))
                .findFirst()
                .orElse(null);
    }

    static boolean isSimpleAndFixed(Class<?> type) {
        ValueType<?> simple = SIMPLE.get(type);
        return simple != null && !(simple instanceof VariableType);
    }

    /** Of a field or component; null after a mistake. */
    ValueType<?> ofField(Property property, String place) {
        CollectionKind kind = CollectionKind.of(property.rawType());
        if (property.sortedBy() != null && (kind == null || !kind.isSorted())) {
            mistakes.add(place, "has @SortedBy and is no sorted collection");
        }
        return kind == null ? ofValue(property.type(), place) : collection(kind, property, place);
    }

    private ValueType<?> collection(CollectionKind kind, Property property, String place) {
        Type type = property.type();
        if (!(type instanceof ParameterizedType)) {
            if (kind.type().getTypeParameters().length == 0) {
                return field(kind, List.of(), null);
            }
            mistakes.add(place, "is a %s without type arguments", kind.type().getSimpleName());
            return null;
        }
        List<ValueType<?>> elements = new ArrayList<>();
        for (Type argument : ((ParameterizedType) type).getActualTypeArguments()) {
            elements.add(ofValue(argument, place));
        }
        if (elements.contains(null)) {
            return null;
        }
        ValueType<?> first = elements.get(0);
        if (kind.isKeyed() && first instanceof ArrayType) {
            mistakes.add(place, "has arrays for keys, which are equal only to themselves in Java");
            return null;
        }
        boolean isOrdered = property.sortedBy() != null || first.isComparable();
        if (kind.isSorted() && !isOrdered) {
            mistakes.add(
                    place,
                    "is sorted, and values of type %s have no order: give one by @SortedBy",
                    first.text());
            return null;
        }
        return field(kind, elements, order(property.sortedBy(), place));
    }

    /** Null for none, and after a mistake. */
    @SuppressWarnings("unchecked")
    private Comparator<Object> order(Class<?> type, String place) {
        try {
            return type == null
                    ? null
                    : (Comparator<Object>)
                            MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                                    .findConstructor(type, MethodType.methodType(void.class))
                                    .invoke();
        } catch (ReflectiveOperationException e) {
            mistakes.add(
                    place, "has the order %s, which has no constructor for it", type.getName());
            return null;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private ValueType<?> field(
            CollectionKind kind, List<ValueType<?>> elements, Comparator<Object> order) {
        String text =
                elements.stream()
                        .map(ValueType::text)
                        .collect(Collectors.joining(", ", kind.text() + "<", ">"));
        return new CollectionField<>(
                kind.of(elements, order), elements.isEmpty() ? kind.text() : text, heap);
    }

    private ValueType<?> ofValue(Type type, String place) {
        Class<?> raw = Generics.raw(type);
        ValueType<?> simple = SIMPLE.get(raw);
        if (simple != null) {
            return simple;
        }
        if (raw.isArray()) {
            ValueType<?> element = ofValue(raw.getComponentType(), place);
            return element == null ? null : new ArrayType(raw.getComponentType(), element);
        }
        if (ProgramTypes.isObject(raw)) {
            return new ReferenceType<>(raw, ProgramTypes.nameOf(raw), heap);
        }
        ValueType<?> ofProgram = declared.apply(raw);
        if (ofProgram == null && !mistakes.isToldOf(raw.getSimpleName())) {
            mistakes.add(place, "%s", why(type, raw));
        }
        return ofProgram;
    }

    private static String why(Type type, Class<?> raw) {
        String name = Generics.name(type);
        if (CollectionKind.of(raw) != null) {
            return String.format(
                    "has a collection (%s) inside a value or another collection: put it into a"
                            + " @Persistent interface, and refer to that",
                    raw.getSimpleName());
        }
        if (Iterable.class.isAssignableFrom(raw) || Map.class.isAssignableFrom(raw)) {
            return String.format(
                    "has type %s, which can't be stored: use PersistentMap or another persistent"
                            + " collection",
                    name);
        }
        if (raw.isInterface()) {
            return String.format(
                    "has type %s, an interface that is neither marked @Persistent nor sealed with"
                            + " records only",
                    name);
        }
        if (raw.isRecord() && raw.getTypeParameters().length > 0) {
            return String.format(
                    "has type %s, a record with type parameters, which can't be stored: make it a"
                            + " record that names the types of its components",
                    name);
        }
        return String.format(
                "has type %s, which can't be stored: make it a record, or an interface marked"
                        + " @Persistent",
                name);
    }
}
