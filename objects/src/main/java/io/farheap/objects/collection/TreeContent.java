package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;

/** Shows and makes the entries of a sorted tree from its first to its last, whatever its order. */
final class TreeContent<K, V> {
    private final SortedTree<K, V> tree;
    private final HeapTransaction tx;
    private final long header;

    TreeContent(SortedTree<K, V> tree, HeapTransaction tx, long header) {
        this.tree = tree;
        this.tx = tx;
        this.header = header;
    }

    void show(long most, ContentVisitor visitor) {
        CollectionCheck check =
                new CollectionCheck("sorted map or set", header, SortedTree.size(tx, header), most);
        int height = TreeHeader.height(tx, header, SortedTree.WHAT);
        check.requireHeight(height, TreeHeader.root(tx, header));
        long order = TreeHeader.order(tx, header);
        if (order != 0) {
            visitor.order(OrderName.read(tx, order));
        }
        TreePlace place = new TreePlace();
        tree.search.end(tx, header, false, place);
        for (long leaf = place.leaf; leaf != 0; leaf = tx.getLong(leaf, NodeLayout.AFTER)) {
            int count = NodeLayout.count(tx, leaf);
            check.require(count > 0, "a leaf of it is empty");
            for (int i = 0; i < count; i++) {
                check.count();
                place.set(leaf, i);
                K key = tree.key(tx, place);
                visitor.entry(key, tree.valueType == null ? null : tree.value(tx, place));
            }
        }
        check.end();
    }

    /** Adds an entry behind all others. */
    void append(K key, V value) {
        SortedTree<K, V> atEnd = tree.atEnd();
        TreePlace place = new TreePlace();
        atEnd.insert(tx, header, key, 0, place);
        atEnd.setValue(tx, place, value);
    }
}
