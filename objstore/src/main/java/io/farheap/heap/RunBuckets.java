package io.farheap.heap;

import io.farheap.memory.PoolMemory;

/**
 * An arena's runs with free units, by class and by the longest stretch of free units they may have:
 * a run that was searched in vain is not searched again for as many until something in it is freed.
 * Guarded by the arena's monitor.
 */
final class RunBuckets {
    /** By class and longest stretch; the inner arrays are made at first need. */
    private final HeapRun[][] heads = new HeapRun[AllocationClass.MAX_ID + 1][];

    /** By class: bit k - 1 is set when there are runs whose longest stretch may be k. */
    private final long[] present = new long[AllocationClass.MAX_ID + 1];

    /** Puts a run where it belongs by its free units, also when they changed. */
    void place(HeapRun run) {
        if (run.allocationClass == null || run.list == run.longestFree()) {
            return;
        }
        remove(run);
        if (run.longestFree() > 0) {
            int id = run.allocationClass.id();
            if (heads[id] == null) {
                heads[id] = new HeapRun[Long.SIZE + 1];
            }
            HeapRun[] lists = heads[id];
            run.list = run.longestFree();
            run.next = lists[run.list];
            if (run.next != null) {
                run.next.previous = run;
            }
            lists[run.list] = run;
            present[id] |= 1L << run.list - 1;
        }
    }

    void remove(HeapRun run) {
        if (run.list == 0) {
            return;
        }
        int id = run.allocationClass.id();
        if (run.previous == null) {
            heads[id][run.list] = run.next;
            if (run.next == null) {
                present[id] &= ~(1L << run.list - 1);
            }
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
    boolean take(PoolMemory memory, AllocationClass wanted, int units, Place out) {
        int id = wanted.id();
        while (true) {
            long fit = present[id] >>> units - 1;
            if (fit == 0) {
                return false;
            }
            HeapRun run = heads[id][units + Long.numberOfTrailingZeros(fit)];
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

    /**
     * The run of the class that may have most free neighbours, at least {@code units}; or null.
     *
     * @param evenTheLast whether also when no other run of the class has room
     */
    HeapRun spare(AllocationClass wanted, int units, boolean evenTheLast) {
        int id = wanted.id();
        if (present[id] >>> units - 1 == 0) {
            return null;
        }
        HeapRun run = heads[id][Long.SIZE - Long.numberOfLeadingZeros(present[id])];
        boolean last = run.next == null && Long.bitCount(present[id]) == 1;
        return last && !evenTheLast ? null : run;
    }
}
