package io.farheap.objects.collection;

import java.util.Iterator;

/** A map's view of its keys. */
class KeysView<K, V> extends HeapSet<K> {
    private final AtomicMap<K, V> map;

    KeysView(AtomicMap<K, V> map) {
        super(map.heap);
        this.map = map;
    }

    @Override
    public Iterator<K> iterator() {
        return map.keys(Handing.KEYS);
    }

    @Override
    Iterator<K> leaving() {
        return map.keys(Handing.LEAVING_KEYS);
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
