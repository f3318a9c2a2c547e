package io.farheap.pmemobj;

import io.farheap.base.AllocationClassDescriptor;
import io.farheap.base.AllocationClassDescriptor.HeaderType;
import io.farheap.base.FarheapException;
import io.farheap.base.HeapSpace;
import io.farheap.engine.Defragmentation;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.PoolReferences;
import io.farheap.engine.StackReserve;
import io.farheap.heap.HeapArenas;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;

/**
 * How a pool's heap gives out memory: what libpmemobj offers under {@code heap} in its ctl name
 * space. Got by {@link io.farheap.ObjectPool#heap()}. Nothing of it is stored in the pool: each
 * program that opens it sets what it needs. Thread-safe.
 */
public final class HeapControl {
    private static final int FIRST_FREE = -1;

    private final PoolEngine engine;
    private final long poolId;

    HeapControl(PoolEngine engine, long poolId) {
        this.engine = engine;
        this.poolId = poolId;
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
     * How full the heap is, for monitoring. The allocator's tables are counted, which takes about
     * as long as it takes to look at a few words for each 256 KiB; the first call reads what no
     * allocation needed yet, the first pages of its chunks and runs. Allocations go on beside it:
     * the heap's lock is held while its list of free stretches is copied, and while 256 blocks of
     * what was read become known. What an allocation has in hand is free until it is an object or a
     * run.
     *
     * @throws FarheapException BAD_DATA when what was not read yet is damaged
     */
    public HeapSpace space() {
        engine.ensureUsable();
        StackReserve.require(); // the tables of a zone are made whole
        try {
            return engine.heap().space();
        } catch (InternalError error) {
            throw engine.image().lost(error);
        }
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
        engine.extendHeap(bytes);
    }

    /**
     * Makes an allocation class with the first free id (ctl {@code heap.alloc_class.new.desc}), for
     * allocations that name it and, unless it is without headers, for sizes that it fits better
     * than the classes there are. What an earlier program put into runs of such a class can always
     * be used; the runs are filled up again only after the class is made anew.
     *
     * @param unitSize bytes of a unit, header included: 1 to 17,177,771,968
     * @param alignment of the user data: 0 for none, or a power of two up to 2 MiB of which the
     *     unit size is a multiple
     * @param unitsPerBlock how many units a run shall have, at least 1: what fits best into whole
     *     chunks of 256 KiB is taken, see the result
     * @param headerType what stands before each object
     * @return the class as it is
     * @throws FarheapException WRONG_USE for impossible values, when all ids are in use, or when
     *     the runs could not be told from those of another class
     */
    public AllocationClassDescriptor newAllocationClass(
            long unitSize, long alignment, int unitsPerBlock, HeaderType headerType) {
        Objects.requireNonNull(headerType, "headerType");
        engine.ensureUsable();
        return engine.heap()
                .newAllocationClass(FIRST_FREE, unitSize, alignment, unitsPerBlock, headerType);
    }

    /**
     * As {@link #newAllocationClass(long, long, int, HeaderType)}, with the id that the descriptor
     * has (ctl {@code heap.alloc_class.[id].desc}, write).
     *
     * @throws FarheapException WRONG_USE also when the id is in use
     */
    public AllocationClassDescriptor newAllocationClass(AllocationClassDescriptor wanted) {
        Objects.requireNonNull(wanted, "wanted");
        engine.ensureUsable();
        if (wanted.id() < 0) {
            throw FarheapException.wrongUse(
                    "No allocation class can have the id %s: ids are 0 to 254.", wanted.id());
        }
        return engine.heap()
                .newAllocationClass(
                        wanted.id(),
                        wanted.unitSize(),
                        wanted.alignment(),
                        wanted.unitsPerBlock(),
                        wanted.headerType());
    }

    // ---- arenas ----

    /** How many arenas there are (ctl {@code heap.narenas.total}); they are numbered from 1. */
    public int arenas() {
        return arenasOfHeap().count();
    }

    /** How many arenas are automatic (ctl {@code heap.narenas.automatic}). */
    public int automaticArenas() {
        return arenasOfHeap().automatic();
    }

    /** How many arenas there may be (ctl {@code heap.narenas.max}); at first 1024. */
    public int maxArenas() {
        return arenasOfHeap().max();
    }

    /**
     * How many arenas there may be from now on.
     *
     * @throws FarheapException WRONG_USE when it is less than before
     */
    public void setMaxArenas(int most) {
        arenasOfHeap().setMax(most);
    }

    /**
     * Makes an arena (ctl {@code heap.arena.create}): one that is not automatic, for threads and
     * allocations that ask for it.
     *
     * @return its number
     * @throws FarheapException WRONG_USE when there are {@link #maxArenas} already
     */
    public int createArena() {
        return arenasOfHeap().create();
    }

    /**
     * Bytes of the runs that belong to an arena, free ones included (ctl {@code
     * heap.arena.[id].size}).
     */
    public long arenaSize(int arena) {
        return arenasOfHeap().bytes(arena);
    }

    /**
     * Whether threads are assigned to the arena that did not ask for one (ctl {@code
     * heap.arena.[id].automatic}).
     */
    public boolean isArenaAutomatic(int arena) {
        return arenasOfHeap().isAutomatic(arena);
    }

    /**
     * Makes an arena automatic, or no longer; threads that are assigned to it stay.
     *
     * @throws FarheapException WRONG_USE when no arena would be automatic any more
     */
    public void setArenaAutomatic(int arena, boolean automatic) {
        arenasOfHeap().setAutomatic(arena, automatic);
    }

    /** The arena that the calling thread allocates from (ctl {@code heap.thread.arena_id}). */
    public int threadArena() {
        return arenasOfHeap().threadArena();
    }

    /**
     * From now on the calling thread allocates from this arena; where the pool was opened with one
     * arena for all, every thread does.
     */
    public void setThreadArena(int arena) {
        arenasOfHeap().assignThread(arena);
    }

    private HeapArenas arenasOfHeap() {
        engine.ensureUsable();
        return engine.heap().arenas();
    }

    // ---- defragmentation ----

    /**
     * Moves objects out of runs that are at most half full into fuller ones, and sets the fields
     * that lead to them (pmemobj_defrag). Runs that become empty give their memory back when it is
     * wanted. In batches, each atomic: after a crash some objects have moved, each with all its
     * fields that were named. Durable when this returns; inside a transaction it is independent of
     * that.
     *
     * <p>Every reference to an object that moves must be named here, or it is dead afterwards:
     * those in fields that are not named, and those that the program keeps in Java. Fields may be
     * inside objects that move, and several may lead to one object. The program must see to it that
     * nobody uses the objects meanwhile; those with locks of {@link io.farheap.ObjectPool#locks} in
     * them lose who waits there. Objects stay in their allocation class; those in runs of a class
     * that was not made in this run of the program stay where they are, and so do those with chunks
     * of their own and the root.
     *
     * @param fields of objects of this pool; those that hold null are left alone
     * @return how many different objects were led to, and how many of them have moved
     * @throws FarheapException WRONG_USE when a field is not in an object of this pool or does not
     *     hold a reference to one: nothing was moved then; and what commits throw: batches before
     *     that are durable
     */
    public DefragmentationResult defragment(Collection<ReferenceField> fields) {
        Objects.requireNonNull(fields, "fields");
        engine.ensureUsable();
        Defragmentation work = new Defragmentation(engine, poolId);
        for (ReferenceField field : fields) {
            Objects.requireNonNull(field, "field");
            work.add(PoolReferences.offset(field.object(), poolId), field.offset());
        }
        work.run();
        return new DefragmentationResult(work.total(), work.relocated());
    }

    // ---- content of new objects ----

    /** What new objects are filled with; below 0, at first: nothing. */
    public int allocationPattern() {
        engine.ensureUsable();
        return engine.heap().allocationPattern();
    }

    /**
     * Sets every byte of objects that are not asked for zeroed (ctl {@code
     * debug.heap.alloc_pattern}): makes uses of uninitialised memory show.
     *
     * @param pattern its low 8 bits are the byte; below 0: nothing is set
     */
    public void setAllocationPattern(int pattern) {
        engine.ensureUsable();
        engine.heap().setAllocationPattern(pattern);
    }
}
