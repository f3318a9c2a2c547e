package io.farheap.objects.value;

import io.farheap.objects.transaction.HeapTransaction;

/** How references become objects of the program: what the heap above this package does. */
public interface ObjectReferences {
    /** The pool's id, which a stored reference begins with. */
    long poolId();

    /**
     * The object at a place.
     *
     * @throws RuntimeException when there is none, or one of another type than {@code type}
     */
    <T> T at(HeapTransaction tx, long offset, Class<T> type);

    /**
     * The place of an object of the same heap.
     *
     * @throws RuntimeException for an object of another heap or none of any
     */
    long offsetOf(Object object);

    /**
     * The same, to be referred to: it is there, and nobody can delete it before the transaction
     * ends.
     *
     * @throws RuntimeException also for an object that was deleted
     */
    default long offsetToStore(HeapTransaction tx, Object object) {
        return offsetOf(object);
    }
}
