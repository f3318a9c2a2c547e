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

    // ---- size ----

    /** Bytes of the pool that its heap uses. */
    public long size() {
        engine.ensureUsable();
        return engine.heap().size();
    }

    /**
     * By how many bytes the heap grows when it is full (ctl {@code heap.size.granularity}); 0: it
     * does not. Only a pool whose poolset file names directories grows, until the sum of the sizes
     * there is reached, and no further than the images of its remote replicas.
     */
    public long granularity() {
        engine.ensureUsable();
        return engine.heap().granularity();
    }

    /**
     * Sets the {@link #granularity} of this pool until it is closed; at first 128 MiB.
     *
     * @param bytes 0, or at least 2 MiB
     * @throws FarheapException WRONG_USE for any other number
     */
    public void setGranularity(long bytes) {
        engine.ensureUsable();
        engine.heap().setGranularity(bytes);
    }

    /**
     * Makes the heap larger now (ctl {@code heap.size.extend}): one part of so many bytes in every
     * replica, or of what the poolset file still allows when that is less; or what an extension
     * that was interrupted has left. Durable when this returns.
     *
     * @param bytes at least 2 MiB
     * @throws FarheapException WRONG_USE for fewer bytes and for a pool that is not made of
     *     directories; ENVIRONMENT when the limit is reached or the medium is full
     */
    public void extend(long bytes) {
        engine.ensureUsable();
        engine.heap().extend(bytes);
    }
}
