package io.farheap.objects.collection;

import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map.Entry;

/** A hash map's view of its entries. */
final class HashedEntries<K, V> extends AbstractSet<Entry<K, V>> {
    private final HashedMap<K, V> map;

    HashedEntries(HashedMap<K, V> map) {
        this.map = map;
    }

    @Override
    public Iterator<Entry<K, V>> iterator() {
        return map.iterator();
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
