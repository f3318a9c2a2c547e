package io.farheap.objects.schema;

import java.util.concurrent.ConcurrentMap;

/**
 * A hash map in the pool; thread-safe. Keys and values are not null.
 *
 * <p>Inside a transaction or read each call is part of that. Outside, each call is one of its own,
 * and what a changing call did is durable when it returns; {@code compute}, {@code merge} and
 * {@code putIfAbsent} are atomic, and their functions may run more than once. Iterators outside are
 * weakly consistent, as those of {@link java.util.concurrent.ConcurrentHashMap}: what is there all
 * the time they return exactly once; inside a read they see its instant. {@code size} is exact in
 * every case. {@code clear} and {@code putAll} are one transaction.
 *
 * <p>Two threads that change different keys conflict hardly ever: the map grows by one bucket at a
 * time and counts in cells. It does not shrink but by {@code clear}.
 */
public interface PersistentMap<K, V> extends ConcurrentMap<K, V> {
    /**
     * The value of a key, without boxes; {@code absent} where there is none.
     *
     * @throws io.farheap.base.FarheapException WRONG_USE, as the others of this kind, of a map
     *     whose keys, or values if they are asked for, are no {@code long}
     */
    long getLong(long key, long absent);

    /** Sets the value of a key, without boxes; true where there was none before. */
    boolean putLong(long key, long value);

    /** Whether there is such a key, without a box. */
    boolean containsLong(long key);

    /** Removes a key, without a box; whether it was there. */
    boolean removeLong(long key);
}
