package io.farheap.objects.collection;

import io.farheap.objects.PersistentMap;
import io.farheap.objects.PersistentSet;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.value.ValueType;

/**
 * A type of collection with the types of what is in it: makes, opens, walks and deletes collections
 * of that type, each known by the image offset of its header object. Thread-safe.
 *
 * @param <C> what programs see of it
 */
public final class CollectionType<C> {
    private interface Opening<C> {
        C open(HeapTransactions heap, long header);
    }

    private final Structure structure;
    private final Opening<C> opening;

    private CollectionType(Structure structure, Opening<C> opening) {
        this.structure = structure;
        this.opening = opening;
    }

    public static <K, V> CollectionType<PersistentMap<K, V>> map(
            ValueType<K> keyType, ValueType<V> valueType) {
        HashTable<K, V> table = new HashTable<>(keyType, valueType);
        return new CollectionType<>(table, (heap, header) -> new HashedMap<>(heap, table, header));
    }

    public static <E> CollectionType<PersistentSet<E>> set(ValueType<E> elementType) {
        HashTable<E, Boolean> table = new HashTable<>(elementType, null);
        return new CollectionType<>(table, (heap, header) -> new HashedSet<>(heap, table, header));
    }

    /** Allocates an empty one; returns its header. */
    public long create(HeapTransaction tx) {
        return structure.create(tx);
    }

    /**
     * The collection with that header. What is returned has no state of its own: there may be any
     * number for one header.
     */
    public C open(HeapTransactions heap, long header) {
        return opening.open(heap, header);
    }

    /** Frees all that the collection owns, its header too; not what its elements refer to. */
    public void delete(HeapTransaction tx, long header) {
        structure.delete(tx, header);
    }

    /** Shows all that the collection owns. */
    public void walk(HeapTransaction tx, long header, CollectionVisitor visitor) {
        structure.walk(tx, header, visitor);
    }
}
