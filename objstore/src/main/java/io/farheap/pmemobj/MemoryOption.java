package io.farheap.pmemobj;

/**
 * How bytes are stored outside a transaction: libpmemobj's {@code PMEMOBJ_F_*} flags. All but
 * {@link #NOT_ATOMIC} are hints that change nothing of what is durable when a call returns:
 * everything is.
 */
public enum MemoryOption {
    /** PMEMOBJ_F_MEM_NODRAIN: the caller would drain later. */
    NO_DRAIN,
    /** PMEMOBJ_F_MEM_NOFLUSH: the caller would flush and drain later. */
    NO_FLUSH,
    /** PMEMOBJ_F_MEM_NONTEMPORAL: past the cache. */
    NON_TEMPORAL,
    /** PMEMOBJ_F_MEM_TEMPORAL: through the cache. */
    TEMPORAL,
    /** PMEMOBJ_F_MEM_WC: with write combining, another word for {@link #NON_TEMPORAL}. */
    WRITE_COMBINING,
    /** PMEMOBJ_F_MEM_WB: with write back, another word for {@link #TEMPORAL}. */
    WRITE_BACK,
    /** PMEMOBJ_F_RELAXED: remote replicas need not store aligned words whole. They do. */
    RELAXED,
    /**
     * What libpmemobj's copies are: a crash in the middle leaves every aligned 8-byte word either
     * old or new, not all of them alike. Then one fence suffices instead of three. Replicas get it
     * as they get a commit. No effect inside a transaction, and none in a pool with local replicas:
     * after a crash those would differ.
     */
    NOT_ATOMIC
}
