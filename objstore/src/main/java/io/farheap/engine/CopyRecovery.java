package io.farheap.engine;

import io.farheap.base.FarheapException;
import io.farheap.heap.Heap;
import io.farheap.heap.HeapLogSpace;
import io.farheap.heap.HeapStores;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.ulog.LaneArea;
import io.farheap.ulog.LaneRecovery;

/** Recovers copies of a pool, to find out what opening the pool itself would come to. */
public final class CopyRecovery {
    private CopyRecovery() {}

    /**
     * Does what opening does to logs and heap, but for the ranges that roll back.
     *
     * @param copy of a pool, to be thrown away
     * @throws FarheapException BAD_DATA when opening the pool would fail half-way
     */
    public static void rehearse(PoolMemory copy) {
        LaneRecovery recovery = new LaneRecovery(new LaneArea(copy));
        recovery.rehearseUndo(redone(copy, recovery));
    }

    /**
     * Does what opening does to logs and heap until nothing is left in a log.
     *
     * @param copy of a pool, to be thrown away
     * @throws FarheapException BAD_DATA when the pool can't be recovered
     */
    public static void recover(PoolMemory copy) {
        LaneRecovery recovery = new LaneRecovery(new LaneArea(copy));
        HeapLogSpace space = redone(copy, recovery);
        recovery.recoverUndo(space);
        recovery.releaseExtensions(space);
    }

    private static HeapLogSpace redone(PoolMemory copy, LaneRecovery recovery) {
        Descriptor descriptor = new Descriptor(copy);
        recovery.recoverRedo();
        Heap heap =
                Heap.boot(
                        copy,
                        descriptor.heapOffset(),
                        descriptor.heapSize(),
                        HeapStores.local(copy));
        return new HeapLogSpace(heap);
    }
}
