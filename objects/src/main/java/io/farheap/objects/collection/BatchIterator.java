package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import java.util.AbstractMap.SimpleEntry;
import java.util.Iterator;
import java.util.List;
import java.util.Map.Entry;
import java.util.NoSuchElementException;

/** An iterator of a map that gets some entries at a time, each time in one read. */
abstract class BatchIterator<K, V> implements Iterator<Entry<K, V>> {
    private static final int FEWEST = 32;
    private static final int MOST = 512;

    private final AtomicMap<K, V> map;
    private List<Entry<K, V>> found = List.of();
    private int next;
    private Entry<K, V> last;
    private Entry<K, V> removable;
    private boolean isAtEnd;
    private int atOnce = FEWEST;

    BatchIterator(AtomicMap<K, V> map) {
        this.map = map;
    }

    /** An entry as an iterator returns it. */
    final Entry<K, V> entry(K key, V value) {
        return new StoringEntry<>(map, key, value);
    }

    /** How many entries the next read is to get, nearly. */
    final int atOnce() {
        return atOnce;
    }

    /** The entries behind {@code last}, null for the first ones; none at the end. */
    abstract List<Entry<K, V>> more(HeapTransaction tx, Entry<K, V> last);

    /** What {@link #more} returned last counts: it may have run more than once. */
    void taken() {
        // The last entry tells where to go on, unless it says otherwise.
    }

    @Override
    public boolean hasNext() {
        if (next == found.size() && !isAtEnd) {
            found = map.heap.glance(tx -> more(tx, last));
            taken();
            atOnce = Math.min(MOST, 2 * atOnce);
            next = 0;
            isAtEnd = found.isEmpty();
        }
        return next < found.size();
    }

    @Override
    public Entry<K, V> next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        last = found.get(next++);
        removable = last;
        return last;
    }

    @Override
    public void remove() {
        if (removable == null) {
            throw new IllegalStateException();
        }
        boolean unused = map.removeKey(removable.getKey());
        removable = null;
    }

    private static final class StoringEntry<K, V> extends SimpleEntry<K, V> {
        private static final long serialVersionUID = 1L;
        private final transient AtomicMap<K, V> map;

        StoringEntry(AtomicMap<K, V> map, K key, V value) {
            super(key, value);
            this.map = map;
        }

        @Override
        public V setValue(V value) {
            V unused = map.put(getKey(), value);
            return super.setValue(value);
        }
    }
}
