package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;

/**
 * The header of a tree of {@link NodeLayout nodes}. It is written when the tree's height changes.
 *
 * <pre>
 * object
 *     0  what it is, 8 bytes; 0 once deleted
 *     8  height: 0 of an empty tree, 1 where the root is a leaf
 *    16  offset of the root; 0 of an empty tree
 *    24  offset of the cells that count entries, of a height of 2 and more
 *    32  offset of the name of the order (a 4-byte length, UTF-8); 0: the natural one, or none
 * </pre>
 */
final class TreeHeader {
    static final long TYPE = 0x4648_0020;

    private static final long HEIGHT = 8;
    private static final long ROOT = 16;
    private static final long CELLS = 24;
    private static final long ORDER = 32;
    private static final long SIZE = 40;

    private TreeHeader() {}

    static long create(HeapTransaction tx, long what) {
        long header = tx.allocate(SIZE, TYPE);
        tx.setLong(header, 0, what);
        return header;
    }

    /** The height; refuses what is no such tree, or none any more. */
    static int height(HeapTransaction tx, long header, long what) {
        if (tx.getLong(header, 0) != what) {
            throw CollectionCheck.notThere("collection", header, tx.getLong(header, 0));
        }
        long height = tx.getLong(header, HEIGHT);
        if (height < 0 || height > CollectionCheck.HEIGHT_MAX) {
            throw CollectionCheck.damaged(
                    "collection (sorted, or a list)", header, "its height is " + height);
        }
        return (int) height;
    }

    static long root(HeapTransaction tx, long header) {
        return tx.getLong(header, ROOT);
    }

    static void setRoot(HeapTransaction tx, long header, long root, int height) {
        tx.setLong(header, ROOT, root);
        tx.setLong(header, HEIGHT, height);
    }

    static long cells(HeapTransaction tx, long header) {
        return tx.getLong(header, CELLS);
    }

    static void setCells(HeapTransaction tx, long header, long cells) {
        tx.setLong(header, CELLS, cells);
    }

    static long order(HeapTransaction tx, long header) {
        return tx.getLong(header, ORDER);
    }

    static void setOrder(HeapTransaction tx, long header, long name) {
        tx.setLong(header, ORDER, name);
    }
}
