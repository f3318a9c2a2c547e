package io.farheap.heap;

import io.farheap.memory.PoolMemory;

/**
 * How the heap makes the stores that no log covers: a block split, a run set up, a zone initialised
 * (docs/format.md#changes-of-chunks). A pool with remote replicas puts them into the stream of
 * records first, because the words of later commits build on them.
 */
@FunctionalInterface
public interface HeapStores {

    /**
     * Makes every store of the list, group by group; all are ordered when this returns: durable
     * before what is flushed next. The list is valid only during the call.
     *
     * <p>Called by a thread in {@link Heap#reserve} that holds the heap's set-up lock, but not the
     * lock that {@link Heap#published}, {@link Heap#freed}, {@link Heap#cancel} and reservations
     * out of existing runs take: commits under way may finish while this waits for a replica.
     *
     * @throws RuntimeException when the stores could not be made; the heap gives up the reservation
     *     and goes on as if it had not been asked
     */
    void submit(StoreList stores);

    /** Stores straight into the pool: all a pool without remote replicas needs. */
    static HeapStores local(PoolMemory memory) {
        return stores -> stores.applyTo(memory);
    }
}
