package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;

/** Finds places in a {@link SortedTree}, and goes from one to the next. Without state. */
final class TreeSearch<K> {
    private final KeyOrder<K> order;
    private final NodeLayout leaves;
    private final NodeLayout inner;

    TreeSearch(KeyOrder<K> order, NodeLayout leaves, NodeLayout inner) {
        this.order = order;
        this.leaves = leaves;
        this.inner = inner;
    }

    /** How many keys of a node are less than a key, or not greater. */
    private int countBelow(
            HeapTransaction tx, NodeLayout layout, long node, K key, long number, boolean orEqual) {
        int low = 0;
        int high = NodeLayout.count(tx, node);
        while (low < high) {
            int middle = (low + high) >>> 1;
            int compared = order.compare(tx, node, layout.first(tx, node, middle), key, number);
            if (compared < 0 || orEqual && compared == 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** How many keys of a leaf are less than a key. */
    int countBelow(HeapTransaction tx, long leaf, K key, long number) {
        return countBelow(tx, leaves, leaf, key, number, false);
    }

    /** The child at an index from 0 on. */
    long child(HeapTransaction tx, long node, int index) {
        return NodeLayout.child(
                tx, node, index == 0 ? NodeLayout.BEFORE : inner.second(tx, node, index - 1));
    }

    int childIndex(HeapTransaction tx, long node, K key, long number) {
        return countBelow(tx, inner, node, key, number, true);
    }

    /** The place of the first key that is not less, or is greater; may be none. */
    void seek(
            HeapTransaction tx, long header, K key, long number, boolean greater, TreePlace place) {
        int height = TreeHeader.height(tx, header, SortedTree.WHAT);
        long node = TreeHeader.root(tx, header);
        if (node == 0) {
            place.set(0, 0);
            return;
        }
        for (; height > 1; height--) {
            node = child(tx, node, childIndex(tx, node, key, number));
        }
        place.set(node, countBelow(tx, leaves, node, key, number, greater));
        if (place.index == NodeLayout.count(tx, node)) {
            place.set(tx.getLong(node, NodeLayout.AFTER), 0);
        }
    }

    /** The place of a key; none where it is not there. */
    void find(HeapTransaction tx, long header, K key, long number, TreePlace place) {
        seek(tx, header, key, number, false, place);
        if (!place.isNone() && compare(tx, place, key, number) != 0) {
            place.set(0, 0);
        }
    }

    /** The place of the first key, or of the last. */
    void end(HeapTransaction tx, long header, boolean last, TreePlace place) {
        int height = TreeHeader.height(tx, header, SortedTree.WHAT);
        long node = TreeHeader.root(tx, header);
        for (; height > 1; height--) {
            node = child(tx, node, last ? NodeLayout.count(tx, node) : 0);
        }
        place.set(node, last && node != 0 ? NodeLayout.count(tx, node) - 1 : 0);
    }

    /** The place of the last key that is less, or is not greater. */
    void seekDown(
            HeapTransaction tx, long header, K key, long number, boolean orEqual, TreePlace place) {
        seek(tx, header, key, number, orEqual, place);
        if (place.isNone()) {
            end(tx, header, true, place);
        } else {
            previous(tx, place);
        }
    }

    void next(HeapTransaction tx, TreePlace place) {
        place.index++;
        if (place.index >= NodeLayout.count(tx, place.leaf)) {
            place.set(tx.getLong(place.leaf, NodeLayout.AFTER), 0);
        }
    }

    void previous(HeapTransaction tx, TreePlace place) {
        if (--place.index < 0) {
            long leaf = tx.getLong(place.leaf, NodeLayout.BEFORE);
            place.set(leaf, leaf == 0 ? 0 : NodeLayout.count(tx, leaf) - 1);
        }
    }

    private int compare(HeapTransaction tx, TreePlace place, K key, long number) {
        long at = leaves.first(tx, place.leaf, place.index);
        return order.compare(tx, place.leaf, at, key, number);
    }
}
