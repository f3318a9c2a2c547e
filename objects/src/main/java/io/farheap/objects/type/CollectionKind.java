package io.farheap.objects.type;

import io.farheap.objects.PersistentMap;
import io.farheap.objects.PersistentSet;
import io.farheap.objects.collection.CollectionType;
import io.farheap.objects.value.ValueType;
import java.util.List;
import java.util.function.Function;

/**
 * A collection that may be a field.
 *
 * @param text its name in the type table
 * @param isKeyed whether its first argument is looked up by its hash
 * @param isSorted whether its first argument is kept in its order
 */
record CollectionKind(
        Class<?> type,
        String text,
        boolean isKeyed,
        boolean isSorted,
        Function<List<ValueType<?>>, CollectionType<?>> of) {

    private static final List<CollectionKind> ALL =
            List.of(
                    new CollectionKind(
                            PersistentMap.class,
                            "map",
                            true,
                            false,
                            types -> CollectionType.map(types.get(0), types.get(1))),
                    new CollectionKind(
                            PersistentSet.class,
                            "set",
                            true,
                            false,
                            types -> CollectionType.set(types.get(0))));

    /** By its name in the type table; null for none. */
    static CollectionKind of(String text) {
        return ALL.stream().filter(kind -> kind.text.equals(text)).findFirst().orElse(null);
    }

    int arguments() {
        return type.getTypeParameters().length;
    }

    /** Null for a type that is no collection. */
    static CollectionKind of(Class<?> type) {
        return ALL.stream().filter(kind -> kind.type == type).findFirst().orElse(null);
    }
}
