package io.farheap.objects.collection;

import io.farheap.base.FarheapException;
import io.farheap.objects.transaction.HeapTransaction;

/** The objects of one collection in the pool, found from its header. Without state. */
abstract class CollectionStructure {
    /** Allocates an empty one; returns its header. */
    abstract long create(HeapTransaction tx);

    /**
     * Frees all it owns but its header, which says from now on that it was deleted: programs may
     * still have its offset.
     */
    abstract void delete(HeapTransaction tx, long header);

    /** Shows all it owns, its header first. */
    abstract void walk(HeapTransaction tx, long header, CollectionVisitor visitor);

    /**
     * Shows what is in it.
     *
     * @param most entries that a pool has room for
     */
    abstract void content(HeapTransaction tx, long header, long most, ContentVisitor visitor);

    /**
     * Adds what {@link #content} showed, in the same order.
     *
     * @return whether it was not there
     */
    abstract boolean append(HeapTransaction tx, long header, Object key, Object value);

    /** Allocates an empty one whose order is that of a comparator's class. */
    long create(HeapTransaction tx, String comparatorClass) {
        throw FarheapException.wrongUse(
                "A collection that is not sorted has the order %s.", comparatorClass);
    }
}
