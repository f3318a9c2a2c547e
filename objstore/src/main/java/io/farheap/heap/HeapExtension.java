package io.farheap.heap;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;

/**
 * Makes the heap larger: first a longer image, durable in every local replica; then the heap size
 * in the descriptor, one word that replicas get as they get every other; then zones take the chunks
 * in when memory is wanted. A crash between two of these leaves memory that nobody uses yet, and
 * the next extension begins with that.
 *
 * <p>Guarded by the heap's set-up lock but for {@link #step}.
 */
final class HeapExtension {
    /** The least that a heap grows by: a part file has this much. */
    static final long LEAST_BYTES = 2L << 20;

    private static final long DEFAULT_STEP = 128L << 20;
    private static final long PAGE = 4096;

    private final HeapMap map;
    private final PoolMemory memory;
    private final HeapStores stores;
    private final HeapGrowth growth;
    private final StoreList list = new StoreList();
    private volatile long step = DEFAULT_STEP;

    HeapExtension(HeapMap map, HeapStores stores, HeapGrowth growth) {
        this.map = map;
        this.memory = map.memory;
        this.stores = stores;
        this.growth = growth;
    }

    /** By how many bytes the heap grows when it is full; 0: it does not. */
    long step() {
        return step;
    }

    void setStep(long bytes) {
        if (bytes != 0 && bytes < LEAST_BYTES) {
            throw FarheapException.wrongUse(
                    "heap.size.granularity must be 0 or at least %s bytes, not %s",
                    LEAST_BYTES, bytes);
        }
        step = bytes;
    }

    /**
     * Grows by one step for a request that found no room.
     *
     * @param chunks how many neighbouring chunks are wanted
     * @return false when the heap can't or must not grow; nothing has changed then
     */
    boolean whenFull(int chunks) {
        if (growth.mostBytes() == 0) {
            return false;
        }
        if (takeRest()) {
            return true;
        }
        long room = growth.mostBytes() - memory.size();
        long bytes = Math.min(step, room) & -PAGE;
        // No parts for a request that would find no room among all that may ever come.
        if (step == 0 || bytes < LEAST_BYTES || missingBytes(chunks) > room) {
            return false;
        }
        growth.grow(bytes);
        return takeRest();
    }

    private long missingBytes(int chunks) {
        synchronized (map.lock) {
            return (chunks - map.free.largest()) * HeapLayout.CHUNK_BYTES;
        }
    }

    /**
     * Grows by so many bytes, or by what is left of the reservation when that is less.
     *
     * @throws FarheapException WRONG_USE for fewer than 2 MiB or a pool that does not grow;
     *     ENVIRONMENT when nothing is left
     */
    void extend(long bytes) {
        if (bytes < LEAST_BYTES) {
            throw FarheapException.wrongUse(
                    "incorrect size for extend, must be larger than %s: %s", LEAST_BYTES, bytes);
        }
        if (takeRest()) {
            return;
        }
        if (growth.mostBytes() == 0) {
            throw HeapErrors.cannotGrow();
        }
        long taken = Math.min(bytes, growth.mostBytes() - memory.size()) & -PAGE;
        if (taken < LEAST_BYTES) {
            throw FarheapException.environment(
                    "exceeded reservation size: the pool has %s bytes and may have %s,"
                            + " here and on its replicas; raise the sizes in the poolset files",
                    memory.size(), growth.mostBytes());
        }
        growth.grow(taken);
        boolean unused = takeRest();
    }

    /** Takes the image's bytes behind the heap in, if a chunk or more of them are there. */
    private boolean takeRest() {
        long size = memory.size() - map.heapOffset();
        if (!map.gainsChunks(size)) {
            return false;
        }
        list.clear();
        list.add(Descriptor.HEAP_SIZE, size);
        stores.submit(list);
        synchronized (map.lock) {
            map.setHeapSize(size);
        }
        return true;
    }
}
