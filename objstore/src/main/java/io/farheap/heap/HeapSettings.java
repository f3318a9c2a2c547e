package io.farheap.heap;

import io.farheap.base.FarheapException;

/**
 * What must be known before a heap is booted.
 *
 * @param arenas how many arenas it has at first, at least 1 (ctl {@code heap.arenas_default_max})
 * @param oneForAll whether all threads use one arena instead of each its own (ctl {@code
 *     heap.arenas_assignment_type}: global, thread)
 */
public record HeapSettings(int arenas, boolean oneForAll) {
    public HeapSettings {
        if (arenas < 1) {
            throw FarheapException.wrongUse("a heap needs at least 1 arena, not %s", arenas);
        }
    }

    /** An arena for each processor, threads spread over them. */
    public static HeapSettings defaults() {
        return new HeapSettings(Runtime.getRuntime().availableProcessors(), false);
    }
}
