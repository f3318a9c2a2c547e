package io.farheap.heap;

import io.farheap.memory.PoolMemory;

/**
 * The allocator of one pool: keeps, in DRAM, what of the heap is free, and says which word makes an
 * object allocated or free (spec: heap).
 *
 * <p>Allocation: {@link #reserve}, the content is written, the redo word of the {@link Reservation}
 * is applied with the transaction's redo log, {@link #published}; or {@link #cancel} before the
 * word is stored. Free: {@link #prepareFree}, the redo word of the {@link Freeing} is applied, and
 * when the commit is acknowledged {@link #freed}; or {@link #cancelFree}. Space is given out again
 * only after freed or cancel.
 *
 * <p>All offsets are image offsets of user data, all sizes bytes. Thread-safe. Reservations out of
 * existing runs, frees and queries allocate no Java objects and hold a short lock at most; only a
 * reservation that must set up chunks waits for {@link HeapStores}. A thread must not have a record
 * undecided in the replication stream when it calls reserve.
 */
public final class Heap {

    /** No object: what {@link #first} and {@link #next} return at the end. */
    public static final long NONE = 0;

    /** Object flag of the root object and of log extensions: skipped by {@link #next}. */
    public static final int INTERNAL = 0x8000;

    /** The largest object that can be asked for: a whole zone less 64 bytes. */
    public static final long MAX_REQUEST = 0x3FFDFFFC0L;

    private Heap() {}

    /**
     * Opens the heap of a pool whose redo logs are recovered. Makes no store.
     *
     * @param heapOffset image offset of the heap header
     * @param heapSize bytes of the heap
     * @param stores how stores are made that no log covers
     * @throws io.farheap.FarheapException BAD_DATA, with the offset, when the heap is not valid
     *     (spec: heap, 8)
     */
    public static Heap boot(PoolMemory memory, long heapOffset, long heapSize, HeapStores stores) {
        throw new UnsupportedOperationException();
    }

    /**
     * Reserves an object and writes its header, flushed but not fenced. Its content is undefined.
     *
     * @param size usable bytes wanted, 1 to {@link #MAX_REQUEST}
     * @param typeNumber the object's type number
     * @param objectFlags 0 or {@link #INTERNAL}
     * @param out is filled; must not hold an open reservation
     * @throws io.farheap.FarheapException ENVIRONMENT when the pool has no room; WRONG_USE for a
     *     size that no pool can hold
     */
    public void reserve(long size, long typeNumber, int objectFlags, Reservation out) {
        throw new UnsupportedOperationException();
    }

    /** Gives a reservation up whose word was not stored. */
    public void cancel(Reservation reservation) {
        throw new UnsupportedOperationException();
    }

    /** The reservation's word is applied and durable: the object is allocated. */
    public void published(Reservation reservation) {
        throw new UnsupportedOperationException();
    }

    /**
     * Begins to free an object. From now on {@link #isAllocated} denies it and a second free is
     * refused, until {@link #cancelFree}.
     *
     * @param out is filled; must not hold an open free
     * @throws io.farheap.FarheapException WRONG_USE when no published object starts there
     */
    public void prepareFree(long userOffset, Freeing out) {
        throw new UnsupportedOperationException();
    }

    /** The free's word is durable and the commit acknowledged: the space may be used again. */
    public void freed(Freeing freeing) {
        throw new UnsupportedOperationException();
    }

    /** The free's word was not stored: the object stays. */
    public void cancelFree(Freeing freeing) {
        throw new UnsupportedOperationException();
    }

    /**
     * Whether an object starts there: reserved or published, and no free of it has begun. Any
     * number may be asked; takes no lock.
     */
    public boolean isAllocated(long userOffset) {
        throw new UnsupportedOperationException();
    }

    /**
     * Usable bytes of an object.
     *
     * @throws io.farheap.FarheapException WRONG_USE when not {@link #isAllocated}
     */
    public long usableSize(long userOffset) {
        throw new UnsupportedOperationException();
    }

    /**
     * The type number of an object.
     *
     * @throws io.farheap.FarheapException WRONG_USE when not {@link #isAllocated}
     */
    public long typeNumber(long userOffset) {
        throw new UnsupportedOperationException();
    }

    /**
     * Whether an object is internal: the root or a log extension.
     *
     * @throws io.farheap.FarheapException WRONG_USE when not {@link #isAllocated}
     */
    public boolean isInternal(long userOffset) {
        throw new UnsupportedOperationException();
    }

    /**
     * The first published object that is not internal, in the order of offsets, or {@link #NONE}.
     */
    public long first() {
        throw new UnsupportedOperationException();
    }

    /**
     * The published, not internal object after {@code userOffset} in the order of offsets, or
     * {@link #NONE}. The object at userOffset may have been freed in the meantime.
     */
    public long next(long userOffset) {
        throw new UnsupportedOperationException();
    }

    /** The first published internal object, or {@link #NONE}. */
    public long firstInternal() {
        throw new UnsupportedOperationException();
    }

    /** As {@link #next}, of internal objects. */
    public long nextInternal(long userOffset) {
        throw new UnsupportedOperationException();
    }
}
