package io.farheap.objects.schema;

import java.util.concurrent.ConcurrentNavigableMap;

/**
 * A sorted map in the pool; thread-safe. Keys and values are not null. Its order is the keys' own
 * or that of a comparator, whose class the pool knows by its name.
 *
 * <p>What {@link PersistentMap} says of calls and iterators holds here, and for its views. Threads
 * conflict when they change keys that are near each other: in one leaf of some dozens of entries.
 * {@code size} of a view with bounds goes through it.
 */
public interface PersistentSortedMap<K, V> extends ConcurrentNavigableMap<K, V> {
    /**
     * The value of a key, without boxes; {@code absent} where there is none.
     *
     * @throws io.farheap.base.FarheapException WRONG_USE, as the others of this kind, of a map
     *     whose keys, or values if they are asked for, are no {@code long}, or in another order
     *     than the natural one
     */
    long getLong(long key, long absent);

    /** Sets the value of a key, without boxes; true where there was none before. */
    boolean putLong(long key, long value);

    /** Whether there is such a key, without a box. */
    boolean containsLong(long key);

    /** Removes a key, without a box; whether it was there. */
    boolean removeLong(long key);
}
