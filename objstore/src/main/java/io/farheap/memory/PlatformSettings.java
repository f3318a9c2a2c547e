package io.farheap.memory;

import io.farheap.base.FarheapException;
import io.farheap.base.PersistenceDomain;
import java.util.Locale;
import java.util.Map;

/**
 * The environment variables of libpmem that say how to map and to persist, with its names and
 * meanings.
 *
 * @param force {@code PMEM_IS_PMEM_FORCE}: 1 treats every mapping as persistent memory, 0 none;
 *     null leaves it to {@code granularity} and the mapping
 * @param noFlush {@code PMEM_NO_FLUSH=1}: the platform flushes CPU caches itself
 * @param granularity {@code PMEM2_FORCE_GRANULARITY}: BYTE (nothing needs a flush), CACHE_LINE or
 *     PAGE; "" leaves it to the mapping
 * @param mappingAddress {@code PMEM_MMAP_HINT}: where images shall be mapped if there is room; 0:
 *     anywhere
 */
record PlatformSettings(Boolean force, boolean noFlush, String granularity, long mappingAddress) {

    static PlatformSettings of(Map<String, String> environment) {
        String force = environment.get("PMEM_IS_PMEM_FORCE");
        Boolean forced =
                "1".equals(force) ? Boolean.TRUE : "0".equals(force) ? Boolean.FALSE : null;
        return new PlatformSettings(
                forced,
                "1".equals(environment.get("PMEM_NO_FLUSH")),
                environment.getOrDefault("PMEM2_FORCE_GRANULARITY", "").toUpperCase(Locale.ROOT),
                hint(environment.getOrDefault("PMEM_MMAP_HINT", "")));
    }

    /** As libpmem: what is no hexadecimal number is ignored. */
    private static long hint(String text) {
        String digits = text.startsWith("0x") ? text.substring(2) : text;
        return digits.matches("[0-9a-fA-F]{1,15}") ? Long.parseLong(digits, 16) & -4096L : 0;
    }

    /** The domain of a mapping that is, or is not, synchronous with the medium. */
    PersistenceDomain domain(boolean synchronous, boolean autoFlush) {
        if (Boolean.TRUE.equals(force)) {
            return PersistenceDomain.FORCED;
        }
        if (force == null && !granularity.isEmpty()) {
            return switch (granularity) {
                case "BYTE" -> PersistenceDomain.EADR;
                case "CACHE_LINE" -> PersistenceDomain.FORCED;
                case "PAGE" -> PersistenceDomain.PAGE_CACHE;
                default ->
                        throw FarheapException.wrongUse(
                                "PMEM2_FORCE_GRANULARITY must be BYTE, CACHE_LINE or PAGE, not %s",
                                granularity);
            };
        }
        if (!synchronous || Boolean.FALSE.equals(force)) {
            return PersistenceDomain.PAGE_CACHE;
        }
        return noFlush || autoFlush ? PersistenceDomain.EADR : PersistenceDomain.DAX;
    }
}
