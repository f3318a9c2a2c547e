package io.farheap.base;

/**
 * How an object is allocated, where the size alone shall not decide: what libpmemobj's xalloc calls
 * take as flags. Immutable; keep one in a constant.
 *
 * @param zeroed whether all usable bytes become 0 (POBJ_XALLOC_ZERO)
 * @param noFlush whether the content may be lost by a crash after the commit: only what makes the
 *     object exist is written back (POBJ_XALLOC_NO_FLUSH). For contents that are rebuilt anyway, or
 *     made durable later by {@link io.farheap.pmemobj.MemoryOperations#persist}. Without effect on
 *     a pool with replicas, which would differ from it after a crash
 * @param noAbort whether a transaction in which this allocation fails goes on
 *     (POBJ_XALLOC_NO_ABORT); the call throws in any case
 * @param allocationClass id of an allocation class of this pool (POBJ_CLASS_ID); 0: by the size
 * @param arena id of an arena of this pool (POBJ_ARENA_ID); 0: the thread's own
 */
public record AllocationOptions(
        boolean zeroed, boolean noFlush, boolean noAbort, int allocationClass, int arena) {
    /** As the size decides, content undefined. */
    public static final AllocationOptions DEFAULT =
            new AllocationOptions(false, false, false, 0, 0);

    /** As the size decides, all usable bytes 0. */
    public static final AllocationOptions ZEROED = new AllocationOptions(true, false, false, 0, 0);

    /** The same with all usable bytes 0. */
    public AllocationOptions withZeroes() {
        return new AllocationOptions(true, noFlush, noAbort, allocationClass, arena);
    }

    /** The same with content that a crash after the commit may lose. */
    public AllocationOptions withoutFlush() {
        return new AllocationOptions(zeroed, true, noAbort, allocationClass, arena);
    }

    /** The same, letting a transaction go on when it fails. */
    public AllocationOptions withoutAbort() {
        return new AllocationOptions(zeroed, noFlush, true, allocationClass, arena);
    }

    /** The same out of runs of one allocation class. */
    public AllocationOptions inClass(int id) {
        return new AllocationOptions(zeroed, noFlush, noAbort, id, arena);
    }

    /** The same out of one arena. */
    public AllocationOptions inArena(int id) {
        return new AllocationOptions(zeroed, noFlush, noAbort, allocationClass, id);
    }
}
