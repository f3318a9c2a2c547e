package io.farheap.objects;

/**
 * What happens in one transaction or read, with a result.
 *
 * @param <R> the heap's root object
 * @param <T> the result
 * @param <E> what it may throw besides unchecked exceptions; any of them aborts and travels on
 */
@FunctionalInterface
public interface HeapFunction<R, T, E extends Exception> {
    /** Changes or reads what is reachable from the root, and says what the caller gets. */
    T apply(R root) throws E;
}
