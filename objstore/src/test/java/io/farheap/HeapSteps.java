package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.AllocationClassDescriptor.HeaderType;
import io.farheap.CrashEnumeration.Step;
import java.util.LinkedHashMap;
import java.util.Map;

/** Allocation from classes and arenas of the program's, for tests that cut the power in it. */
final class HeapSteps {
    private static final long TYPE = 61;
    private static final AllocationClassDescriptor NONE =
            new AllocationClassDescriptor(61, 96, 0, 2000, HeaderType.NONE);
    private static final AllocationClassDescriptor LEGACY =
            new AllocationClassDescriptor(62, 320, 64, 700, HeaderType.LEGACY);
    private static final AllocationClassDescriptor ALIGNED =
            new AllocationClassDescriptor(63, 4096, 4096, 40, HeaderType.COMPACT);

    private HeapSteps() {}

    /** In an order that leaves each something to work on; the root has 3000 bytes before. */
    static Map<String, Step> steps() {
        Map<String, Step> steps = new LinkedHashMap<>();
        steps.put("heap: the first object without header", pool -> allocate(pool, NONE, 90, 680));
        steps.put("heap: the first object with 64 bytes", pool -> allocate(pool, LEGACY, 700, 696));
        steps.put("heap: the first aligned object", pool -> allocate(pool, ALIGNED, 4080, 712));
        steps.put("heap: out of a run that is there", pool -> allocate(pool, ALIGNED, 4080, 728));
        steps.put("heap: out of an arena that has no run", HeapSteps::inANewArena);
        steps.put("heap: free what came from the arena", pool -> free(pool, 744));
        steps.put("heap: free without header", pool -> free(pool, 680));
        steps.put("heap: free with 64 bytes", pool -> free(pool, 696));
        steps.put("heap: free aligned", pool -> free(pool, 712));
        steps.put("heap: free the other aligned one", pool -> free(pool, 728));
        steps.put("heap: dissolve empty runs", HeapSteps::dissolve);
        steps.put("heap: free many chunks", pool -> free(pool, 744));
        return steps;
    }

    private static void allocate(
            ObjectPool pool, AllocationClassDescriptor wanted, long size, long field) {
        if (pool.heap().allocationClass(wanted.id()).isEmpty()) {
            pool.heap().newAllocationClass(wanted);
        }
        Ref made =
                pool.atomic()
                        .allocate(
                                pool.root(),
                                field,
                                size,
                                TYPE,
                                AllocationOptions.ZEROED.inClass(wanted.id()),
                                object -> object.setLong(0, field));
        if (wanted.alignment() > 0) {
            assertThat(made.offset() % wanted.alignment()).isZero();
        }
    }

    private static void inANewArena(ObjectPool pool) {
        int arena = pool.heap().createArena();
        pool.transaction(
                tx -> {
                    AllocationOptions there = AllocationOptions.ZEROED.inArena(arena);
                    tx.setRef(tx.root(), 744, tx.allocate(100, TYPE, there));
                });
    }

    private static void free(ObjectPool pool, long field) {
        pool.atomic().free(pool.root(), field);
    }

    /** Wants so many chunks that empty runs must go. */
    private static void dissolve(ObjectPool pool) {
        pool.atomic().allocate(pool.root(), 744, 10 * (1 << 18) - 16, TYPE);
    }
}
