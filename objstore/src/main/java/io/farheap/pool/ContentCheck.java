package io.farheap.pool;

import io.farheap.memory.PoolMemory;

/**
 * Looks at what is in a pool before anything of it is changed, and throws what the opening is to be
 * refused with.
 */
@FunctionalInterface
public interface ContentCheck {
    /** Content is not looked at. */
    ContentCheck NONE = image -> false;

    /**
     * Looks at the image of one local replica, without a store.
     *
     * @return whether the opening is going to recover something in it
     */
    boolean check(PoolMemory image);

    /**
     * Does to a copy of the first replica, copy on write, what the opening will do to the pool:
     * what fails there must not have begun here.
     *
     * @param mirrored whether there are other local replicas
     */
    default void rehearse(PoolMemory copy, boolean mirrored) {}
}
