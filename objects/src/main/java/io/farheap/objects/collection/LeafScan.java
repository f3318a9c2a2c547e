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
    private final Handing handing;
    private final byte[] order = new byte[NodeLayout.MOST];

    LeafScan(SortedTree<K, V> tree, KeyRange<K> range, boolean isUp, Handing handing) {
        this.tree = tree;
        this.range = range;
        this.isUp = isUp;
        this.handing = handing;
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
            long offset = tree.leaves.firstAt(order[index]);
            K key =
                    handing.isLeaving
                            ? tree.takenKey(tx, leaf, offset)
                            : tree.key(tx, leaf, offset);
            if (!range.isAll() && !range.contains(key)) {
                place.set(0, 0);
                return;
            }
            taker.accept(key, handing.hasValues ? value(tx, leaf, order[index]) : null);
        }
        long next = tx.getLong(leaf, isUp ? NodeLayout.AFTER : NodeLayout.BEFORE);
        place.set(next, isUp || next == 0 ? 0 : NodeLayout.count(tx, next) - 1);
    }

    private V value(HeapTransaction tx, long leaf, int place) {
        return handing.isLeaving
                ? tree.takenValueAt(tx, leaf, place)
                : tree.valueAt(tx, leaf, place);
    }
}
