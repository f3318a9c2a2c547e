package io.farheap.objects.collection;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;

/** Splits the nodes of a {@link SortedTree} that are full, and takes out those that are empty. */
final class TreeGrowth<K> {
    private final SortedTree<K, ?> tree;
    private final HeapTransaction tx;
    private final long header;

    TreeGrowth(SortedTree<K, ?> tree, HeapTransaction tx, long header) {
        this.tree = tree;
        this.tx = tx;
        this.header = header;
    }

    // ---- growing ----

    /** Makes an entry of zeros where a key that is not there belongs. */
    void insert(K key, long number, TreePlace place) {
        int height = TreeHeader.height(tx, header, SortedTree.WHAT);
        if (height == 0) {
            height = 1;
            TreeHeader.setRoot(tx, header, tree.leaves.create(tx), height);
        }
        long leaf = leafOf(key, number, height);
        if (tree.leaves.isFull(tx, leaf)) {
            leaf = splitOnTheWay(key, number, height);
        }
        place.set(leaf, tree.search.countBelow(tx, leaf, key, number));
        tree.leaves.insert(tx, leaf, place.index);
    }

    private long leafOf(K key, long number, int height) {
        long node = TreeHeader.root(tx, header);
        for (int level = height; level > 1; level--) {
            node = tree.search.child(tx, node, tree.search.childIndex(tx, node, key, number));
        }
        return node;
    }

    /** Goes down to the leaf of a key, and splits each full node before it steps into it. */
    private long splitOnTheWay(K key, long number, int oldHeight) {
        int height = oldHeight;
        long node = TreeHeader.root(tx, header);
        if (isFull(node, height)) {
            long root = tree.inner.create(tx);
            tx.setLong(root, NodeLayout.BEFORE, node);
            if (height == 1) {
                long cells = CountCells.create(tx);
                TreeHeader.setCells(tx, header, cells);
                CountCells.add(tx, cells, NodeLayout.count(tx, node));
            }
            node = root;
            height++;
            TreeHeader.setRoot(tx, header, root, height);
        }
        for (; height > 1; height--) {
            int index = tree.search.childIndex(tx, node, key, number);
            long child = tree.search.child(tx, node, index);
            if (isFull(child, height - 1)) {
                split(node, index, child, height - 1, key, number);
                index = tree.search.childIndex(tx, node, key, number);
            }
            node = tree.search.child(tx, node, index);
            if (isFull(node, height - 1)) { // it is none of the halves
                throw contradiction();
            }
        }
        return node;
    }

    /** A comparator took another way than before: the keys don't lie as it says now. */
    private FarheapException contradiction() {
        return FarheapException.wrongUse(
                "The comparator of the sorted collection at 0x%s contradicts what it said before: it"
                        + " is wrong, or has changed. Mend it; or copy the entries into a new"
                        + " collection.",
                Long.toHexString(header));
    }

    private boolean isFull(long node, int height) {
        return (height == 1 ? tree.leaves : tree.inner).isFull(tx, node);
    }

    private void split(long parent, int index, long child, int height, K key, long number) {
        tree.inner.insert(tx, parent, index);
        long separator = tree.inner.first(tx, parent, index);
        long right =
                height == 1
                        ? splitLeaf(child, parent, separator, key, number)
                        : splitInner(child, parent, separator);
        tx.setLong(parent, tree.inner.second(tx, parent, index), right);
    }

    /** In the middle; at its end where keys come in their order, so that nodes are full then. */
    private long splitLeaf(long leaf, long parent, long separator, K key, long number) {
        int count = NodeLayout.count(tx, leaf);
        long right = tree.leaves.create(tx);
        boolean isLast = NodeLayout.linkAfter(tx, leaf, right) == 0;
        boolean isInOrder = isLast && tree.search.countBelow(tx, leaf, key, number) == count;
        tree.leaves.moveTail(tx, leaf, isInOrder ? count - 1 : count / 2, right);
        tree.keyType.copy(tx, right, tree.leaves.first(tx, right, 0), parent, separator);
        return right;
    }

