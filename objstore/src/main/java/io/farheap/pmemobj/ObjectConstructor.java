package io.farheap.pmemobj;

/**
 * Fills a new object before it exists for anybody else. What it throws cancels the allocation, and
 * everything that should have happened with it, and travels on.
 */
@FunctionalInterface
public interface ObjectConstructor {
    /**
     * Stores what the object is to have.
     *
     * @param object usable during the call only, by the calling thread
     */
    void construct(NewObject object);
}
