package io.farheap.objects.collection;

import java.util.Iterator;
import java.util.Map.Entry;

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
