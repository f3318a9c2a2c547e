package io.farheap.objects.collection;

import io.farheap.objects.PersistentMap;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.AbstractMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

/** {@link HashTable} as a map of {@code java.util}. */
final class HashedMap<K, V> extends AbstractMap<K, V> implements PersistentMap<K, V> {
    final HeapTransactions heap;
    final HashTable<K, V> table;
    final long header;
    private final LongEntries longs;
    private final Set<K> keys = new HashedKeys<>(this);
    private final Set<Entry<K, V>> entries = new HashedEntries<>(this);

    HashedMap(HeapTransactions heap, HashTable<K, V> table, long header) {
        this.heap = heap;
        this.table = table;
        this.header = header;
        this.longs = new LongEntries(heap, table, header);
    }

    @SuppressWarnings("unchecked") // as far as the caller's own declarations are right
    private long find(HeapTransaction tx, Object key) {
        return table.find(tx, header, (K) key);
    }

    private V value(HeapTransaction tx, long entry) {
        return entry == 0 ? null : table.value(tx, entry);
    }

    /** Sets, inserts or, where the value is null, removes. */
    private void store(HeapTransaction tx, long entry, K key, V value) {
        if (value != null) {
            table.setValue(tx, entry == 0 ? table.insert(tx, header, key) : entry, value);
        } else if (entry != 0) {
            table.remove(tx, header, entry);
        }
    }

    // ---- reads ----

    @Override
    public int size() {
        long size = heap.read(tx -> HashTable.size(tx, header));
        return (int) Math.min(Integer.MAX_VALUE, size);
    }

    @Override
    public boolean isEmpty() {
        return size() == 0;
    }

    @Override
    public V get(Object key) {
        Objects.requireNonNull(key);
        return heap.read(tx -> value(tx, find(tx, key)));
    }

    @Override
    public V getOrDefault(Object key, V defaultValue) {
        V value = get(key);
        return value == null ? defaultValue : value;
    }

    @Override
    public boolean containsKey(Object key) {
        Objects.requireNonNull(key);
        return heap.read(tx -> find(tx, key) != 0);
    }

    @Override
    public boolean containsValue(Object value) {
        Objects.requireNonNull(value);
        return heap.read(tx -> super.containsValue(value));
    }

    @Override
    public boolean equals(Object other) {
        return other == this || heap.read(tx -> super.equals(other));
    }

    @Override
    public int hashCode() {
        return heap.read(tx -> super.hashCode());
    }

    @Override
    public String toString() {
        return heap.read(tx -> super.toString());
    }

    @Override
    public Set<K> keySet() {
        return keys;
    }

    @Override
    public Set<Entry<K, V>> entrySet() {
        return entries;
    }

    Iterator<Entry<K, V>> iterator() {
        return new HashedIterator<>(this);
    }

    // ---- changes ----

    @Override
    public V put(K key, V value) {
        Objects.requireNonNull(key);
        Objects.requireNonNull(value);
        return replaceBy(key, (entry, old) -> value);
    }

    /** Stores what the function makes of the old value, null removes; returns the old value. */
    private V replaceBy(K key, BiFunction<Long, V, V> next) {
        return heap.transaction(
                tx -> {
                    long entry = find(tx, key);
                    V old = value(tx, entry);
                    store(tx, entry, key, next.apply(entry, old));
                    return old;
                });
    }

    @Override
    @SuppressWarnings("unchecked") // as in find
    public V remove(Object key) {
        Objects.requireNonNull(key);
        return replaceBy((K) key, (entry, old) -> null);
    }

    boolean removeKey(Object key) {
        return remove(key) != null;
    }

    @Override
    public boolean remove(Object key, Object value) {
        Objects.requireNonNull(key);
        return value != null
                && heap.transaction(
                        tx -> {
                            long entry = find(tx, key);
                            boolean isThere = entry != 0 && value.equals(table.value(tx, entry));
                            if (isThere) {
                                table.remove(tx, header, entry);
                            }
                            return isThere;
                        });
    }

    @Override
    public V putIfAbsent(K key, V value) {
        Objects.requireNonNull(key);
        Objects.requireNonNull(value);
        return heap.transaction(
                tx -> {
                    long entry = find(tx, key);
                    if (entry == 0) {
                        store(tx, 0, key, value);
                    }
                    return value(tx, entry);
                });
    }

    @Override
    public boolean replace(K key, V oldValue, V newValue) {
        Objects.requireNonNull(key);
        Objects.requireNonNull(oldValue);
        Objects.requireNonNull(newValue);
        return heap.transaction(
                tx -> {
                    long entry = find(tx, key);
                    boolean isThere = entry != 0 && oldValue.equals(table.value(tx, entry));
                    if (isThere) {
                        table.setValue(tx, entry, newValue);
                    }
                    return isThere;
                });
    }

    @Override
    public V replace(K key, V value) {
        Objects.requireNonNull(key);
        Objects.requireNonNull(value);
        return replaceBy(key, (entry, old) -> entry == 0 ? null : value);
    }

    @Override
    public V computeIfAbsent(K key, Function<? super K, ? extends V> function) {
        Objects.requireNonNull(function);
        return compute(key, (same, old) -> old == null ? function.apply(same) : old);
    }

    @Override
    public V computeIfPresent(K key, BiFunction<? super K, ? super V, ? extends V> function) {
        Objects.requireNonNull(function);
        return compute(key, (same, old) -> old == null ? null : function.apply(same, old));
    }

    @Override
    public V compute(K key, BiFunction<? super K, ? super V, ? extends V> function) {
        Objects.requireNonNull(key);
        Objects.requireNonNull(function);
        return heap.transaction(
                tx -> {
                    V old = value(tx, find(tx, key));
                    V next = function.apply(key, old);
                    if (next != old) {
                        store(tx, find(tx, key), key, next); // the function may have changed us
                    }
                    return next;
                });
    }

    @Override
    public V merge(K key, V value, BiFunction<? super V, ? super V, ? extends V> function) {
        Objects.requireNonNull(value);
        Objects.requireNonNull(function);
        return compute(key, (same, old) -> old == null ? value : function.apply(old, value));
    }

    @Override
    public void putAll(Map<? extends K, ? extends V> others) {
        heap.transaction(
                tx -> {
                    others.forEach(this::put);
                    return null;
                });
    }

    @Override
    public void clear() {
        heap.transaction(
                tx -> {
                    table.clear(tx, header);
                    return null;
                });
    }

    // ---- without boxes ----

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
