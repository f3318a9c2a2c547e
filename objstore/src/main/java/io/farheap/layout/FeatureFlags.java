package io.farheap.layout;

import java.util.ArrayList;
import java.util.List;

/**
 * The three feature words of a pool header, the same in every header of a pool
 * (docs/format.md#features).
 *
 * @param compat unknown bits are ignored
 * @param incompat an unknown bit forbids opening
 * @param roCompat an unknown bit allows reading only, which does not exist: forbids opening
 */
public record FeatureFlags(int compat, int incompat, int roCompat) {
    /** compat: look for bad blocks of the storage at open. */
    public static final int CHECK_BAD_BLOCKS = 0x1;

    /** incompat: only part 0 of each replica has a header. */
    public static final int SINGLEHDR = 0x1;

    /** incompat: the header's checksum covers its first 2048 bytes only. */
    public static final int CKSUM_2K = 0x2;

    /** incompat: the shutdown state is kept and checked. */
    public static final int SHUTDOWN_STATE = 0x4;

    /**
     * incompat: a disk journal may have what the parts lack. Not among the known: who does not look
     * for the journal must not open the pool ({@link PoolHeader#isMarked}).
     */
    public static final int DISK_JOURNAL = 0x4000_0000;

    private static final int KNOWN_INCOMPAT = SINGLEHDR | CKSUM_2K | SHUTDOWN_STATE;

    /** What new pools get, as Debian's library gives them. */
    public static FeatureFlags forNewPool(boolean singleHeader, boolean shutdownState) {
        int incompat =
                CKSUM_2K | (shutdownState ? SHUTDOWN_STATE : 0) | (singleHeader ? SINGLEHDR : 0);
        return new FeatureFlags(CHECK_BAD_BLOCKS, incompat, 0);
    }

    /** The same, with headers in all parts or only in part 0 of each replica. */
    public FeatureFlags withSingleHeader(boolean on) {
        return new FeatureFlags(
                compat, on ? incompat | SINGLEHDR : incompat & ~SINGLEHDR, roCompat);
    }

    /** Bits that forbid opening; 0: none. */
    public int unknownIncompat() {
        return incompat & ~KNOWN_INCOMPAT;
    }

    /** The known bits of the incompat word by pmempool's names. */
    public List<String> incompatNames() {
        List<String> names = new ArrayList<>();
        if (hasSingleHeader()) {
            names.add("SINGLEHDR");
        }
        if (hasShortChecksum()) {
            names.add("CKSUM_2K");
        }
        if (hasShutdownState()) {
            names.add("SHUTDOWN_STATE");
        }
        return names;
    }

    /** The known bits of the compat word by pmempool's names. */
    public List<String> compatNames() {
        return checksBadBlocks() ? List.of("CHECK_BAD_BLOCKS") : List.of();
    }

    boolean checksBadBlocks() {
        return (compat & CHECK_BAD_BLOCKS) != 0;
    }

    public boolean hasSingleHeader() {
        return (incompat & SINGLEHDR) != 0;
    }

    public boolean hasShortChecksum() {
        return (incompat & CKSUM_2K) != 0;
    }

    public boolean hasShutdownState() {
        return (incompat & SHUTDOWN_STATE) != 0;
    }
}
