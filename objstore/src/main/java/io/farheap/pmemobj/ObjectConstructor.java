package io.farheap.pmemobj;

/**
 * Fills a new object before it exists for anybody else.
 *
 * @param <E> what it may throw besides unchecked exceptions; any of them cancels the allocation,
 *     and everything that should have happened with it, and travels on
 */
@FunctionalInterface
public interface ObjectConstructor<E extends Exception> {
    /**
     * @param object usable during the call only, by the calling thread
     */
    void construct(NewObject object) throws E;
}
