package io.farheap.objects.collection;

import java.util.AbstractMap.SimpleEntry;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map.Entry;
import java.util.NoSuchElementException;

/** Goes through a hash map, some buckets in each read. */
final class HashedIterator<K, V> implements Iterator<Entry<K, V>> {
    private static final int AT_ONCE = 32;

    private final HashedMap<K, V> map;
    private long goOn = HashTable.SCAN_BEGIN;
    private List<Entry<K, V>> found = List.of();
    private int next;
    private Entry<K, V> last;

    HashedIterator(HashedMap<K, V> map) {
        this.map = map;
        findMore();
    }

    private record Found<K, V>(List<Entry<K, V>> entries, long goOn) {}

    private void findMore() {
        if (next < found.size() || goOn == HashTable.SCAN_END) {
            return;
        }
        Found<K, V> more =
                map.heap.read(
                        tx -> {
                            List<Entry<K, V>> entries = new ArrayList<>();
                            long at = goOn;
                            while (entries.size() < AT_ONCE && at != HashTable.SCAN_END) {
                                at = map.table.scan(tx, map.header, at, entries);
                            }
                            return new Found<>(entries, at);
                        });
        found = more.entries;
        goOn = more.goOn;
        next = 0;
    }

    @Override
    public boolean hasNext() {
        return next < found.size();
    }

    @Override
    public Entry<K, V> next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        last = found.get(next++);
        findMore();
        return new StoringEntry<>(map, last);
    }

    @Override
    public void remove() {
        if (last == null) {
            throw new IllegalStateException();
        }
        boolean unused = map.removeKey(last.getKey());
        last = null;
    }

    private static final class StoringEntry<K, V> extends SimpleEntry<K, V> {
        private static final long serialVersionUID = 1L;
        private final transient HashedMap<K, V> map;

        StoringEntry(HashedMap<K, V> map, Entry<K, V> found) {
            super(found);
            this.map = map;
        }

        @Override
        public V setValue(V value) {
            V unused = map.put(getKey(), value);
            return super.setValue(value);
        }
    }
}
