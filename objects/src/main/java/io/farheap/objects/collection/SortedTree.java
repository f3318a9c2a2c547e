package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.transaction.HeapTransactions;
import io.farheap.objects.value.LongType;
import io.farheap.objects.value.ValueType;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Comparator;
import java.util.Map.Entry;

/**
 * A B+tree: what a sorted map does within a transaction or read. Leaves have keys and values and
 * are linked both ways; inner nodes have keys and children. The first child of an inner node, its
 * link before, has what is less than its first key; each other child what is not less than the key
 * beside it. A node goes when it is empty. Without state.
 *
 * <p>What a key is, it is as object and as number ({@link KeyOrder}).
 */
final class SortedTree<K, V> extends CollectionStructure {
    static final long WHAT = 0x0100_4545_5254_4846L; // "FHTREE\0\1"
    static final long LEAF_TYPE = 0x4648_0021;
    static final long INNER_TYPE = 0x4648_0022;
    static final long NODE_BYTES = 2048;

    /** In messages. */
    static final String WHAT_IT_IS = "sorted map or set";

    final ValueType<K> keyType;

    /** Null of a set. */
    final ValueType<V> valueType;

    final KeyOrder<K> order;
    private final OrderName orderName;
    private final long nodeBytes;
    final NodeLayout leaves;
    final NodeLayout inner;
    final TreeSearch<K> search;

    SortedTree(
            ValueType<K> keyType,
            ValueType<V> valueType,
            Comparator<? super K> comparator,
            long nodeBytes) {
        this(
                keyType,
                valueType,
                KeyOrder.of(keyType, comparator),
                new OrderName(comparator),
                nodeBytes);
    }

    private SortedTree(
            ValueType<K> keyType,
            ValueType<V> valueType,
            KeyOrder<K> order,
            OrderName orderName,
            long nodeBytes) {
        this.keyType = keyType;
        this.valueType = valueType;
        this.order = order;
        this.orderName = orderName;
        this.nodeBytes = nodeBytes;
        this.leaves =
                new NodeLayout(
                        LEAF_TYPE,
                        nodeBytes,
                        keyType.size(),
                        keyType.alignment(),
                        valueType == null ? 0 : valueType.size(),
                        valueType == null ? 1 : valueType.alignment());
        this.inner =
                new NodeLayout(
                        INNER_TYPE,
                        nodeBytes,
                        keyType.size(),
                        keyType.alignment(),
                        Long.BYTES,
                        Long.BYTES);
        this.search = new TreeSearch<>(order, leaves, inner);
    }

    @Override
    long create(HeapTransaction tx) {
        long header = TreeHeader.create(tx, WHAT);
        TreeHeader.setOrder(tx, header, orderName.create(tx));
        return header;
    }

    @Override
    long create(HeapTransaction tx, String comparatorClass) {
        long header = TreeHeader.create(tx, WHAT);
        TreeHeader.setOrder(tx, header, new OrderName(comparatorClass).create(tx));
        return header;
    }

    /** The same tree to who adds keys in an order that only the pool knows: behind all others. */
    SortedTree<K, V> atEnd() {
        return new SortedTree<>(keyType, valueType, KeyOrder.atEnd(), orderName, nodeBytes);
    }

    @Override
    void content(HeapTransaction tx, long header, long most, ContentVisitor visitor) {
        new TreeContent<>(this, tx, header).show(most, visitor);
    }

    @Override
    @SuppressWarnings("unchecked") // CollectionType's caller knows the types
    boolean append(HeapTransaction tx, long header, Object key, Object value) {
        new TreeContent<>(this, tx, header).append((K) key, (V) value);
        return true;
    }

    /** Refuses a tree of another order. */
    void requireOrder(HeapTransaction tx, long header) {
        int unused = TreeHeader.height(tx, header, WHAT);
        orderName.require(tx, header, TreeHeader.order(tx, header));
    }

    @Override
    void delete(HeapTransaction tx, long header) {
        clear(tx, header);
        if (TreeHeader.order(tx, header) != 0) {
            tx.free(TreeHeader.order(tx, header));
        }
        tx.setLong(header, 0, 0);
    }

