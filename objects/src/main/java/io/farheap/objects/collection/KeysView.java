package io.farheap.objects.collection;

import java.util.Iterator;
import java.util.Map.Entry;

/** A map's view of its keys. */
class KeysView<K, V> extends HeapSet<K> {
    private final AtomicMap<K, V> map;

    KeysView(AtomicMap<K, V> map) {
        super(map.heap);
        this.map = map;
    }

    @Override
    public Iterator<K> iterator() {
        return new MappedIterator<>(map.entrySet().iterator(), Entry::getKey);
    }

    @Override
    public int size() {
        return map.size();
    }

    @Override
    public boolean contains(Object key) {
        return map.containsKey(key);
    }

    @Override
    public boolean remove(Object key) {
        return map.removeKey(key);
    }

    @Override
    public void clear() {
        map.clear();
    }
}
