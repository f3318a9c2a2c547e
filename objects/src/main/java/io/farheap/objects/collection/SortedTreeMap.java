package io.farheap.objects.collection;

import io.farheap.objects.schema.PersistentSortedMap;
import io.farheap.objects.transaction.HeapTransactions;

/** The whole of a {@link SortedTree}, upwards, as a map of {@code java.util}. */
final class SortedTreeMap<K, V> extends TreeMapView<K, V> implements PersistentSortedMap<K, V> {
    private final LongEntries longs;

    /** Refuses a tree in another order. */
    SortedTreeMap(HeapTransactions heap, SortedTree<K, V> tree, long header) {
        super(heap, tree, header, KeyRange.all(tree.order), false);
        this.longs = tree.longs(heap, header);
        heap.read(
                tx -> {
                    tree.requireOrder(tx, header);
                    return null;
                });
    }

    @Override
    public long getLong(long key, long absent) {
        return longs.get(key, absent);
    }

    @Override
    public boolean putLong(long key, long value) {
        return longs.put(key, value);
    }

    @Override
    public boolean containsLong(long key) {
        return longs.contains(key);
    }

    @Override
    public boolean removeLong(long key) {
        return longs.remove(key);
    }
}
