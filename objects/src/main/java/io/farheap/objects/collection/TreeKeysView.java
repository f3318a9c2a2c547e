package io.farheap.objects.collection;

import java.util.Comparator;
import java.util.Iterator;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;

/** The keys of a sorted map as a set of {@code java.util}. */
class TreeKeysView<K, V> extends KeysView<K, V> implements NavigableSet<K> {
    final TreeMapView<K, V> map;

    TreeKeysView(TreeMapView<K, V> map) {
        super(map);
        this.map = map;
    }

    @Override
    public Iterator<K> descendingIterator() {
        return descendingSet().iterator();
    }

    @Override
    public boolean isEmpty() {
        return map.isEmpty();
    }

    @Override
    public Comparator<? super K> comparator() {
        return map.comparator();
    }

    @Override
    public K lower(K key) {
        return map.lowerKey(key);
    }

    @Override
    public K floor(K key) {
        return map.floorKey(key);
    }

    @Override
    public K ceiling(K key) {
        return map.ceilingKey(key);
    }

    @Override
    public K higher(K key) {
        return map.higherKey(key);
    }

    @Override
    public K first() {
        return map.firstKey();
    }

    @Override
    public K last() {
        return map.lastKey();
    }

    @Override
    public Spliterator<K> spliterator() {
        return Spliterators.spliteratorUnknownSize(
                iterator(), Spliterator.DISTINCT | Spliterator.ORDERED | Spliterator.NONNULL);
    }

    @Override
    public K removeFirst() {
        return present(pollFirst());
    }

    @Override
    public K removeLast() {
        return present(pollLast());
    }

    private static <K> K present(K key) {
        if (key == null) {
            throw new NoSuchElementException();
        }
        return key;
    }

    @Override
    public K pollFirst() {
        return NavigableAtomicMap.keyOf(map.pollFirstEntry());
    }

    @Override
    public K pollLast() {
        return NavigableAtomicMap.keyOf(map.pollLastEntry());
    }

    /** The keys of another view of the map. */
    NavigableSet<K> of(NavigableMap<K, V> view) {
        return view.navigableKeySet();
    }

    @Override
    public NavigableSet<K> descendingSet() {
        return of(map.descendingMap());
    }

    @Override
    public NavigableSet<K> subSet(K from, boolean hasFrom, K to, boolean hasTo) {
        return of(map.subMap(from, hasFrom, to, hasTo));
    }

    @Override
    public NavigableSet<K> headSet(K to, boolean hasTo) {
        return of(map.headMap(to, hasTo));
    }

    @Override
    public NavigableSet<K> tailSet(K from, boolean hasFrom) {
        return of(map.tailMap(from, hasFrom));
    }

    @Override
    public NavigableSet<K> subSet(K from, K to) {
        return subSet(from, true, to, false);
    }

    @Override
    public NavigableSet<K> headSet(K to) {
        return headSet(to, false);
    }

    @Override
    public NavigableSet<K> tailSet(K from) {
        return tailSet(from, true);
    }
}
