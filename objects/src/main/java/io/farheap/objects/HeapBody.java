package io.farheap.objects;

/**
 * What happens in one transaction or read.
 *
 * @param <R> the heap's root object
 * @param <E> what it may throw besides unchecked exceptions; any of them aborts and travels on
 */
@FunctionalInterface
public interface HeapBody<R, E extends Exception> extends AnyHeapBody<R> {
    @Override
    void run(R root) throws E;
}
