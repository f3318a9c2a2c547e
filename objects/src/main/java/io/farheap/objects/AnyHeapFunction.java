package io.farheap.objects;

/**
 * As {@link AnyHeapBody}, with a result.
 *
 * @param <R> the heap's root object
 * @param <T> the result
 */
@FunctionalInterface
public interface AnyHeapFunction<R, T> {
    /**
     * Reads, and in a transaction changes, what belongs together.
     *
     * @return what the caller gets
     * @throws Exception aborts and travels on
     */
    T apply(R root) throws Exception;
}
