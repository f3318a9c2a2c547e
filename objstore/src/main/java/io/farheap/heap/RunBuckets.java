package io.farheap.heap;

import io.farheap.memory.PoolMemory;

/**
 * The runs with free units, by class and by the longest stretch of free units they may have: a run
 * that was searched in vain is not searched again for as many until something in it is freed.
 * Guarded by the heap's lock.
 */
final class RunBuckets {
    private final PoolMemory memory;
    private final HeapRun[][] heads;

    RunBuckets(PoolMemory memory, AllocationClasses classes) {
        this.memory = memory;
        heads = new HeapRun[classes.count()][AllocationClasses.MAX_UNITS + 1];
    }

    /** Puts a run where it belongs by its free units, also when they changed. */
    void place(HeapRun run) {
        if (run.allocationClass == null || run.list == run.longestFree()) {
            return;
        }
        remove(run);
        if (run.longestFree() > 0) {
            HeapRun[] lists = heads[run.allocationClass.id()];
            run.list = run.longestFree();
            run.next = lists[run.list];
            if (run.next != null) {
                run.next.previous = run;
            }
            lists[run.list] = run;
        }
    }

    void remove(HeapRun run) {
        if (run.list == 0) {
            return;
        }
        if (run.previous == null) {
            heads[run.allocationClass.id()][run.list] = run.next;
        } else {
            run.previous.next = run.next;
        }
        if (run.next != null) {
            run.next.previous = run.previous;
        }
        run.previous = null;
        run.next = null;
        run.list = 0;
    }

    /** Takes units out of a run of the class; false when no run has them. */
    boolean take(AllocationClass wanted, int units, Place out) {
        HeapRun[] lists = heads[wanted.id()];
        for (int list = units; list < lists.length; list++) {
            for (HeapRun run = lists[list]; run != null; run = lists[list]) {
                if (!run.loaded()) {
                    run.load(memory);
                }
                int unit = run.take(units);
                place(run);
                if (unit >= 0) {
                    out.inRun(run, unit, units);
                    return true;
                }
            }
        }
        return false;
    }
}
