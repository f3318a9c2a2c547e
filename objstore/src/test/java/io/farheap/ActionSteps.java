package io.farheap;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.CrashEnumeration.Step;
import io.farheap.base.AllocationOptions;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.NewObject;
import java.util.LinkedHashMap;
import java.util.Map;

/** Actions published in every way, for tests that cut the power in each. */
final class ActionSteps {
    private static final long TYPE = 37;
    private static final long FIRST = 704;
    private static final long SECOND = 720;

    private ActionSteps() {}

    /** In an order that leaves each something to work on; the root has 3000 bytes before. */
    static Map<String, Step> steps() {
        Map<String, Step> steps = new LinkedHashMap<>();
        steps.put("actions: publish reservations and values", ActionSteps::reserveAndSet);
        steps.put("actions: replace", ActionSteps::replace);
        steps.put("actions: cancel", ActionSteps::cancel);
        steps.put("actions: one value", ActionSteps::oneValue);
        steps.put("actions: more than a lane's log takes", ActionSteps::publishMuch);
        steps.put("actions: in a transaction", ActionSteps::inATransaction);
        steps.put("actions: in a transaction that gives up", ActionSteps::inOneThatGivesUp);
        steps.put("actions: free all", ActionSteps::freeAll);
        return steps;
    }

    private static void reserveAndSet(ObjectPool pool) {
        try (Actions actions = pool.actions()) {
            NewObject first = actions.reserve(100, TYPE, AllocationOptions.ZEROED);
            NewObject second = actions.reserve(2000, TYPE + 1, AllocationOptions.ZEROED);
            first.setRef(16, second.ref());
            second.setLong(1992, 5);
            actions.setRef(pool.root(), FIRST, first.ref());
            actions.setRef(pool.root(), SECOND, second.ref());
            actions.publish();
        }
    }

    private static void replace(ObjectPool pool) {
        try (Actions actions = pool.actions()) {
            Ref old = pool.getRef(pool.root(), SECOND);
            NewObject other = actions.reserve(300, TYPE + 1, AllocationOptions.ZEROED);
            actions.deferFree(old);
            actions.setRef(pool.getRef(pool.root(), FIRST), 16, other.ref());
            actions.setRef(pool.root(), SECOND, other.ref());
            actions.publish();
        }
    }

    private static void cancel(ObjectPool pool) {
        try (Actions actions = pool.actions()) {
            actions.reserve(5000, TYPE).fill(0, 5000, (byte) 1);
            actions.deferFree(pool.getRef(pool.root(), FIRST));
            actions.setRef(pool.root(), FIRST, Ref.NULL);
        }
    }

    /** Commits by itself where there is one copy; with a local replica it must not. */
    static void oneValue(ObjectPool pool) {
        try (Actions actions = pool.actions()) {
            long value = pool.getLong(pool.root(), FIRST + 32);
            actions.setValue(pool.root(), FIRST + 32, value + 1);
            actions.publish();
        }
    }

    private static void publishMuch(ObjectPool pool) {
        try (Actions actions = pool.actions()) {
            for (int i = 0; i < 30; i++) {
                actions.setValue(pool.root(), 800 + 16L * i, i);
                actions.reserve(60 + 130 * (i % 20), TYPE + 2, AllocationOptions.ZEROED)
                        .setLong(0, i);
            }
            actions.publish();
        }
    }

    private static void publishInto(Transaction tx, ObjectPool pool) {
        try (Actions actions = pool.actions()) {
            NewObject other = actions.reserve(400, TYPE + 1, AllocationOptions.ZEROED);
            Ref made = other.ref();
            actions.deferFree(pool.getRef(pool.root(), SECOND));
            actions.setRef(pool.root(), SECOND, made);
            tx.publish(actions);
            tx.setLong(made, 0, 6);
            tx.setRef(tx.getRef(tx.root(), FIRST), 16, made);
        }
    }

    private static void inATransaction(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    tx.setLong(tx.root(), FIRST + 40, 1);
                    publishInto(tx, pool);
                });
    }

    private static void inOneThatGivesUp(ObjectPool pool) {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            publishInto(tx, pool);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);
    }

    private static void freeAll(ObjectPool pool) {
        try (Actions actions = pool.actions()) {
            for (long type = TYPE; type <= TYPE + 2; type++) {
                pool.objects(type).forEach(actions::deferFree);
            }
            actions.setRef(pool.root(), FIRST, Ref.NULL);
            actions.setRef(pool.root(), SECOND, Ref.NULL);
            actions.publish();
        }
    }
}
