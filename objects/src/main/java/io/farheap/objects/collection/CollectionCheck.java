package io.farheap.objects.collection;

import io.farheap.base.FarheapException;

/**
 * Holds what is found in a collection against what it says of itself, so that one whose links run
 * in a circle comes to an end. Not thread-safe.
 */
final class CollectionCheck {
    /** No tree is higher: its nodes would fill every pool. */
    private static final int HEIGHT_MAX = 48;

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
            throw FarheapException.badData(
                    "The %s at 0x%x is damaged, %s: restore the pool from a replica.",
                    what, header, otherwise);
        }
    }
}
