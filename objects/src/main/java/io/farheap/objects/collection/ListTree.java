package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;
import io.farheap.objects.value.ValueType;

/**
 * A tree of chunks: what a list does within a transaction or read. Chunks have elements; inner
 * nodes have children, each with the number of elements below it. Neither has links. Without state.
 *
 * <p>A node that is full is split when something is to come into it, one that is empty goes.
 */
final class ListTree<E> extends CollectionStructure {
    static final long WHAT = 0x0100_5453_494C_4846L; // "FHLIST\0\1"
    static final long CHUNK_TYPE = 0x4648_0030;
    static final long INNER_TYPE = 0x4648_0031;
    static final long NODE_BYTES = 1024;

    final ValueType<E> elementType;
    private final NodeLayout chunks;
    private final NodeLayout inner;

    ListTree(ValueType<E> elementType, long nodeBytes) {
        this.elementType = elementType;
        this.chunks =
                new NodeLayout(
                        CHUNK_TYPE, nodeBytes, elementType.size(), elementType.alignment(), 0, 1);
        this.inner =
                new NodeLayout(
                        INNER_TYPE, nodeBytes, Long.BYTES, Long.BYTES, Long.BYTES, Long.BYTES);
    }

    @Override
    long create(HeapTransaction tx) {
        return TreeHeader.create(tx, WHAT);
    }

    @Override
    void delete(HeapTransaction tx, long header) {
        clear(tx, header);
        tx.setLong(header, 0, 0);
    }

    // ---- places ----

    private long child(HeapTransaction tx, long node, int index) {
        return NodeLayout.child(tx, node, inner.first(tx, node, index));
    }

    private long countBelow(HeapTransaction tx, long node, int index) {
        return tx.getLong(node, inner.second(tx, node, index));
    }

    private void addBelow(HeapTransaction tx, long node, int index, long amount) {
        long at = inner.second(tx, node, index);
        tx.setLong(node, at, tx.getLong(node, at) + amount);
    }

    private long total(HeapTransaction tx, long node, int height) {
        int count = NodeLayout.count(tx, node);
        if (height == 1) {
            return count;
        }
        long total = 0;
        for (int i = 0; i < count; i++) {
            total += countBelow(tx, node, i);
        }
        return total;
    }

    long size(HeapTransaction tx, long header) {
        int height = TreeHeader.height(tx, header, WHAT);
        long size = height == 0 ? 0 : total(tx, TreeHeader.root(tx, header), height);
        return CollectionCheck.size(tx, "list", header, size);
    }

    /** Finds the place of an element; returns false where the index is behind the last one. */
    boolean find(HeapTransaction tx, long header, long index, TreePlace place) {
        int height = TreeHeader.height(tx, header, WHAT);
        long node = TreeHeader.root(tx, header);
        long rest = index;
        for (; height > 1; height--) {
            int count = NodeLayout.count(tx, node);
            int i = 0;
            while (i < count && rest >= countBelow(tx, node, i)) {
                rest -= countBelow(tx, node, i);
                i++;
            }
            if (i == count) {
                return false;
            }
            node = child(tx, node, i);
        }
        if (node == 0 || rest >= NodeLayout.count(tx, node)) {
            return false;
        }
        place.set(node, (int) rest);
        return true;
    }

    E get(HeapTransaction tx, TreePlace place) {
        return CollectionCheck.present(
                elementType.get(tx, place.leaf, chunks.first(tx, place.leaf, place.index)),
                "element of a list in the node",
                place.leaf);
    }

    /** The element at a place that is about to lose it. */
    E taken(HeapTransaction tx, TreePlace place) {
        return CollectionCheck.present(
                elementType.taken(tx, place.leaf, chunks.first(tx, place.leaf, place.index)),
                "element of a list in the node",
                place.leaf);
    }

    void set(HeapTransaction tx, TreePlace place, E element) {
        elementType.set(tx, place.leaf, chunks.first(tx, place.leaf, place.index), element);
    }

    // ---- changes ----

    /** Inserts an element before that at an index that is at most the size. */
    void insert(HeapTransaction tx, long header, long index, E element) {
        int height = TreeHeader.height(tx, header, WHAT);
        long node = TreeHeader.root(tx, header);
        if (height == 0) {
            node = chunks.create(tx);
            height = 1;
            TreeHeader.setRoot(tx, header, node, height);
        } else if (layout(height).isFull(tx, node)) {
            long root = inner.create(tx);
            addChild(tx, root, 0, node, total(tx, node, height));
            node = root;
            height++;
            TreeHeader.setRoot(tx, header, root, height);
        }
        long rest = index;
        for (; height > 1; height--) {
            int i = childFor(tx, node, rest);
            if (layout(height - 1).isFull(tx, child(tx, node, i))) {
                split(tx, node, i, height - 1, rest);
                i = childFor(tx, node, rest);
            }
            for (int before = 0; before < i; before++) {
                rest -= countBelow(tx, node, before);
            }
            addBelow(tx, node, i, 1);
            node = child(tx, node, i);
        }
        chunks.insert(tx, node, (int) rest);
        elementType.set(tx, node, chunks.first(tx, node, (int) rest), element);
    }

    private NodeLayout layout(int height) {
        return height == 1 ? chunks : inner;
    }

    /** The child into which an insertion before an index goes: as far left as it can. */
    private int childFor(HeapTransaction tx, long node, long index) {
        int last = NodeLayout.count(tx, node) - 1;
        long rest = index;
        int i = 0;
        while (i < last && rest > countBelow(tx, node, i)) {
            rest -= countBelow(tx, node, i);
            i++;
        }
        return i;
    }

