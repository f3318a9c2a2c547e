package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.engine.LaneTransaction;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.TxSettings;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.ObjectList;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a list refuses so that a wrong use of it, or of another one, harms nothing else. */
class ListRefusalsTest extends TransactionFixture {
    private static final long ENTRY = 16;

    private Ref heads;
    private ObjectList list;
    private ObjectList other;

    @BeforeEach
    void emptyLists() {
        heads = pool.atomic().allocateZeroed(400, TYPE);
        use();
    }

    private void use() {
        list = pool.list(heads, 0, ENTRY);
        other = pool.list(heads, 80, ENTRY);
    }

    private Ref element() {
        return pool.atomic().allocateZeroed(100, TYPE + 1);
    }

    private static void assertDamaged(Runnable call, String... parts) {
        assertRefused(Category.BAD_DATA, call, parts);
    }

    // ---- a head that leads to what is no element any more ----

    @Test
    void nothingIsInsertedBehindAHeadWhoseFirstElementWasTakenOutThroughAnother() {
        Ref first = element();
        Ref second = element();
        Ref loose = element();
        list.insertLast(first);
        list.insertLast(second);
        other.insertFirst(element());
        other.remove(first);

        assertDamaged(() -> list.insertFirst(loose), "0x" + Long.toHexString(first.offset()));
        assertDamaged(() -> list.insertLast(loose), "head at 0x");
        assertDamaged(() -> list.insertNewFirst(100, TYPE, object -> {}), "head at 0x");
        assertDamaged(() -> list.moveFirst(other, other.first()), "head at 0x");
        assertDamaged(() -> list.last(), "the previous link");

        assertThat(machine.memory().getLong(24)).as("the pool's header").isZero();
        assertThat(pool.getLong(first, ENTRY + 8)).isZero();
        assertThat(list(pool.objects(TYPE))).as("nothing new").hasSize(1);
    }

    @Test
    void nothingIsInsertedBehindAHeadWhoseOnlyElementWentThroughAnotherList() {
        Ref only = element();
        other.insertFirst(only);
        list.insertFirst(only);
        list.remove(only);

        assertDamaged(() -> other.insertFirst(element()), "head at 0x");

        assertThat(machine.memory().getLong(24)).isZero();
    }

    @Test
    void nothingIsInsertedBehindAFirstElementThatWasFreedAndIsAnotherObjectNow() {
        Ref only = element();
        list.insertFirst(only);
        pool.atomic().free(only);
        assertThat(element()).isEqualTo(only);

        assertDamaged(() -> list.insertLast(element()), "head at 0x");

        assertThat(machine.memory().getLong(24)).isZero();
    }

    @Test
    void aWordBeforeTheHeapIsNotSet() {
        pool.close();
        PoolEngine engine = PoolEngine.open(machine.memory(), SimulatedPool.SETTINGS, null);
        pool = ObjectPool.over(engine, SimulatedPool.POOL_ID);
        LaneTransaction operation = engine.operation();

        assertWrongUse(() -> operation.setWord(24, 1), "0x18", "no object");
        assertWrongUse(() -> operation.setWord(0, 1), "no object");

        operation.abort(new IllegalStateException("tried"));
        assertThat(machine.memory().getLong(24)).isZero();
    }

    @Test
    void nothingMovesNextToItselfOutOfAnotherList() {
        Ref first = element();
        Ref second = element();
        Ref third = element();
        list.insertLast(first);
        list.insertLast(second);
        list.insertLast(third);
        other.insertFirst(element());

        assertWrongUse(() -> other.moveBefore(second, list, second), "next to itself");
        assertWrongUse(() -> other.moveAfter(third, list, third), "next to itself");
        list.moveBefore(second, list, second);

        assertThat(list).containsExactly(first, second, third);
    }

    // ---- objects that no commit made ----

    @Test
    void whatATransactionUnderWayAllocatedIsNoElement() {
        Ref inside = element();
        list.insertFirst(inside);
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            Ref fresh = tx.allocateZeroed(100, TYPE);
                                            assertWrongUse(
                                                    () -> list.insertFirst(fresh), "not committed");
                                            assertWrongUse(
                                                    () -> list.insertBefore(fresh, element()),
                                                    "not committed");
                                            assertWrongUse(
                                                    () -> other.moveFirst(list, fresh),
                                                    "not committed");
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(list).containsExactly(inside);
    }

