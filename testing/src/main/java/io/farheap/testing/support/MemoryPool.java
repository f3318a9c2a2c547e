package io.farheap.testing.support;

import io.farheap.ObjectPool;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.TxSettings;
import io.farheap.heap.HeapFormat;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.memory.PoolMemory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * A pool in memory that no file is behind and whose persistence a test has its hand in: not offered
 * to programs, so that none lives on one.
 */
public final class MemoryPool {
    private static final long POOL_ID = 0x5eed_0000_0000_0001L;
    private static final MethodHandle OVER = over();

    private MemoryPool() {}

    private static MethodHandle over() {
        try {
            return MethodHandles.privateLookupIn(ObjectPool.class, MethodHandles.lookup())
                    .findStatic(
                            ObjectPool.class,
                            "over",
                            MethodType.methodType(ObjectPool.class, PoolEngine.class, long.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Makes an empty pool of memory that is all zero; durable after it. */
    public static void format(PoolMemory memory, String layout) {
        Descriptor descriptor = new Descriptor(memory);
        descriptor.format(layout);
        LaneLayout.format(memory);
        HeapFormat.format(memory, descriptor.heapOffset(), descriptor.heapSize());
        descriptor.seal();
    }

    /** Recovers the pool there, and opens it; the memory stays the caller's. */
    public static ObjectPool open(PoolMemory memory) {
        return open(memory, TxSettings.DEFAULTS, POOL_ID);
    }

    /** The same with settings, under the id that its references have. */
    public static ObjectPool open(PoolMemory memory, TxSettings settings, long poolId) {
        return open(memory, settings, poolId, null);
    }

    /** The same with its replicas attached; null: it has none. */
    public static ObjectPool open(
            PoolMemory memory, TxSettings settings, long poolId, PoolEngine.Attachment replicas) {
        PoolEngine engine = PoolEngine.open(memory, settings, replicas);
        try {
            return (ObjectPool) OVER.invokeExact(engine, poolId);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("ObjectPool.over declares no exception", e);
        }
    }
}
