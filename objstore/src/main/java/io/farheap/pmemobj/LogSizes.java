package io.farheap.pmemobj;

import io.farheap.base.FarheapException;
import io.farheap.heap.Heap;

/**
 * How large libpmemobj's logs get, for programs that share their pools with ones in C and hand log
 * buffers to those. Sizes are bytes, unsigned as in C. Java programs need no buffers: logs grow by
 * themselves ({@link io.farheap.Transaction#setLogAutoAllocation}).
 */
public final class LogSizes {
    private static final long HEADER = 64;
    private static final long SNAPSHOT_HEADER = 24;
    private static final long INTENT = 16;
    private static final long LINE = 64;

    private LogSizes() {}

    /**
     * What C's log needs for these snapshots in one transaction (libpmemobj: {@code
     * pmemobj_tx_log_snapshots_max_size}): 64 + the sum of up64(size + 24), and 88 for each whole
     * largest allocation in that.
     *
     * @throws FarheapException WRONG_USE when that is no 64-bit number (C: SIZE_MAX, ERANGE)
     */
    public static long snapshotsMaxSize(long... sizes) {
        long result = HEADER;
        for (long size : sizes) {
            result = plus(result, up64(plus(size, SNAPSHOT_HEADER)));
        }
        return withParts(result, HEADER + SNAPSHOT_HEADER);
    }

    /**
     * What C's log needs for so many intents, allocations and frees, in one transaction
     * (libpmemobj: {@code pmemobj_tx_log_intents_max_size}): 64 + up64(16 n), and 80 for each whole
     * largest allocation in that.
     *
     * @throws FarheapException WRONG_USE when that is no 64-bit number (C: SIZE_MAX, ERANGE)
     */
    public static long intentsMaxSize(long intents) {
        if (Long.compareUnsigned(intents, Long.divideUnsigned(-1, INTENT)) > 0) {
            throw overflow();
        }
        return withParts(plus(HEADER, up64(INTENT * intents)), HEADER + INTENT);
    }

    /** One buffer can't be larger than one object: each further one has a header, too. */
    private static long withParts(long size, long overhead) {
        return plus(size, Long.divideUnsigned(size, Heap.MAX_REQUEST) * overhead);
    }

    private static long up64(long size) {
        return plus(size, LINE - 1) & -LINE;
    }

    private static long plus(long a, long b) {
        long sum = a + b;
        if (Long.compareUnsigned(sum, a) < 0) {
            throw overflow();
        }
        return sum;
    }

    private static FarheapException overflow() {
        return FarheapException.wrongUse(
                "The log for so much would need more bytes than a 64-bit number can"
                        + " say (ERANGE); split the transaction.");
    }
}
