package io.farheap.objects.type;

import io.farheap.objects.collection.CollectionType;
import io.farheap.objects.schema.PersistentBlob;
import io.farheap.objects.schema.PersistentCounter;
import io.farheap.objects.schema.PersistentDeque;
import io.farheap.objects.schema.PersistentList;
import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.schema.PersistentSet;
import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.schema.PersistentSortedSet;
import io.farheap.objects.value.ValueType;
import java.util.Comparator;
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
        Class<?> type, String text, boolean isKeyed, boolean isSorted, Making making) {

    /** Makes the type of a collection from those of its arguments. */
    private interface Making {
        CollectionType<?> of(List<ValueType<?>> types, Comparator<Object> order);
    }

    private static final List<CollectionKind> ALL =
            List.of(
                    hashed(
                            PersistentMap.class,
                            "map",
                            types -> CollectionType.map(types.get(0), types.get(1))),
                    hashed(PersistentSet.class, "set", types -> CollectionType.set(types.get(0))),
                    sorted(PersistentSortedMap.class, "sortedmap", CollectionKind::sortedMap),
                    sorted(PersistentSortedSet.class, "sortedset", CollectionKind::sortedSet),
                    plain(PersistentList.class, "list", types -> CollectionType.list(types.get(0))),
                    plain(
                            PersistentDeque.class,
                            "deque",
                            types -> CollectionType.deque(types.get(0))),
                    plain(PersistentCounter.class, "counter", types -> CollectionType.counter()),
                    plain(PersistentBlob.class, "blob", types -> CollectionType.blob()));

    private static CollectionKind hashed(
            Class<?> type, String text, Function<List<ValueType<?>>, CollectionType<?>> of) {
        return new CollectionKind(type, text, true, false, (types, order) -> of.apply(types));
    }

    private static CollectionKind sorted(Class<?> type, String text, Making making) {
        return new CollectionKind(type, text, false, true, making);
    }

    private static CollectionKind plain(
            Class<?> type, String text, Function<List<ValueType<?>>, CollectionType<?>> of) {
        return new CollectionKind(type, text, false, false, (types, order) -> of.apply(types));
    }

    @SuppressWarnings("unchecked")
    private static CollectionType<?> sortedMap(List<ValueType<?>> types, Comparator<Object> order) {
        return CollectionType.sortedMap((ValueType<Object>) types.get(0), types.get(1), order);
    }

    @SuppressWarnings("unchecked")
    private static CollectionType<?> sortedSet(List<ValueType<?>> types, Comparator<Object> order) {
        return CollectionType.sortedSet((ValueType<Object>) types.get(0), order);
    }

    /**
     * @param order of a sorted one; null for that of the values themselves
     */
    CollectionType<?> of(List<ValueType<?>> types, Comparator<Object> order) {
        return making.of(types, order);
    }

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
