package io.farheap.testing;

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

/** A pool in memory that no file is behind: not offered to programs, so that none lives on one. */
final class MemoryPool {
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
    static void format(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        descriptor.format("");
        LaneLayout.format(memory);
        HeapFormat.format(memory, descriptor.heapOffset(), descriptor.heapSize());
        descriptor.seal();
    }

    /** Recovers the pool there, and opens it. */
    static ObjectPool open(PoolMemory memory) {
        PoolEngine engine = PoolEngine.open(memory, TxSettings.DEFAULTS, null);
        try {
            return (ObjectPool) OVER.invokeExact(engine, POOL_ID);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("ObjectPool.over declares no exception", e);
        }
    }
}
