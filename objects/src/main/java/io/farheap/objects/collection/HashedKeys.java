package io.farheap.objects.collection;

import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map.Entry;

/** A hash map's view of its keys. */
final class HashedKeys<K> extends AbstractSet<K> {
    private final HashedMap<K, ?> map;

    HashedKeys(HashedMap<K, ?> map) {
        this.map = map;
    }

    @Override
    public Iterator<K> iterator() {
        return new KeyIterator<>(map.iterator());
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

    /** The keys of the entries that another iterator returns. */
    record KeyIterator<K, E extends Entry<K, ?>>(Iterator<E> entries) implements Iterator<K> {
        @Override
        public boolean hasNext() {
            return entries.hasNext();
        }

        @Override
        public K next() {
            return entries.next().getKey();
        }

        @Override
        public void remove() {
            entries.remove();
        }
    }
}
