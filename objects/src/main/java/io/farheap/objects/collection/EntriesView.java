package io.farheap.objects.collection;

import java.util.Iterator;
import java.util.Map.Entry;
import java.util.function.Supplier;

/** A map's view of its entries. */
final class EntriesView<K, V> extends HeapSet<Entry<K, V>> {
    private final AtomicMap<K, V> map;
    private final Supplier<Iterator<Entry<K, V>>> iterators;

    EntriesView(AtomicMap<K, V> map, Supplier<Iterator<Entry<K, V>>> iterators) {
        super(map.heap);
        this.map = map;
        this.iterators = iterators;
    }

    @Override
    public Iterator<Entry<K, V>> iterator() {
        return iterators.get();
    }

    @Override
    public int size() {
        return map.size();
    }

    @Override
    public boolean contains(Object object) {
        return object instanceof Entry<?, ?> entry
                && entry.getKey() != null
                && entry.getValue() != null
                && entry.getValue().equals(map.get(entry.getKey()));
    }

    @Override
    public boolean remove(Object object) {
        return object instanceof Entry<?, ?> entry
                && entry.getKey() != null
                && map.remove(entry.getKey(), entry.getValue());
    }

    @Override
    public void clear() {
        map.clear();
    }
}
