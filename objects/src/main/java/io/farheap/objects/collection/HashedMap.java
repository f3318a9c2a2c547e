package io.farheap.objects.collection;

import io.farheap.objects.schema.PersistentMap;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.Iterator;
import java.util.Set;

/** {@link HashTable} as a map of {@code java.util}. */
final class HashedMap<K, V> extends AtomicMap<K, V> implements PersistentMap<K, V> {
    final HashTable<K, V> table;
    final long header;
    private final LongEntries longs;
    private final Set<K> keys;
    private final Set<Entry<K, V>> entries;

    HashedMap(HeapTransactions heap, HashTable<K, V> table, long header) {
        super(heap);
        this.table = table;
        this.header = header;
        this.longs = table.longs(heap, header);
        this.keys = new KeysView<>(this);
        this.entries = new EntriesView<>(this);
    }

    @Override
    @SuppressWarnings("unchecked") // as far as the caller's own declarations are right
    V load(HeapTransaction tx, Object key) {
        long entry = table.find(tx, header, (K) key);
        return entry == 0 ? null : table.value(tx, entry);
    }

    @Override
    V taken(HeapTransaction tx, K key) {
        long entry = table.find(tx, header, key);
        return entry == 0 ? null : table.takenValue(tx, entry);
    }

    @Override
    @SuppressWarnings("unchecked") // as far as the caller's own declarations are right
    boolean has(HeapTransaction tx, Object key) {
        return table.find(tx, header, (K) key) != 0;
    }

    @Override
    boolean erase(HeapTransaction tx, K key) {
        long entry = table.find(tx, header, key);
        if (entry != 0) {
            table.remove(tx, header, entry);
        }
        return entry != 0;
    }

    @Override
    V store(HeapTransaction tx, K key, V value) {
        long entry = table.find(tx, header, key);
        if (entry == 0) {
            if (value != null) {
                table.setValue(tx, table.insert(tx, header, key), value);
            }
            return null;
        }
        V old = table.takenValue(tx, entry);
        if (value == null) {
            table.remove(tx, header, entry);
        } else {
            table.setValue(tx, entry, value);
        }
        return old;
    }

    @Override
    long count(HeapTransaction tx) {
        return HashTable.size(tx, header);
    }

    @Override
    public void clear() {
        heap.change(
                tx -> {
                    table.clear(tx, header);
                    return null;
                });
    }

    @Override
    public Set<K> keySet() {
        return keys;
    }

    @Override
    public Set<Entry<K, V>> entrySet() {
        return entries;
    }

    @Override
    Iterator<Entry<K, V>> iterator(Handing handing) {
        return new HashedIterator<>(this, handing);
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
