package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.Transaction;
import io.farheap.base.AllocationOptions;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.NewObject;
import java.util.Map;
import java.util.function.Consumer;

/** Objects that come and go by atomic calls and by actions. */
final class ObjectTour {
    private static final long TYPE = 11;
    private static final long FIRST = 64;
    private static final long SECOND = 80;
    private static final long WORDS = 1024;
    private static final long HUGE = 600_000;

    private ObjectTour() {}

    static void addTo(Map<String, Consumer<ObjectPool>> steps) {
        steps.put("atomic: allocate", p -> p.atomic().allocateZeroed(90, TYPE));
        steps.put("atomic: free", p -> p.atomic().free(p.objects(TYPE).iterator().next()));
        steps.put("atomic: allocate to a field, constructed", ObjectTour::construct);
        steps.put("atomic: a constructor cancels", ObjectTour::cancelConstructor);
        steps.put("atomic: allocate to a field", p -> p.atomic().allocate(p.root(), 96, 120, TYPE));
        steps.put("atomic: content that is not flushed", ObjectTour::withoutFlush);
        steps.put("atomic: free by the field", p -> p.atomic().free(p.root(), 96));
        steps.put("atomic: reallocate to more", p -> reallocate(p, 5000));
        steps.put("atomic: reallocate to less", p -> reallocate(p, 70));
        steps.put("atomic: reallocate to nothing", p -> reallocate(p, 0));
        steps.put("atomic: reallocate from nothing", p -> reallocate(p, 50));
        steps.put("atomic: reallocate to huge", p -> reallocate(p, HUGE));
        steps.put("atomic: free huge", p -> p.atomic().free(p.root(), FIRST));
        steps.put("atomic: strdup", p -> p.atomic().duplicate(p.root(), FIRST, "Ada", TYPE));
        steps.put("atomic: wcsdup", p -> p.atomic().duplicateWide(p.root(), SECOND, "Ada", TYPE));
        steps.put("atomic: inside a transaction that aborts", ObjectTour::insideATransaction);
        steps.put("actions: publish", ObjectTour::publish);
        steps.put("actions: replace and free", ObjectTour::replace);
        steps.put("actions: cancel", ObjectTour::cancel);
        steps.put("actions: one value", ObjectTour::setOneValue);
        steps.put("actions: more than a lane's log takes", ObjectTour::publishMuch);
        steps.put("actions: huge and small together", ObjectTour::publishHuge);
        steps.put("actions: in a transaction", p -> p.transaction(tx -> publishIn(tx, p)));
        steps.put("actions: in a transaction that aborts", ObjectTour::publishInVain);
        steps.put("actions: free all", ObjectTour::freeAll);
    }

    private static void construct(ObjectPool pool) {
        pool.atomic()
                .allocate(
                        pool.root(),
                        FIRST,
                        1200,
                        TYPE,
                        made -> {
                            made.fill(0, made.usableSize(), (byte) 1);
                            made.setRef(16, made.ref());
                            made.write(32, bytes -> bytes.writeUtf8("Grace"));
                        });
    }

    private static void cancelConstructor(ObjectPool pool) {
        assertThatThrownBy(
                        () ->
                                pool.atomic()
                                        .allocate(
                                                pool.root(),
                                                SECOND,
                                                120,
                                                TYPE,
                                                made -> {
                                                    made.fill(0, 120, (byte) 9);
                                                    throw new IllegalStateException("cancelled");
                                                }))
                .isInstanceOf(IllegalStateException.class);
    }

    private static void withoutFlush(ObjectPool pool) {
        AllocationOptions lazy = AllocationOptions.ZEROED.withoutFlush();
        pool.atomic().allocate(pool.root(), SECOND, 500, TYPE, lazy, made -> made.setLong(8, 3));
    }

    private static void reallocate(ObjectPool pool, long size) {
        Ref moved = pool.atomic().reallocateZeroed(pool.root(), FIRST, size, TYPE);
        assertThat(pool.getRef(pool.root(), FIRST)).isEqualTo(moved);
    }

    private static void insideATransaction(ObjectPool pool) {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.setLong(tx.root(), WORDS, 1);
                                            reallocate(pool, 900);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);
    }

    private static void publish(ObjectPool pool) {
        try (Actions actions = pool.actions()) {
            NewObject first = actions.reserve(100, TYPE + 1, AllocationOptions.ZEROED);
            NewObject second = actions.reserve(2000, TYPE + 2);
            first.setRef(16, second.ref());
            second.setLong(1992, 5);
            actions.setRef(pool.root(), 112, first.ref());
            actions.setRef(pool.root(), 128, second.ref());
            actions.publish();
        }
    }

    private static void replace(ObjectPool pool) {
        try (Actions actions = pool.actions()) {
            Ref old = pool.getRef(pool.root(), 128);
            NewObject other = actions.reserve(300, TYPE + 2, AllocationOptions.ZEROED);
            actions.deferFree(old);
            actions.setRef(pool.getRef(pool.root(), 112), 16, other.ref());
            actions.setRef(pool.root(), 128, other.ref());
            actions.publish();
        }
    }

    private static void cancel(ObjectPool pool) {
        try (Actions actions = pool.actions()) {
            actions.reserve(5000, TYPE + 2).fill(0, 5000, (byte) 1);
            actions.deferFree(pool.getRef(pool.root(), 112));
            actions.setRef(pool.root(), 112, Ref.NULL);
        }
    }

    private static void setOneValue(ObjectPool pool) {
        try (Actions actions = pool.actions()) {
            actions.setValue(pool.root(), WORDS, pool.getLong(pool.root(), WORDS) + 1);
            actions.publish();
        }
    }

    private static void publishMuch(ObjectPool pool) {
        try (Actions actions = pool.actions()) {
            for (int i = 0; i < 40; i++) {
                actions.setValue(pool.root(), WORDS + 16L * i, i);
                actions.reserve(60 + 130 * (i % 20), TYPE + 2).setLong(0, i);
            }
            actions.publish();
        }
    }

    private static void publishHuge(ObjectPool pool) {
        try (Actions actions = pool.actions()) {
            actions.reserve(HUGE, TYPE + 1).setLong(HUGE - 8, 1);
            actions.reserve(10, TYPE + 1).setByte(9, (byte) 1);
            actions.publish();
        }
    }

    private static void publishIn(Transaction tx, ObjectPool pool) {
        try (Actions actions = pool.actions()) {
            Ref made = actions.reserve(400, TYPE + 2, AllocationOptions.ZEROED).ref();
            actions.deferFree(pool.getRef(pool.root(), 128));
            actions.setRef(pool.root(), 128, made);
            tx.setLong(tx.root(), WORDS + 40, 1);
            tx.publish(actions);
            tx.setLong(made, 0, 6);
            tx.setRef(tx.getRef(tx.root(), 112), 16, made);
        }
    }

    private static void publishInVain(ObjectPool pool) {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            publishIn(tx, pool);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);
    }

    private static void freeAll(ObjectPool pool) {
        try (Actions actions = pool.actions()) {
            pool.objects(TYPE + 1).forEach(actions::deferFree);
            pool.objects(TYPE + 2).forEach(actions::deferFree);
            actions.setRef(pool.root(), 112, Ref.NULL);
            actions.setRef(pool.root(), 128, Ref.NULL);
            actions.publish();
        }
    }
}
