package io.farheap.objects.collection;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentNavigableMap;

/** A {@link SortedTree}, or the part of it in a range, as a map of {@code java.util}. */
class TreeMapView<K, V> extends NavigableAtomicMap<K, V> {
    final SortedTree<K, V> tree;
    final long header;
    private final KeyRange<K> range;
    private final boolean isDescending;

    TreeMapView(
            HeapTransactions heap,
            SortedTree<K, V> tree,
            long header,
            KeyRange<K> range,
            boolean isDescending) {
        super(heap);
        this.tree = tree;
        this.header = header;
        this.range = range;
        this.isDescending = isDescending;
    }

    final KeyRange<K> range() {
        return range;
    }

    // ---- by key ----

    @SuppressWarnings("unchecked") // a key of another type is refused by the comparison's cast
    private K key(Object key) {
        return (K) key;
    }

    private TreePlace find(HeapTransaction tx, K key) {
        TreePlace place = new TreePlace();
        tree.search.find(tx, header, key, tree.order.numberOf(key), place);
        return place;
    }

    @Override
    V load(HeapTransaction tx, Object object) {
        K key = key(object);
        if (!range.contains(key)) {
            return null;
        }
        TreePlace place = find(tx, key);
        return place.isNone() ? null : tree.value(tx, place);
    }

    @Override
    V taken(HeapTransaction tx, K key) {
        TreePlace place = range.contains(key) ? find(tx, key) : new TreePlace();
        return place.isNone() ? null : tree.takenValue(tx, place);
    }

    @Override
    boolean has(HeapTransaction tx, Object object) {
        K key = key(object);
        return range.contains(key) && !find(tx, key).isNone();
    }

    @Override
    boolean erase(HeapTransaction tx, K key) {
        TreePlace place = range.contains(key) ? find(tx, key) : new TreePlace();
        if (place.isNone()) {
            return false;
        }
        tree.remove(tx, header, place);
        return true;
    }

    @Override
    V store(HeapTransaction tx, K key, V value) {
        if (!range.contains(key)) {
            if (value == null) {
                return null;
            }
            throw new IllegalArgumentException("key out of range");
        }
        TreePlace place = find(tx, key);
        if (place.isNone()) {
            if (value != null) {
                long number = tree.order.numberOf(key);
                int unused = tree.order.compare(key, key); // of a type without order: refused here
                tree.insert(tx, header, key, number, place);
                tree.setValue(tx, place, value);
            }
            return null;
        }
        V old = tree.takenValue(tx, place);
        if (value == null) {
            tree.remove(tx, header, place);
        } else {
            tree.setValue(tx, place, value);
        }
        return old;
    }

    @Override
    long count(HeapTransaction tx) {
        if (range.isAll()) {
            return SortedTree.size(tx, header);
        }
        long count = 0;
        TreePlace place = near(tx, null, true, false);
        CircleWatch watch = new CircleWatch(SortedTree.WHAT_IT_IS, header);
        for (long leaf = 0; !place.isNone(); step(tx, place, true)) {
            if (place.leaf != leaf || place.index == 0) {
                leaf = place.leaf;
                watch.pass(leaf);
            }
            count++;
        }
        return count;
    }

    @Override
    public boolean isEmpty() {
        return heap.glance(tx -> near(tx, null, true, false).isNone());
    }

    @Override
    public void clear() {
        heap.change(
                tx -> {
                    if (range.isAll()) {
                        tree.clear(tx, header);
                    } else {
                        TreePlace place = near(tx, null, true, false);
                        while (!place.isNone()) {
                            tree.remove(tx, header, place);
                            place = near(tx, null, true, false);
                        }
                    }
                    return null;
                });
    }

    // ---- by place ----

    /** Makes a place outside the range none. */
    private void leave(HeapTransaction tx, TreePlace place) {
        if (!place.isNone() && !range.isAll() && !range.contains(takenKey(tx, place))) {
            place.set(0, 0);
        }
    }

    private K takenKey(HeapTransaction tx, TreePlace place) {
        return tree.takenKey(tx, place.leaf, tree.keyAt(tx, place));
    }

    /** To the next place in the tree's order, or the one before; none behind the range's end. */
    void step(HeapTransaction tx, TreePlace place, boolean up) {
        if (up) {
            tree.search.next(tx, place);
        } else {
            tree.search.previous(tx, place);
        }
        leave(tx, place);
    }

