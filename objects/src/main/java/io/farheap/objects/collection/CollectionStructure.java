package io.farheap.objects.collection;

import io.farheap.objects.transaction.HeapTransaction;

/** The objects of one collection in the pool, found from its header. Without state. */
abstract class CollectionStructure {
    /** Allocates an empty one; returns its header. */
    abstract long create(HeapTransaction tx);

    /** Frees all it owns, its header last. */
    abstract void delete(HeapTransaction tx, long header);

    /** Shows all it owns, its header first. */
    abstract void walk(HeapTransaction tx, long header, CollectionVisitor visitor);
}
