package io.farheap;

import io.farheap.engine.PoolEngine;
import io.farheap.engine.TxSettings;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;

/** Opens a pool over memory whose persistence a test has its hand in. */
public final class PoolOverMemory {
    private PoolOverMemory() {}

    /** Makes an empty pool of memory that is all zero. */
    public static void format(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        descriptor.format("test");
        PoolOpening.format(memory);
        descriptor.seal();
    }

    /** Recovers and opens it; the memory stays the caller's. */
    public static ObjectPool open(PoolMemory memory, TxSettings settings, long poolId) {
        return open(memory, settings, poolId, null);
    }

    /** The same with its replicas attached. */
    public static ObjectPool open(
            PoolMemory memory, TxSettings settings, long poolId, PoolEngine.Attachment replicas) {
        return ObjectPool.over(PoolEngine.open(memory, settings, replicas), poolId);
    }
}