    /**
     * The place next to a key in the tree's order, in the range; without a key the first, or last
     * if not up, of the range.
     */
    TreePlace near(HeapTransaction tx, K key, boolean up, boolean orEqual) {
        TreePlace place = new TreePlace();
        K end = up ? range.low() : range.high();
        boolean isBeyond = key == null || (up ? range.isBelow(key) : range.isAbove(key));
        K from = isBeyond ? end : key;
        boolean withEqual = isBeyond ? up ? range.hasLow() : range.hasHigh() : orEqual;
        if (from == null) {
            tree.search.end(tx, header, !up, place);
        } else if (up) {
            tree.search.seek(tx, header, from, tree.order.numberOf(from), !withEqual, place);
        } else {
            tree.search.seekDown(tx, header, from, tree.order.numberOf(from), withEqual, place);
        }
        leave(tx, place);
        return place;
    }

    @Override
    Entry<K, V> nearEntry(K key, boolean forward, boolean orEqual) {
        return heap.glance(
                tx -> {
                    TreePlace place = near(tx, key, forward != isDescending, orEqual);
                    return place.isNone() ? null : tree.entry(tx, place);
                });
    }

    @Override
    K nearKey(K key, boolean forward, boolean orEqual) {
        return heap.glance(
                tx -> {
                    TreePlace place = near(tx, key, forward != isDescending, orEqual);
                    return place.isNone() ? null : tree.key(tx, place);
                });
    }

    @Override
    Entry<K, V> pollEnd(boolean first) {
        return heap.change(
                tx -> {
                    TreePlace place = near(tx, null, first != isDescending, false);
                    if (place.isNone()) {
                        return null;
                    }
                    Entry<K, V> entry = tree.takenEntry(tx, place);
                    tree.remove(tx, header, place);
                    return entry;
                });
    }

    @Override
    void requireComparable(K key) {
        int unused = tree.order.compare(key, key);
    }

    /** What is said where a key does not lie behind the one before it. */
    final FarheapException outOfOrder() {
        return CollectionCheck.damaged(
                SortedTree.WHAT_IT_IS,
                header,
                "or its comparator contradicts what it said before: its keys are not in order");
    }

    // ---- views ----

    @Override
    @SuppressWarnings("unchecked") // of one that compares what keys are; as java.util's have it
    public Comparator<? super K> comparator() {
        Comparator<? super K> comparator = tree.order.comparator;
        return isDescending ? Collections.reverseOrder((Comparator<K>) comparator) : comparator;
    }

    private TreeMapView<K, V> part(K from, boolean hasFrom, K to, boolean hasTo) {
        KeyRange<K> part =
                isDescending
                        ? range.part(to, hasTo, from, hasFrom)
                        : range.part(from, hasFrom, to, hasTo);
        return new TreeMapView<>(heap, tree, header, part, isDescending);
    }

    @Override
    public ConcurrentNavigableMap<K, V> subMap(K from, boolean hasFrom, K to, boolean hasTo) {
        return part(Objects.requireNonNull(from), hasFrom, Objects.requireNonNull(to), hasTo);
    }

    @Override
    public ConcurrentNavigableMap<K, V> headMap(K to, boolean hasTo) {
        return part(null, false, Objects.requireNonNull(to), hasTo);
    }

    @Override
    public ConcurrentNavigableMap<K, V> tailMap(K from, boolean hasFrom) {
        return part(Objects.requireNonNull(from), hasFrom, null, false);
    }

    @Override
    public ConcurrentNavigableMap<K, V> descendingMap() {
        return new TreeMapView<>(heap, tree, header, range, !isDescending);
    }

    @Override
    public NavigableSet<K> navigableKeySet() {
        return new TreeKeysView<>(this);
    }

    @Override
    public NavigableSet<K> descendingKeySet() {
        return descendingMap().navigableKeySet();
    }

    @Override
    public Set<Entry<K, V>> entrySet() {
        return new EntriesView<>(this);
    }

    @Override
    Iterator<Entry<K, V>> iterator(Handing handing) {
        return new TreeIterator<>(this, !isDescending, handing);
    }
}