    // ---- places ----

    long keyAt(HeapTransaction tx, TreePlace place) {
        return leaves.first(tx, place.leaf, place.index);
    }

    long valueAt(HeapTransaction tx, TreePlace place) {
        return leaves.second(tx, place.leaf, place.index);
    }

    K key(HeapTransaction tx, TreePlace place) {
        return key(tx, place.leaf, keyAt(tx, place));
    }

    /** The key that lies at an offset of a leaf. */
    K key(HeapTransaction tx, long leaf, long offset) {
        return CollectionCheck.present(
                keyType.get(tx, leaf, offset), "key of a sorted map or set in the node", leaf);
    }

    /** As {@link #key(HeapTransaction, long, long)}, of an entry that is about to go. */
    K takenKey(HeapTransaction tx, long leaf, long offset) {
        return CollectionCheck.present(
                keyType.taken(tx, leaf, offset), "key of a sorted map or set in the node", leaf);
    }

    /** As {@link #valueAt(HeapTransaction, long, int)}, of one that is about to lose it. */
    V takenValueAt(HeapTransaction tx, long leaf, int place) {
        return takenValueIn(tx, leaf, leaves.secondAt(place));
    }

    V takenValue(HeapTransaction tx, TreePlace place) {
        return takenValueIn(tx, place.leaf, valueAt(tx, place));
    }

    @SuppressWarnings("unchecked") // of a set, V is Boolean
    private V takenValueIn(HeapTransaction tx, long leaf, long offset) {
        if (valueType == null) {
            return (V) Boolean.TRUE;
        }
        return CollectionCheck.present(
                valueType.taken(tx, leaf, offset), "value of a sorted map in the node", leaf);
    }

    V value(HeapTransaction tx, TreePlace place) {
        return valueIn(tx, place.leaf, valueAt(tx, place));
    }

    /** The value of the entry that lies at a place of a leaf. */
    V valueAt(HeapTransaction tx, long leaf, int place) {
        return valueIn(tx, leaf, leaves.secondAt(place));
    }

    @SuppressWarnings("unchecked") // of a set, V is Boolean
    private V valueIn(HeapTransaction tx, long leaf, long offset) {
        if (valueType == null) {
            return (V) Boolean.TRUE;
        }
        return CollectionCheck.present(
                valueType.get(tx, leaf, offset), "value of a sorted map in the node", leaf);
    }

    void setValue(HeapTransaction tx, TreePlace place, V value) {
        if (valueType != null) {
            valueType.set(tx, place.leaf, valueAt(tx, place), value);
        }
    }

    Entry<K, V> entry(HeapTransaction tx, TreePlace place) {
        return new SimpleImmutableEntry<>(key(tx, place), value(tx, place));
    }

    Entry<K, V> takenEntry(HeapTransaction tx, TreePlace place) {
        K key = takenKey(tx, place.leaf, keyAt(tx, place));
        return new SimpleImmutableEntry<>(key, takenValue(tx, place));
    }

    /** The operations without objects of the tree at a header. */
    LongEntries longs(HeapTransactions heap, long header) {
        boolean areKeys = keyType == LongType.LONG && order.comparator == null;
        return new LongEntries(
                heap, new TreeLongs(this, header), areKeys, valueType == LongType.LONG);
    }

    // ---- changes ----

    /** Makes place for a key that is not there; key and value are to be set. */
    void makePlace(HeapTransaction tx, long header, K key, long number, TreePlace place) {
        new TreeGrowth<>(this, tx, header).insert(key, number, place);
        count(tx, header, 1);
    }

    /** Makes place for a key that is not there; its value is to be set. */
    void insert(HeapTransaction tx, long header, K key, long number, TreePlace place) {
        makePlace(tx, header, key, number, place);
        keyType.set(tx, place.leaf, keyAt(tx, place), key);
    }

