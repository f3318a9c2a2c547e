package io.farheap.base;

/** What a flush and a fence must do so that stores to mapped files survive a power loss. */
public enum PersistenceDomain {
    /** Persistent memory mapped directly: cache lines written back, then a store fence. */
    DAX,
    /** Persistent memory on a platform that flushes CPU caches itself: a store fence only. */
    EADR,
    /**
     * Everything else: msync of the touched pages at each fence. Files in memory or of a network;
     * those on ordinary disks where no disk journal is wanted, or none can be.
     */
    PAGE_CACHE,
    /**
     * Ordinary disks, or asked for: a journal beside the pool's first part, which all threads sync
     * together, at most once for each operation. While the pool is open, or after a crash, its
     * newest commits are in that journal alone, and the part files are refused without it; once it
     * is closed they are whole.
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
