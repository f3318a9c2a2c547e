package io.farheap.objects;

/**
 * What happens in one transaction or read, whatever it throws. Java's lambdas become a {@link
 * HeapBody}, which says what that is; those of languages without checked exceptions become this.
 *
 * @param <R> the heap's root object
 */
@FunctionalInterface
public interface AnyHeapBody<R> {
    /**
     * Reads, and in a transaction changes, what belongs together.
     *
     * @throws Exception aborts and travels on
     */
    void run(R root) throws Exception;
}
