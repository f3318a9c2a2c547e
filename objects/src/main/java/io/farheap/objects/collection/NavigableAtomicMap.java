package io.farheap.objects.collection;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.Map;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.function.Supplier;

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

    /** Refuses a key of a type without order. */
    abstract void requireComparable(K key);

    /** What is said where a key that is there is not found. */
    abstract FarheapException outOfOrder();

    private Entry<K, V> nearEntryOf(K key, boolean forward, boolean orEqual) {
        requireComparable(Objects.requireNonNull(key));
        return nearEntry(key, forward, orEqual);
    }

    static <K> K keyOf(Map.Entry<K, ?> entry) {
        return entry == null ? null : entry.getKey();
    }

    private static <K> K keyThere(Map.Entry<K, ?> entry) {
        if (entry == null) {
            throw new NoSuchElementException();
        }
        return entry.getKey();
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
        return keyOf(lowerEntry(key));
    }

    @Override
    public K floorKey(K key) {
        return keyOf(floorEntry(key));
    }

    @Override
    public K ceilingKey(K key) {
        return keyOf(ceilingEntry(key));
    }

    @Override
    public K higherKey(K key) {
        return keyOf(higherEntry(key));
    }

    @Override
    public K firstKey() {
        return keyThere(firstEntry());
    }

    @Override
    public K lastKey() {
        return keyThere(lastEntry());
    }

    @Override
    public Entry<K, V> pollFirstEntry() {
        return poll(this::firstEntry);
    }

    @Override
    public Entry<K, V> pollLastEntry() {
        return poll(this::lastEntry);
    }

    private Entry<K, V> poll(Supplier<Entry<K, V>> which) {
        return heap.change(
                tx -> {
                    Entry<K, V> entry = which.get();
                    if (entry != null && store(tx, entry.getKey(), null) == null) {
                        throw outOfOrder();
                    }
                    return entry;
                });
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
