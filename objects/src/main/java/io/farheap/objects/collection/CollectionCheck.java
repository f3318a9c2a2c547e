package io.farheap.objects.collection;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;

/**
 * Holds what is found in a collection against what it says of itself, so that one whose links run
 * in a circle comes to an end. Not thread-safe.
 */
final class CollectionCheck {
    /** No tree is higher: its nodes would fill every pool. */
    static final int HEIGHT_MAX = 48;

    private final String what;
    private final long header;
    private final long size;
    private long found;

    /**
     * @param size of the collection, as it says
     * @param most that a pool has room for
     */
    CollectionCheck(String what, long header, long size, long most) {
        this.what = what;
        this.header = header;
        this.size = size;
        require(size >= 0 && size <= most, "it says that it has " + size + " entries");
    }

    long size() {
        return size;
    }

    /** One more is found. */
    void count() {
        found++;
        require(found <= size, "it has more entries than the " + size + " it counts");
    }

    /** All are found. */
    void end() {
        require(found == size, "it has " + found + " entries and counts " + size);
    }

    void requireHeight(int height, long root) {
        require(
                height >= 0 && height <= HEIGHT_MAX && height == 0 == (root == 0),
                "its height is " + height);
    }

    void require(boolean isSo, String otherwise) {
        if (!isSo) {
            throw damaged(what, header, otherwise);
        }
    }

    static FarheapException damaged(String what, long header, String otherwise) {
        return FarheapException.badData(
                "The %s at 0x%x is damaged, %s: restore the pool from a replica, or save what can"
                        + " be read (farheap check, farheap dump).",
                what, header, otherwise);
    }

    /**
     * What is said where a header is none.
     *
     * @param word what it begins with: 0 once it is deleted, and its place not used again
     */
    static FarheapException notThere(String what, long header, long word) {
        return word == 0
                ? FarheapException.wrongUse("The %s at 0x%x was deleted.", what, header)
                : FarheapException.badData(
                        "There is no %s at 0x%x: it was deleted, and its place is used again, or the"
                                + " pool is damaged (farheap check).",
                        what, header);
    }

    /** What a collection says is its size, which no pool has room for if it is damaged. */
    static long size(HeapTransaction tx, String what, long header, long size) {
        if (size < 0 || size > tx.imageBytes()) {
            throw damaged(what, header, "it says that its size is " + size);
        }
        return size;
    }

    /** Refuses a part that this transaction freed: two others name it. */
    static void requireOnce(HeapTransaction tx, String what, long header, long part) {
        if (tx.isFreed(part)) {
            throw damaged(what, header, String.format("two of its parts name that at 0x%x", part));
        }
    }

    /** What is never null in a collection. */
    static <T> T present(T value, String what, long object) {
        if (value == null) {
            throw damaged(what, object, "it is missing");
        }
        return value;
    }
}
