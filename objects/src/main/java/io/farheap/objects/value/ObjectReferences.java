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
     * The object at a place that a reference gives up; a deleted one as a variable would hold it.
     *
     * @throws RuntimeException as {@link #at} does where no object was deleted
     */
    default <T> T takenAt(HeapTransaction tx, long offset, Class<T> type) {
        return at(tx, offset, type);
    }

    /**
     * The place of an object of the same heap.
     *
     * @throws RuntimeException for an object of another heap or none of any
     */
    long offsetOf(Object object);

    /**
     * Asked before a reference is stored: its object is there, and a transaction that deletes it
     * conflicts with this one. Whoever fills a heap that nobody else has yet lets it be.
     *
     * @throws RuntimeException for an object that was deleted
     */
    default void requireThere(HeapTransaction tx, long offset) {
        // Nobody deletes, unless it says otherwise.
    }
}
