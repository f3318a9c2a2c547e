package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransactions;
import java.util.Map;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.ConcurrentNavigableMap;

/** The names that {@link ConcurrentNavigableMap} has for the entry next to a key or at an end. */
abstract class NavigableAtomicMap<K, V> extends AtomicMap<K, V>
        implements ConcurrentNavigableMap<K, V> {
    NavigableAtomicMap(HeapTransactions heap) {
        super(heap);
    }

    /**
     * The entry next to a key in this map's order, without a key the first, or last if not forward;
     * null for none.
     */
    abstract Entry<K, V> nearEntry(K key, boolean forward, boolean orEqual);

    /** The key of {@link #nearEntry}; its value is not read. */
    abstract K nearKey(K key, boolean forward, boolean orEqual);

    /** Removes the first entry in this map's order, or the last; null for none. */
    abstract Entry<K, V> pollEnd(boolean first);

    /** Refuses a key of a type without order. */
    abstract void requireComparable(K key);

    private Entry<K, V> nearEntryOf(K key, boolean forward, boolean orEqual) {
        requireComparable(Objects.requireNonNull(key));
        return nearEntry(key, forward, orEqual);
    }

    private K nearKeyOf(K key, boolean forward, boolean orEqual) {
        requireComparable(Objects.requireNonNull(key));
        return nearKey(key, forward, orEqual);
    }

    static <K> K keyOf(Map.Entry<K, ?> entry) {
        return entry == null ? null : entry.getKey();
    }

    private static <K> K there(K key) {
        if (key == null) {
            throw new NoSuchElementException();
        }
        return key;
    }

    @Override
    public Entry<K, V> lowerEntry(K key) {
        return nearEntryOf(key, false, false);
    }

    @Override
    public Entry<K, V> floorEntry(K key) {
        return nearEntryOf(key, false, true);
    }

    @Override
    public Entry<K, V> ceilingEntry(K key) {
        return nearEntryOf(key, true, true);
    }

    @Override
    public Entry<K, V> higherEntry(K key) {
        return nearEntryOf(key, true, false);
    }

    @Override
    public Entry<K, V> firstEntry() {
        return nearEntry(null, true, false);
    }

    @Override
    public Entry<K, V> lastEntry() {
        return nearEntry(null, false, false);
    }

    @Override
    public K lowerKey(K key) {
        return nearKeyOf(key, false, false);
    }

    @Override
    public K floorKey(K key) {
        return nearKeyOf(key, false, true);
    }

    @Override
    public K ceilingKey(K key) {
        return nearKeyOf(key, true, true);
    }

    @Override
    public K higherKey(K key) {
        return nearKeyOf(key, true, false);
    }

    @Override
    public K firstKey() {
        return there(nearKey(null, true, false));
    }

    @Override
    public K lastKey() {
        return there(nearKey(null, false, false));
    }

    @Override
    public Entry<K, V> pollFirstEntry() {
        return pollEnd(true);
    }

    @Override
    public Entry<K, V> pollLastEntry() {
        return pollEnd(false);
    }

    @Override
    public ConcurrentNavigableMap<K, V> subMap(K from, K to) {
        return subMap(from, true, to, false);
    }

    @Override
    public ConcurrentNavigableMap<K, V> headMap(K to) {
        return headMap(to, false);
    }

    @Override
    public ConcurrentNavigableMap<K, V> tailMap(K from) {
        return tailMap(from, true);
    }

    @Override
    public NavigableSet<K> keySet() {
        return navigableKeySet();
    }
}
