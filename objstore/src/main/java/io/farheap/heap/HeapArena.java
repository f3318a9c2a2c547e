package io.farheap.heap;

import io.farheap.memory.PoolMemory;

/**
 * Some of the heap's runs, for some of its threads to allocate from: threads of different arenas do
 * not wait for each other. Its monitor guards its buckets and the state of its runs; it is held for
 * a few instructions, never over a flush or a wait, and never together with another arena's.
 *
 * <p>A run belongs to one arena at a time. It may go over to another one only in {@link
 * ChunkSetup}.
 */
final class HeapArena {
    /** The arena of runs that no thread allocates from yet: as they were found at open. */
    static final int UNASSIGNED = 0;

    final int id;
    private final RunBuckets buckets;
    private volatile boolean automatic;
    private long bytes;

    HeapArena(int id, boolean automatic) {
        this.id = id;
        this.automatic = automatic;
        buckets = new RunBuckets();
    }

    /** Whether threads are assigned to it that did not ask for an arena. */
    boolean automatic() {
        return automatic;
    }

    void setAutomatic(boolean wanted) {
        automatic = wanted;
    }

    /** Bytes of the runs that belong to it. */
    synchronized long bytes() {
        return bytes;
    }

    /** Takes units out of one of its runs; false when none has them. */
    synchronized boolean take(PoolMemory memory, AllocationClass wanted, int units, Place out) {
        return buckets.take(memory, wanted, units, out);
    }

    /**
     * Takes units out of this very run if it has them; false when it belongs to another arena.
     *
     * @param out stays closed when the run has no such units
     */
    synchronized boolean takeFrom(HeapRun run, PoolMemory memory, int units, Place out) {
        if (run.arena != this) {
            return false;
        }
        if (run.longestFree() >= units && !run.retired()) {
            if (!run.loaded()) {
                run.load(memory);
            }
            int unit = run.take(units);
            buckets.place(run);
            if (unit >= 0) {
                out.inRun(run, unit, units);
            }
        }
        return true;
    }

    /** A run that has been made belongs to it from now on, or one that another arena gave away. */
    synchronized void add(HeapRun run) {
        bytes += run.bytes();
        buckets.place(run);
    }

    /**
     * Lets a run go that may have {@code units} free neighbours.
     *
     * @param evenTheLast whether also the only one of its class that has room
     * @return null when there is none; else a run that belongs to {@code to} already, which must
     *     {@link #add} it
     */
    synchronized HeapRun giveAway(
            AllocationClass wanted, int units, boolean evenTheLast, HeapArena to) {
        HeapRun run = buckets.spare(wanted, units, evenTheLast);
        if (run != null) {
            buckets.remove(run);
            bytes -= run.bytes();
            run.arena = to;
        }
        return run;
    }

    /** Whether one of its runs may have {@code units} free neighbours; nothing changes. */
    synchronized boolean mayHave(AllocationClass wanted, int units) {
        return buckets.spare(wanted, units, true) != null;
    }

    /** Whether the run is empty and nothing is given out of it any more. */
    synchronized boolean retire(HeapRun run) {
        if (run.arena != this || !run.empty()) {
            return false;
        }
        buckets.remove(run);
        run.setRetired(true);
        return true;
    }

    /** A run that was retired is not dissolved after all. */
    synchronized void takeBack(HeapRun run) {
        run.setRetired(false);
        buckets.place(run);
    }

    /** A run that was retired is dissolved. */
    synchronized void forget(HeapRun run) {
        bytes -= run.bytes();
    }

    /** The units may be given out again; false when the run belongs to another arena. */
    synchronized boolean release(HeapRun run, int unit, int units) {
        if (run.arena != this) {
            return false;
        }
        run.release(unit, units);
        buckets.place(run);
        return true;
    }

    /**
     * Reads the state of the run, if that was not done before; false when it belongs to another
     * arena.
     */
    synchronized boolean load(HeapRun run, PoolMemory memory) {
        if (run.arena != this) {
            return false;
        }
        if (!run.loaded()) {
            run.load(memory);
        }
        return true;
    }

    /**
     * From now on nobody sees the object that starts at the unit; false when the run belongs to
     * another arena.
     *
     * @param internal whether it may be an internal one
     * @throws io.farheap.base.FarheapException WRONG_USE when no published object starts there
     */
    synchronized boolean hide(
            HeapRun run, PoolMemory memory, int unit, boolean internal, Place out) {
        if (run.arena != this) {
            return false;
        }
        if (!run.startsObject(unit) || !run.published(memory, unit)) {
            throw HeapErrors.notAnObject(run.geometry.unitOffset(unit) + run.geometry.headerSize);
        }
        long object = run.geometry.unitOffset(unit);
        if (!internal && Heap.isInternal(memory, object, run.geometry.headerSize)) {
            throw HeapErrors.internal(object + run.geometry.headerSize);
        }
        out.inRun(run, unit, run.unitsOf(memory, unit));
        run.hideObject(unit);
        return true;
    }

    /** The object is seen again; false when the run belongs to another arena. */
    synchronized boolean show(HeapRun run, int unit) {
        if (run.arena != this) {
            return false;
        }
        run.showObject(unit);
        return true;
    }

    /** From now on things are put into the run; false when it belongs to another arena. */
    synchronized boolean adopt(HeapRun run, AllocationClass allocationClass) {
        if (run.arena != this) {
            return false;
        }
        run.allocationClass = allocationClass;
        buckets.place(run);
        return true;
    }
}
