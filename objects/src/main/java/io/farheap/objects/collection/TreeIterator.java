package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map.Entry;

/** Goes through a range of a sorted map, some dozens of entries in each read. */
final class TreeIterator<K, V> extends BatchIterator<K, V> {
    private final TreeMapView<K, V> map;
    private final boolean isUp;
    private final LeafScan<K, V> leaves;

    TreeIterator(TreeMapView<K, V> map, boolean isUp, Handing handing) {
        super(map);
        this.map = map;
        this.isUp = isUp;
        this.leaves = new LeafScan<>(map.tree, map.range(), isUp, handing);
    }

    @Override
    List<Entry<K, V>> more(HeapTransaction tx, Entry<K, V> last) {
        List<Entry<K, V>> entries = new ArrayList<>(atOnce() + NodeLayout.MOST);
        TreePlace place = map.near(tx, last == null ? null : last.getKey(), isUp, false);
        CircleWatch watch = new CircleWatch(SortedTree.WHAT_IT_IS, map.header);
        while (!place.isNone() && entries.size() < atOnce()) {
            watch.pass(place.leaf);
            leaves.leaf(tx, place, (key, value) -> entries.add(entry(key, value)));
        }
        if (last != null && !entries.isEmpty()) {
            requireBeyond(last.getKey(), entries.getLast().getKey());
        }
        return entries;
    }

    /** Leaves in a circle would have it go on for ever. */
    private void requireBeyond(K before, K last) {
        int compared = map.tree.order.compare(last, before);
        if (isUp ? compared <= 0 : compared >= 0) {
            throw map.outOfOrder();
        }
    }
}
