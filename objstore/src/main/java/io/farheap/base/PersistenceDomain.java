package io.farheap.base;

/** What a flush and a fence must do so that stores to mapped files survive a power loss. */
public enum PersistenceDomain {
    /** Persistent memory mapped directly: cache lines written back, then a store fence. */
    DAX,
    /** Persistent memory on a platform that flushes CPU caches itself: a store fence only. */
    EADR,
    /** Everything else: msync of the touched pages at each fence. */
    PAGE_CACHE,
    /**
     * Ordinary disks, where it is asked for: a journal that all threads sync together, at most once
     * for each operation.
     */
    JOURNAL,
    /**
     * {@code PMEM_IS_PMEM_FORCE=1}: treated as DAX whatever it is. For tests; a page-cache file
     * does not survive a power loss this way.
     */
    FORCED;

    /** Whether a fence enters the kernel. */
    public boolean syncsPages() {
        return this == PAGE_CACHE || this == JOURNAL;
    }
}