    /** Removes the entry at a place. */
    void remove(HeapTransaction tx, long header, TreePlace place) {
        long leaf = place.leaf;
        boolean isLast = NodeLayout.count(tx, leaf) == 1;
        boolean isReferredTo =
                keyType.namesObjects()
                        && place.index == 0
                        && tx.getLong(leaf, NodeLayout.BEFORE) != 0;
        K key = isLast || isReferredTo ? takenKey(tx, leaf, keyAt(tx, place)) : null;
        TreeGrowth<K> growth = key == null ? null : new TreeGrowth<>(this, tx, header);
        if (isLast) {
            growth.shrink(leaf, key, order.numberOf(key));
        }
        releaseEntry(tx, leaf, place.index);
        if (isLast) {
            tx.free(leaf);
        } else {
            leaves.remove(tx, leaf, place.index);
        }
        if (isReferredTo) {
            growth.forget(key, order.numberOf(key));
        }
        count(tx, header, -1);
    }

    private void releaseEntry(HeapTransaction tx, long leaf, int index) {
        keyType.release(tx, leaf, leaves.first(tx, leaf, index));
        if (valueType != null) {
            valueType.release(tx, leaf, leaves.second(tx, leaf, index));
        }
    }

    private static void count(HeapTransaction tx, long header, long amount) {
        long cells = TreeHeader.cells(tx, header);
        if (cells != 0) {
            CountCells.add(tx, cells, amount);
        }
    }

    static long size(HeapTransaction tx, long header) {
        int height = TreeHeader.height(tx, header, WHAT);
        if (height == 0) {
            return 0;
        }
        if (height == 1) {
            return NodeLayout.count(tx, TreeHeader.root(tx, header));
        }
        long size = CountCells.sum(tx, TreeHeader.cells(tx, header));
        return CollectionCheck.size(tx, WHAT_IT_IS, header, size);
    }

    void clear(HeapTransaction tx, long header) {
        int height = TreeHeader.height(tx, header, WHAT);
        if (height > 0) {
            freeAll(tx, TreeHeader.root(tx, header), height);
        }
        if (TreeHeader.cells(tx, header) != 0) {
            tx.freeShared(TreeHeader.cells(tx, header));
            TreeHeader.setCells(tx, header, 0);
        }
        TreeHeader.setRoot(tx, header, 0, 0);
    }

    private void freeAll(HeapTransaction tx, long node, int height) {
        NodeLayout.requireOnce(tx, node);
        int count = NodeLayout.count(tx, node);
        for (int i = 0; i < count && height == 1; i++) {
            releaseEntry(tx, node, i);
        }
        for (int i = 0; i <= count && height > 1; i++) {
            NodeLayout.requireOnce(tx, node); // a child may be the node itself
            freeAll(tx, search.child(tx, node, i), height - 1);
            NodeLayout.requireOnce(tx, node);
            if (i < count) {
                keyType.release(tx, node, inner.first(tx, node, i));
            }
        }
        tx.free(node);
    }

    @Override
    void walk(HeapTransaction tx, long header, CollectionVisitor visitor) {
        int height = TreeHeader.height(tx, header, WHAT);
        visitor.object(header);
        if (TreeHeader.order(tx, header) != 0) {
            visitor.object(TreeHeader.order(tx, header));
        }
        if (TreeHeader.cells(tx, header) != 0) {
            visitor.object(TreeHeader.cells(tx, header));
        }
        if (height > 0) {
            walk(tx, TreeHeader.root(tx, header), height, visitor);
        }
    }

    private void walk(HeapTransaction tx, long node, int height, CollectionVisitor visitor) {
        visitor.object(node);
        int count = NodeLayout.count(tx, node);
        NodeLayout layout = height == 1 ? leaves : inner;
        for (int i = 0; i < count; i++) {
            visitor.slot(keyType, node, layout.first(tx, node, i));
            if (height == 1 && valueType != null) {
                visitor.slot(valueType, node, layout.second(tx, node, i));
            }
        }
        for (int i = 0; i <= count && height > 1; i++) {
            walk(tx, search.child(tx, node, i), height - 1, visitor);
        }
    }
}