    @Test
    void whatIsOnlyReservedIsNoElement() {
        try (Actions actions = pool.actions()) {
            Ref reserved = actions.reserve(100, TYPE).ref();

            assertWrongUse(() -> list.insertLast(reserved), "not committed");

            actions.publish();
            list.insertLast(reserved);
            assertThat(list).containsExactly(reserved);
        }
    }

    // ---- objects that are the pool's own ----

    @Test
    void theRootIsNoElement() {
        Ref root = pool.root(256);

        assertWrongUse(() -> list.insertFirst(root), "0x" + Long.toHexString(root.offset()));
        assertThat(list).isEmpty();

        pool.setRef(heads, 0, root);
        assertDamaged(() -> list.first(), "where no element is");
    }

    // ---- threads ----

    @Test
    void insertingNeedsNoSecondLaneWhileAConstructorOfTheSameListHasTheOnlyOne() throws Exception {
        reopen(new TxSettings(Duration.ofSeconds(3), Duration.ofSeconds(30), 1));
        use();
        Ref loose = element();
        CountDownLatch constructing = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        OtherThread<Ref> creator =
                OtherThread.doing(
                        () ->
                                list.insertNewLast(
                                        100,
                                        TYPE,
                                        object -> {
                                            constructing.countDown();
                                            awaitUnbounded(go);
                                        }));
        constructing.await();
        OtherThread<Void> inserter = OtherThread.running(() -> list.insertLast(loose));
        inserter.untilItWaits();
        go.countDown();

        Ref made = creator.result();
        inserter.result();

        assertThat(list).containsExactly(made, loose);
    }

    private static void awaitUnbounded(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new FarheapException(Category.ENVIRONMENT, "interrupted", e);
        }
    }

    @Test
    void aRefusedChangeGivesItsLaneAndTheMutexBack() throws Exception {
        reopen(new TxSettings(Duration.ofSeconds(3), Duration.ofSeconds(30), 1));
        use();
        Ref inside = element();
        Ref loose = element();
        list.insertFirst(inside);
        for (int i = 0; i < 3; i++) {
            assertWrongUse(() -> list.insertFirst(inside), "is in a list already");
            assertWrongUse(() -> list.remove(loose), "is not in the list");
            assertWrongUse(() -> list.moveAfter(loose, list, inside), "is not in the list");
        }

        OtherThread.running(() -> other.moveFirst(list, inside)).result();

        assertThat(other).containsExactly(inside);
        assertThat(list).isEmpty();
    }

    // ---- the ends, whichever they are ----

    @Test
    void removesItsEndsWhicheverTheyAre() {
        Ref first = element();
        Ref second = element();
        Ref third = element();
        list.insertLast(first);
        list.insertLast(second);
        list.insertLast(third);

        assertThat(list.removeFirst()).isEqualTo(first);
        assertThat(list.removeLast()).isEqualTo(third);
        assertThat(list).containsExactly(second);
        assertThat(list.removeLast()).isEqualTo(second);
        assertThat(list.removeFirst()).isEqualTo(Ref.NULL);
        assertThat(list.removeLast()).isEqualTo(Ref.NULL);

        assertThat(list).isEmpty();
        list.insertLast(first);
        assertThat(list(pool.objects(TYPE + 1))).hasSize(3);
    }

    @Test
    void threadsThatRemoveTheFirstEachGetOthers() throws Exception {
        List<Ref> all = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            all.add(element());
            list.insertLast(all.get(i));
        }
        OtherThread<List<Ref>> one = OtherThread.doing(this::removeAll);
        OtherThread<List<Ref>> two = OtherThread.doing(this::removeAll);

        List<Ref> removed = one.result();
        removed.addAll(two.result());

        assertThat(removed).containsExactlyInAnyOrderElementsOf(all);
        assertThat(list).isEmpty();
    }

    private List<Ref> removeAll() {
        List<Ref> removed = new ArrayList<>();
        for (Ref first = list.removeFirst(); !first.isNull(); first = list.removeFirst()) {
            removed.add(first);
        }
        return removed;
    }
}