    private void addChild(HeapTransaction tx, long node, int index, long child, long count) {
        inner.insert(tx, node, index);
        tx.setLong(node, inner.first(tx, node, index), child);
        tx.setLong(node, inner.second(tx, node, index), count);
    }

    /** In the middle; at its end where elements come at the end, so that nodes are full then. */
    private void split(HeapTransaction tx, long parent, int i, int height, long index) {
        long node = child(tx, parent, i);
        int count = NodeLayout.count(tx, node);
        boolean isAtEnd =
                i == NodeLayout.count(tx, parent) - 1 && index >= total(tx, parent, height + 1);
        long right = layout(height).create(tx);
        layout(height).moveTail(tx, node, isAtEnd ? count - 1 : count / 2, right);
        long moved = total(tx, right, height);
        addBelow(tx, parent, i, -moved);
        addChild(tx, parent, i + 1, right, moved);
    }

    /** Removes the element at an index that is less than the size. */
    void remove(HeapTransaction tx, long header, long index) {
        int height = TreeHeader.height(tx, header, WHAT);
        long root = TreeHeader.root(tx, header);
        if (!remove(tx, root, height, index)) {
            lower(tx, header);
        } else {
            TreeHeader.setRoot(tx, header, 0, 0);
        }
    }

    /** Removes an element below a node; returns whether the node was freed because it is empty. */
    private boolean remove(HeapTransaction tx, long node, int height, long index) {
        int at = (int) index;
        if (height == 1) {
            if (at >= NodeLayout.count(tx, node)) {
                throw NodeLayout.damaged(node, "it has fewer elements than it counts");
            }
            elementType.release(tx, node, chunks.first(tx, node, at));
        } else {
            long rest = index;
            int count = NodeLayout.count(tx, node);
            for (at = 0; at < count && rest >= countBelow(tx, node, at); at++) {
                rest -= countBelow(tx, node, at);
            }
            if (at == count) {
                throw NodeLayout.damaged(node, "it has fewer elements than it counts");
            }
            addBelow(tx, node, at, -1);
            if (!remove(tx, child(tx, node, at), height - 1, rest)) {
                return false;
            }
        }
        boolean isEmpty = NodeLayout.count(tx, node) == 1;
        if (isEmpty) {
            tx.free(node);
        } else {
            layout(height).remove(tx, node, at);
        }
        return isEmpty;
    }

    /** A root of one child gives way to it. */
    private void lower(HeapTransaction tx, long header) {
        int height = TreeHeader.height(tx, header, WHAT);
        long root = TreeHeader.root(tx, header);
        while (height > 1 && NodeLayout.count(tx, root) == 1) {
            long child = child(tx, root, 0);
            tx.free(root);
            root = child;
            height--;
            TreeHeader.setRoot(tx, header, root, height);
        }
    }

    void clear(HeapTransaction tx, long header) {
        int height = TreeHeader.height(tx, header, WHAT);
        if (height > 0) {
            freeAll(tx, TreeHeader.root(tx, header), height);
        }
        TreeHeader.setRoot(tx, header, 0, 0);
    }

    private void freeAll(HeapTransaction tx, long node, int height) {
        NodeLayout.requireOnce(tx, node);
        int count = NodeLayout.count(tx, node);
        for (int i = 0; i < count; i++) {
            if (height == 1) {
                elementType.release(tx, node, chunks.first(tx, node, i));
            } else {
                NodeLayout.requireOnce(tx, node); // a child may be the node itself
                freeAll(tx, child(tx, node, i), height - 1);
            }
        }
        NodeLayout.requireOnce(tx, node);
        tx.free(node);
    }

    @Override
    void content(HeapTransaction tx, long header, long most, ContentVisitor visitor) {
        int height = TreeHeader.height(tx, header, WHAT);
        long root = TreeHeader.root(tx, header);
        new CollectionCheck("list", header, 0, 0).requireHeight(height, root);
        CollectionCheck check = new CollectionCheck("list", header, size(tx, header), most);
        if (height > 0) {
            content(tx, root, height, check, visitor);
        }
        check.end();
    }

    private void content(
            HeapTransaction tx,
            long node,
            int height,
            CollectionCheck check,
            ContentVisitor visitor) {
        int count = NodeLayout.count(tx, node);
        check.require(count > 0, "a node of it is empty");
        for (int i = 0; i < count; i++) {
            if (height > 1) {
                content(tx, child(tx, node, i), height - 1, check, visitor);
            } else {
                check.count();
                visitor.entry(elementType.get(tx, node, chunks.first(tx, node, i)), null);
            }
        }
    }

    @Override
    @SuppressWarnings("unchecked") // CollectionType's caller knows the type
    boolean append(HeapTransaction tx, long header, Object key, Object value) {
        insert(tx, header, size(tx, header), (E) key);
        return true;
    }

    @Override
    void walk(HeapTransaction tx, long header, CollectionVisitor visitor) {
        int height = TreeHeader.height(tx, header, WHAT);
        visitor.object(header);
        if (height > 0) {
            walk(tx, TreeHeader.root(tx, header), height, visitor);
        }
    }

    private void walk(HeapTransaction tx, long node, int height, CollectionVisitor visitor) {
        visitor.object(node);
        int count = NodeLayout.count(tx, node);
        for (int i = 0; i < count; i++) {
            if (height == 1) {
                visitor.slot(elementType, node, chunks.first(tx, node, i));
            } else {
                walk(tx, child(tx, node, i), height - 1, visitor);
            }
        }
    }
}
