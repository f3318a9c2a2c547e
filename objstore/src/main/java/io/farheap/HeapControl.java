package io.farheap;

import io.farheap.tx.PoolEngine;
import java.util.Optional;

/**
 * How a pool's heap gives out memory: what libpmemobj offers under {@code heap} in its ctl name
 * space. Got by {@link ObjectPool#heap()}. Nothing of it is stored in the pool: each program that
 * opens it sets what it needs. Thread-safe.
 */
public final class HeapControl {
    private final PoolEngine engine;

    HeapControl(PoolEngine engine) {
        this.engine = engine;
    }

    // ---- allocation classes ----

    /**
     * Describes an allocation class (ctl {@code heap.alloc_class.[id].desc}, read). A new pool has
     * the 54 of libpmemobj 1.12, with ids from 0.
     *
     * @param id 0 to 254
     * @return empty when there is no class with this id
     * @throws FarheapException WRONG_USE for an id that no class can have
     */
    public Optional<AllocationClassDescriptor> allocationClass(int id) {
        engine.ensureUsable();
        return engine.heap().allocationClass(id);
    }
}
