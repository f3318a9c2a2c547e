package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.CrashEnumeration.Step;
import io.farheap.base.AllocationClassDescriptor;
import io.farheap.base.AllocationClassDescriptor.HeaderType;
import io.farheap.base.AllocationOptions;
import io.farheap.base.Ref;
import io.farheap.pmemobj.DefragmentationResult;
import io.farheap.pmemobj.ReferenceField;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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

    private static final AllocationClassDescriptor LARGE =
            new AllocationClassDescriptor(64, 2016, 0, 100, HeaderType.COMPACT);

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
        steps.put("heap: objects in a run", HeapSteps::fillSomeOfARun);
        steps.put("heap: an object in another run", HeapSteps::fillLessOfAnother);
        steps.put("heap: defragment", HeapSteps::defragment);
        steps.put("heap: free what was moved", HeapSteps::freeMoved);
        steps.put("heap: dissolve empty runs", HeapSteps::dissolve);
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

    private static void fillSomeOfARun(ObjectPool pool) {
        pool.heap().newAllocationClass(LARGE);
        int arena = pool.heap().createArena();
        link(pool, arena, 680, 696, 712);
    }

    private static void fillLessOfAnother(ObjectPool pool) {
        int arena = pool.heap().createArena();
        link(pool, arena, 728, 744);
    }

    private static void link(ObjectPool pool, int arena, long... fields) {
        AllocationOptions there = AllocationOptions.ZEROED.inArena(arena).inClass(LARGE.id());
        pool.transaction(
                tx -> {
                    for (long field : fields) {
                        tx.setRef(tx.root(), field, tx.allocate(2000, TYPE, there));
                    }
                });
    }

    /** The two objects of the emptier run move to the other one. */
    private static void defragment(ObjectPool pool) {
        List<ReferenceField> fields = new ArrayList<>();
        for (long field = 680; field <= 744; field += Ref.BYTES) {
            fields.add(new ReferenceField(pool.root(), field));
        }
        DefragmentationResult result = pool.heap().defragment(fields);
        assertThat(result).isEqualTo(new DefragmentationResult(5, 2));
    }

    private static void freeMoved(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    for (long field = 680; field <= 744; field += Ref.BYTES) {
                        tx.free(tx.getRef(tx.root(), field));
                        tx.setRef(tx.root(), field, Ref.NULL);
                    }
                });
    }

    /** Wants more than there is: empty runs go before that is refused. */
    private static void dissolve(ObjectPool pool) {
        assertThatThrownBy(() -> pool.atomic().allocate(60L << 18, TYPE))
                .hasMessageContaining("no room");
    }
}
