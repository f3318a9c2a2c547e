package io.farheap;

import io.farheap.memory.PoolMemory;
import io.farheap.tx.PoolEngine;
import io.farheap.tx.TxSettings;

/** Opens a pool over memory whose persistence a test has its hand in. */
public final class PoolOverMemory {
    private PoolOverMemory() {}

    /** Recovers and opens it; the memory stays the caller's. */
    public static ObjectPool open(PoolMemory memory, TxSettings settings, long poolId) {
        return ObjectPool.over(PoolEngine.open(memory, settings, null), poolId);
    }
}
