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
     * An opening has its locks, and begins to look: what an earlier one found may be over, for
     * others could have the pool in between.
     */
    default void begin() {}

    /**
     * Looks at the image of one local replica, without a store.
     *
     * @return whether more can be told only by a rehearsal: what the opening is going to recover
     *     changes what it comes to next
     */
    boolean check(PoolMemory image);

    /**
     * Does to a copy of the first replica, copy on write, what the opening will do to the pool:
     * what fails there must not have begun here.
     *
     * @param mirrored whether there are other local replicas
     */
    default void rehearse(PoolMemory copy, boolean mirrored) {}

    /**
     * Whether two local replicas of different runs hold the same commits: recovered together, as
     * opening would do it, and also where the second is recovered by itself. Of neither anything is
     * lost then, whichever went on without the other. Every memory is copy on write.
     *
     * @param together the first replica, whose lanes the second has, and flushes go to that
     * @param follower the second one as it is then
     * @param alone the second one, as if there were no other
     * @throws io.farheap.base.FarheapException BAD_DATA when one of them can't be recovered
     */
    default boolean recoverAlike(PoolMemory together, PoolMemory follower, PoolMemory alone) {
        return false;
    }
}
