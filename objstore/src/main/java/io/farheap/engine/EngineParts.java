package io.farheap.engine;

import io.farheap.heap.Heap;
import io.farheap.heap.HeapLogSpace;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.ulog.LaneArea;

/**
 * What an engine stands on, made by {@link PoolBoot}.
 *
 * @param memory the pool's image
 * @param settings bounds of waits, and how many lanes are used
 * @param descriptor the pool's own
 * @param lanes all of them, with redo logs recovered
 * @param heap booted
 * @param logSpace where logs get more room
 * @param heapStores through which the heap stores
 * @param counters of the engine
 * @param life whether the pool may be used
 * @param unended what was sent to replicas and has not ended
 */
record EngineParts(
        PoolMemory memory,
        TxSettings settings,
        Descriptor descriptor,
        LaneArea lanes,
        Heap heap,
        HeapLogSpace logSpace,
        ReplicatedHeapStores heapStores,
        EngineCounters counters,
        PoolLife life,
        SentRecord.Unended unended) {}
