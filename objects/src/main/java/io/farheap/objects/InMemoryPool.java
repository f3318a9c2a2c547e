package io.farheap.objects;

import io.farheap.ObjectPool;
import io.farheap.engine.EngineOf;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.TxSettings;
import io.farheap.heap.HeapFormat;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.memory.NoPersistence;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ThreadLocalRandom;

/** A pool in memory that no file is behind. */
final class InMemoryPool {
    private static final long BYTES = 16L << 20;
    private static final int ALIGNMENT = 4096;

    private InMemoryPool() {}

    static ObjectPool create(String layout) {
        MemorySegment image = Arena.ofAuto().allocate(BYTES, ALIGNMENT);
        PoolMemory memory = new PoolMemory(image, new NoPersistence());
        Descriptor descriptor = new Descriptor(memory);
        descriptor.format(layout);
        LaneLayout.format(memory);
        HeapFormat.format(memory, descriptor.heapOffset(), descriptor.heapSize());
        descriptor.seal();
        PoolEngine engine = PoolEngine.open(memory, TxSettings.DEFAULTS, null);
        long poolId = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        return EngineOf.poolOver(engine, poolId, ObjectPool.class);
    }
}
