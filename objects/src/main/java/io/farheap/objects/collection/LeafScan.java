package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import java.util.function.BiConsumer;

/**
 * Goes through the entries of a tree leaf by leaf: the order of a leaf's entries is read once for
 * all of them. Not thread-safe.
 */
final class LeafScan<K, V> {
    private final SortedTree<K, V> tree;
    private final KeyRange<K> range;
    private final boolean isUp;
    private final byte[] order = new byte[NodeLayout.MOST];

    LeafScan(SortedTree<K, V> tree, KeyRange<K> range, boolean isUp) {
        this.tree = tree;
        this.range = range;
        this.isUp = isUp;
    }

    /**
     * Hands over the entries of a leaf, from a place in it and in the range on; the place is in the
     * next leaf then, none at the end of the range.
     */
    void leaf(HeapTransaction tx, TreePlace place, BiConsumer<K, V> taker) {
        long leaf = place.leaf;
        int count = tree.leaves.order(tx, leaf, order);
        int step = isUp ? 1 : -1;
        for (int index = place.index; index >= 0 && index < count; index += step) {
            K key = tree.key(tx, leaf, tree.leaves.firstAt(order[index]));
            if (!range.isAll() && !range.contains(key)) {
                place.set(0, 0);
                return;
            }
            taker.accept(key, tree.valueAt(tx, leaf, order[index]));
        }
        long next = tx.getLong(leaf, isUp ? NodeLayout.AFTER : NodeLayout.BEFORE);
        place.set(next, isUp || next == 0 ? 0 : NodeLayout.count(tx, next) - 1);
    }
}
