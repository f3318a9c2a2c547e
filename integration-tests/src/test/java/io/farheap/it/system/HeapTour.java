package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.AllocationClassDescriptor;
import io.farheap.base.AllocationClassDescriptor.HeaderType;
import io.farheap.base.AllocationOptions;
import io.farheap.base.Ref;
import io.farheap.pmemobj.ReferenceField;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Classes and arenas of the program's, defragmentation, statistics. */
final class HeapTour {
    private static final long TYPE = 61;
    private static final long FIELDS = 256;
    private static final int KEPT = 12;
    private static final AllocationClassDescriptor NONE =
            new AllocationClassDescriptor(61, 96, 0, 2000, HeaderType.NONE);
    private static final AllocationClassDescriptor LEGACY =
            new AllocationClassDescriptor(62, 320, 64, 700, HeaderType.LEGACY);
    private static final AllocationClassDescriptor ALIGNED =
            new AllocationClassDescriptor(63, 4096, 4096, 40, HeaderType.COMPACT);
    private static final AllocationClassDescriptor FEW =
            new AllocationClassDescriptor(64, 2016, 0, 100, HeaderType.COMPACT);

    private HeapTour() {}

    static void addTo(Map<String, Consumer<ObjectPool>> steps) {
        steps.put("heap: a class without header", p -> allocate(p, NONE, 90, 0));
        steps.put("heap: a class with legacy header", p -> allocate(p, LEGACY, 700, 1));
        steps.put("heap: an aligned class", p -> allocate(p, ALIGNED, 4080, 2));
        steps.put("heap: in a transaction", HeapTour::allocateInTransaction);
        steps.put("heap: free out of them", HeapTour::free);
        steps.put("heap: objects in runs of two arenas", HeapTour::spread);
        steps.put("heap: defragment", HeapTour::defragment);
        steps.put("heap: free what was moved", HeapTour::free);
    }

    private static AllocationOptions in(ObjectPool pool, AllocationClassDescriptor wanted) {
        if (pool.heap().allocationClass(wanted.id()).isEmpty()) {
            pool.heap().newAllocationClass(wanted);
        }
        return AllocationOptions.DEFAULT.inClass(wanted.id());
    }

    private static void allocate(
            ObjectPool pool, AllocationClassDescriptor wanted, long size, int field) {
        Ref made =
                pool.atomic()
                        .allocate(
                                pool.root(),
                                FIELDS + field * (long) Ref.BYTES,
                                size,
                                TYPE,
                                in(pool, wanted),
                                object -> object.setLong(0, field));
        if (wanted.alignment() > 0) {
            assertThat(made.offset() % wanted.alignment()).isZero();
        }
    }

    private static void allocateInTransaction(ObjectPool pool) {
        AllocationOptions there = in(pool, LEGACY).inArena(arena(pool, 0));
        pool.transaction(
                tx -> {
                    Ref made = tx.allocate(600, TYPE, there);
                    tx.setLong(made, 592, 7);
                    tx.setRef(tx.root(), FIELDS + 3L * Ref.BYTES, made);
                });
    }

    /** One of two arenas that this run of the pool has made; the last two of all. */
    private static int arena(ObjectPool pool, int which) {
        while (pool.heap().arenas() < pool.heap().automaticArenas() + 2) {
            int made = pool.heap().createArena();
            assertThat(pool.heap().isArenaAutomatic(made)).isFalse();
        }
        return pool.heap().arenas() - which;
    }

    private static void free(ObjectPool pool) {
        for (int field = 0; field < KEPT; field++) {
            pool.atomic().free(pool.root(), FIELDS + field * (long) Ref.BYTES);
        }
    }

    private static void spread(ObjectPool pool) {
        AllocationOptions few = in(pool, FEW);
        for (int i = 0; i < KEPT; i++) {
            int field = i;
            AllocationOptions there = few.inArena(arena(pool, i % 3 == 0 ? 1 : 0));
            pool.transaction(
                    tx -> {
                        Ref made = tx.allocate(1900, TYPE, there.withZeroes());
                        tx.setLong(made, 0, field);
                        tx.setRef(tx.root(), FIELDS + field * (long) Ref.BYTES, made);
                    });
        }
    }

    /** The fewer objects of one run move to the other one. */
    private static void defragment(ObjectPool pool) {
        List<ReferenceField> fields = new ArrayList<>();
        for (int field = 0; field < KEPT; field++) {
            fields.add(new ReferenceField(pool.root(), FIELDS + field * (long) Ref.BYTES));
        }
        assertThat(pool.heap().defragment(fields).relocated()).isPositive();
        for (int field = 0; field < KEPT; field++) {
            Ref moved = pool.getRef(pool.root(), FIELDS + field * (long) Ref.BYTES);
            assertThat(pool.getLong(moved, 0)).isEqualTo(field);
        }
    }
}
