package io.farheap.objects.collection;

import java.util.Iterator;
import java.util.Map.Entry;

/** A map's view of its entries. */
final class EntriesView<K, V> extends HeapSet<Entry<K, V>> {
    private final AtomicMap<K, V> map;

    EntriesView(AtomicMap<K, V> map) {
        super(map.heap);
        this.map = map;
    }

    @Override
    public Iterator<Entry<K, V>> iterator() {
        return map.iterator(Handing.ENTRIES);
    }

    @Override
    Iterator<Entry<K, V>> leaving() {
        return map.iterator(Handing.LEAVING_ENTRIES);
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
