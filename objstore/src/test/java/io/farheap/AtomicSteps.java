package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.CrashEnumeration.Step;
import io.farheap.base.AllocationOptions;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import java.util.LinkedHashMap;
import java.util.Map;

/** The calls that are atomic by themselves, for tests that cut the power in each. */
final class AtomicSteps {
    private static final long TYPE = 31;
    private static final long DESTINATION = 600;
    private static final long OTHER = 616;

    private AtomicSteps() {}

    /** In an order that leaves each something to work on; the root has 3000 bytes before. */
    static Map<String, Step> steps() {
        Map<String, Step> steps = new LinkedHashMap<>();
        steps.put("atomic: allocate alone", pool -> pool.atomic().allocateZeroed(90, TYPE));
        steps.put("atomic: free alone", AtomicSteps::freeAlone);
        steps.put("atomic: allocate, construct and set", AtomicSteps::allocateAndConstruct);
        steps.put("atomic: a constructor gives up", AtomicSteps::giveUp);
        steps.put("atomic: move to more", pool -> move(pool, 400, TYPE + 1));
        steps.put("atomic: move to less", pool -> move(pool, 70, TYPE));
        steps.put("atomic: move to nothing", pool -> move(pool, 0, TYPE));
        steps.put("atomic: move from nothing", pool -> move(pool, 50, TYPE));
        steps.put("atomic: free and clear", pool -> pool.atomic().free(pool.root(), DESTINATION));
        steps.put(
                "atomic: duplicate",
                pool -> pool.atomic().duplicate(pool.root(), DESTINATION, "Ada Lovelace", TYPE));
        steps.put("atomic: allocate huge and set", AtomicSteps::allocateHuge);
        steps.put("atomic: free huge and clear", pool -> pool.atomic().free(pool.root(), OTHER));
        steps.put("atomic: in a transaction that gives up", AtomicSteps::inATransaction);
        steps.put("atomic: clear up", pool -> pool.atomic().free(pool.root(), DESTINATION));
        return steps;
    }

    private static void freeAlone(ObjectPool pool) {
        pool.atomic().free(pool.objects(TYPE).iterator().next());
    }

    private static void allocateAndConstruct(ObjectPool pool) {
        pool.atomic()
                .allocate(
                        pool.root(),
                        DESTINATION,
                        120,
                        TYPE,
                        AllocationOptions.ZEROED,
                        object -> {
                            object.setLong(0, 42);
                            object.setRef(16, object.ref());
                            object.write(32, bytes -> bytes.writeUtf8("Ada"));
                        });
    }

    private static void giveUp(ObjectPool pool) {
        assertThatThrownBy(
                        () ->
                                pool.atomic()
                                        .allocate(
                                                pool.root(),
                                                OTHER,
                                                120,
                                                TYPE,
                                                object -> {
                                                    object.fill(0, 120, (byte) 9);
                                                    throw new IllegalStateException("given up");
                                                }))
                .hasMessage("given up");
    }

    private static void move(ObjectPool pool, long size, long typeNumber) {
        Ref moved = pool.atomic().reallocateZeroed(pool.root(), DESTINATION, size, typeNumber);
        assertThat(pool.getRef(pool.root(), DESTINATION)).isEqualTo(moved);
    }

    private static void allocateHuge(ObjectPool pool) {
        pool.atomic()
                .allocate(
                        pool.root(),
                        OTHER,
                        (1 << 18) - 16,
                        TYPE,
                        object -> object.update(0, object.usableSize(), all -> all.fill((byte) 3)));
    }

    private static void inATransaction(ObjectPool pool) {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.setLong(tx.root(), 640, 1);
                                            move(pool, 900, TYPE + 2);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);
    }
}
