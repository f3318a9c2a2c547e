package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;

/** The operations without objects of the {@link SortedTree} at a header; keys are longs. */
final class TreeLongs implements LongEntries.Table {
    private final SortedTree<?, ?> tree;
    private final long header;

    TreeLongs(SortedTree<?, ?> tree, long header) {
        this.tree = tree;
        this.header = header;
    }

    @Override
    public void find(HeapTransaction tx, long key, TreePlace place) {
        tree.search.find(tx, header, null, key, place);
    }

    @Override
    public long value(HeapTransaction tx, TreePlace place) {
        return tx.getLong(place.leaf, tree.valueAt(tx, place));
    }

    @Override
    public void setValue(HeapTransaction tx, TreePlace place, long value) {
        tx.setLong(place.leaf, tree.valueAt(tx, place), value);
    }

    @Override
    public void insert(HeapTransaction tx, long key, TreePlace place) {
        tree.makePlace(tx, header, null, key, place);
        tx.setLong(place.leaf, tree.keyAt(tx, place), key);
    }

    @Override
    public void remove(HeapTransaction tx, TreePlace place) {
        tree.remove(tx, header, place);
    }
}
