package io.farheap.objects.schema;

import java.util.Set;

/**
 * A set in the pool, by hash; thread-safe. Elements are not null. What {@link PersistentMap} says
 * of calls, iterators and conflicts holds here.
 */
public interface PersistentSet<E> extends Set<E> {
    /**
     * Adds an element without a box; true where it was not there.
     *
     * @throws io.farheap.base.FarheapException WRONG_USE, as the others of this kind, of a set
     *     whose elements are no {@code long}
     */
    boolean addLong(long element);

    /** Whether there is such an element, without a box. */
    boolean containsLong(long element);

    /** Removes an element, without a box; whether it was there. */
    boolean removeLong(long element);
}
