package io.farheap;

/**
 * How an object is allocated, where the size alone shall not decide: what libpmemobj's xalloc calls
 * take as flags. Immutable; keep one in a constant.
 *
 * @param zeroed whether all usable bytes become 0 (POBJ_XALLOC_ZERO)
 * @param noFlush whether the content may be lost by a crash after the commit: only what makes the
 *     object exist is written back (POBJ_XALLOC_NO_FLUSH). For contents that are rebuilt anyway, or
 *     made durable later by {@link ObjectPool#persist}; remote replicas get the content all the
 *     same
 * @param allocationClass id of an allocation class of this pool (POBJ_CLASS_ID); 0: by the size
 * @param arena id of an arena of this pool (POBJ_ARENA_ID); 0: the thread's own
 */
public record AllocationOptions(boolean zeroed, boolean noFlush, int allocationClass, int arena) {
    /** As the size decides, content undefined. */
    public static final AllocationOptions DEFAULT = new AllocationOptions(false, false, 0, 0);

    /** As the size decides, all usable bytes 0. */
    public static final AllocationOptions ZEROED = new AllocationOptions(true, false, 0, 0);

    /** The same with all usable bytes 0. */
    public AllocationOptions withZeroes() {
        return new AllocationOptions(true, noFlush, allocationClass, arena);
    }

    /** The same with content that a crash after the commit may lose. */
    public AllocationOptions withoutFlush() {
        return new AllocationOptions(zeroed, true, allocationClass, arena);
    }

    /** The same out of runs of one allocation class. */
    public AllocationOptions inClass(int id) {
        return new AllocationOptions(zeroed, noFlush, id, arena);
    }

    /** The same out of one arena. */
    public AllocationOptions inArena(int id) {
        return new AllocationOptions(zeroed, noFlush, allocationClass, id);
    }
}
