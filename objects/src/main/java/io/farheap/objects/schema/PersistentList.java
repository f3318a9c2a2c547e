package io.farheap.objects.schema;

import java.util.List;
import java.util.RandomAccess;

/**
 * A list in the pool; thread-safe. Elements are not null. Each operation at an index takes steps in
 * the number of the logarithm of the list's length, an insertion in the middle too.
 *
 * <p>Inside a transaction or read each call is part of that. Outside, each call is one of its own,
 * and what a changing call did is durable when it returns; bulk operations are one transaction.
 * Iterators outside go by index: an insertion before them makes {@code next} return an element
 * again, and never throw. Their {@code remove} and {@code set} throw {@link
 * java.util.ConcurrentModificationException} where the element that was returned last has not its
 * place any more. Two threads that make the list longer or shorter conflict.
 */
public interface PersistentList<E> extends List<E>, RandomAccess {}