    private long splitInner(long node, long parent, long separator) {
        int middle = NodeLayout.count(tx, node) / 2;
        long right = tree.inner.create(tx);
        tree.inner.moveTail(tx, node, middle + 1, right);
        tx.setLong(right, NodeLayout.BEFORE, tree.search.child(tx, node, middle + 1));
        NodeLayout.copy(
                tx,
                node,
                tree.inner.first(tx, node, middle),
                parent,
                separator,
                tree.keyType.size());
        tree.inner.remove(tx, node, middle);
        return right;
    }

    // ---- shrinking ----

    /** Takes a leaf, which has this last key, out of the tree; the caller frees it. */
    void shrink(long leaf, K key, long number) {
        int height = TreeHeader.height(tx, header, SortedTree.WHAT);
        long node = TreeHeader.root(tx, header);
        long anchor = 0;
        int anchorHeight = 0;
        int anchorIndex = 0;
        for (int level = height; level > 1; level--) {
            int index = tree.search.childIndex(tx, node, key, number);
            if (NodeLayout.count(tx, node) > 0) {
                anchor = node;
                anchorHeight = level;
                anchorIndex = index;
            }
            node = tree.search.child(tx, node, index);
        }
        if (node != leaf) {
            throw contradiction();
        }
        NodeLayout.unlink(tx, node);
        if (anchor == 0) {
            freeChain(TreeHeader.root(tx, header), height);
            becomeEmpty();
        } else {
            freeChain(tree.search.child(tx, anchor, anchorIndex), anchorHeight - 1);
            removeChild(anchor, anchorIndex);
            lower();
        }
    }

    /**
     * Where a key that has left the tree still parts two children, the next key does from now on:
     * whoever took the key out may change or delete the objects that it names.
     */
    void forget(K key, long number) {
        long node = TreeHeader.root(tx, header);
        for (int height = TreeHeader.height(tx, header, SortedTree.WHAT); height > 1; height--) {
            int index = tree.search.childIndex(tx, node, key, number);
            long child = tree.search.child(tx, node, index);
            if (index > 0) {
                long separator = tree.inner.first(tx, node, index - 1);
                if (tree.order.compare(tx, node, separator, key, number) == 0) {
                    long leaf = firstLeaf(child, height - 1);
                    long first = tree.leaves.first(tx, leaf, 0);
                    tree.keyType.copy(tx, leaf, first, node, separator);
                    return;
                }
            }
            node = child;
        }
    }

    private long firstLeaf(long top, int height) {
        long node = top;
        for (int level = height; level > 1; level--) {
            node = tree.search.child(tx, node, 0);
        }
        return node;
    }

    /** Frees inner nodes of one child each, down to the leaf, which stays. */
    private void freeChain(long top, int height) {
        long node = top;
        for (int level = height; level > 1; level--) {
            long child = tree.search.child(tx, node, 0);
            tx.free(node);
            node = child;
        }
    }

    private void removeChild(long node, int index) {
        int entry = Math.max(0, index - 1);
        if (index == 0) {
            tx.setLong(node, NodeLayout.BEFORE, tree.search.child(tx, node, 1));
        }
        tree.keyType.release(tx, node, tree.inner.first(tx, node, entry));
        tree.inner.remove(tx, node, entry);
    }

    private void becomeEmpty() {
        TreeHeader.setRoot(tx, header, 0, 0);
        freeCells();
    }

    private void freeCells() {
        long cells = TreeHeader.cells(tx, header);
        if (cells != 0) {
            tx.freeShared(cells);
            TreeHeader.setCells(tx, header, 0);
        }
    }

    /** A root of one child gives way to it. */
    private void lower() {
        int height = TreeHeader.height(tx, header, SortedTree.WHAT);
        long root = TreeHeader.root(tx, header);
        boolean isLower = false;
        while (height > 1 && NodeLayout.count(tx, root) == 0) {
            long child = tree.search.child(tx, root, 0);
            tx.free(root);
            root = child;
            height--;
            isLower = true;
        }
        if (isLower) {
            TreeHeader.setRoot(tx, header, root, height);
        }
        if (height == 1) {
            freeCells();
        }
    }
}
