package io.farheap.objects.schema;

import java.util.NavigableSet;

/**
 * A sorted set in the pool; thread-safe. Elements are not null. What {@link PersistentSortedMap}
 * says of order, calls, iterators, views and conflicts holds here.
 */
public interface PersistentSortedSet<E> extends NavigableSet<E> {}
