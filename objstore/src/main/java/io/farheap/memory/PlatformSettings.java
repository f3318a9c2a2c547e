package io.farheap.memory;

import java.util.Map;

/**
 * The environment variables of libpmem that say how to persist, with its names and meanings.
 *
 * @param force {@code PMEM_IS_PMEM_FORCE}: 1 treats every mapping as persistent memory, 0 none;
 *     null leaves it to the mapping
 * @param noFlush {@code PMEM_NO_FLUSH=1}: the platform flushes CPU caches itself
 */
record PlatformSettings(Boolean force, boolean noFlush) {

    static PlatformSettings of(Map<String, String> environment) {
        String force = environment.get("PMEM_IS_PMEM_FORCE");
        Boolean forced =
                "1".equals(force) ? Boolean.TRUE : "0".equals(force) ? Boolean.FALSE : null;
        return new PlatformSettings(forced, "1".equals(environment.get("PMEM_NO_FLUSH")));
    }

    /** The domain of a mapping that is, or is not, synchronous with the medium. */
    PersistenceDomain domain(boolean synchronous, boolean autoFlush) {
        if (Boolean.TRUE.equals(force)) {
            return PersistenceDomain.FORCED;
        }
        if (!synchronous || Boolean.FALSE.equals(force)) {
            return PersistenceDomain.PAGE_CACHE;
        }
        return noFlush || autoFlush ? PersistenceDomain.EADR : PersistenceDomain.DAX;
    }
}
