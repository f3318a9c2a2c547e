package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.AllocationOptions;
import io.farheap.base.FailureBehavior;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.NewObject;
import io.farheap.testing.CrashSimulation.Loss;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reserve, defer, set; then publish, in a transaction or without, or cancel. */
class ActionsTest extends TransactionFixture {
    private static final long FIELD = 32;

    private Ref root;
    private Actions actions;

    @BeforeEach
    void begin() {
        root = pool.root(256);
        actions = pool.actions();
    }

    @AfterEach
    void cancelRest() {
        actions.close();
    }

    private ObjectPool afterPowerLoss() {
        return SimulatedPool.open(machine.crash(Loss.ALL, new Random(1)));
    }

    private long fencesOf(Runnable call) {
        long before = pool.counters().fences();
        call.run();
        return pool.counters().fences() - before;
    }

    @Test
    void nothingIsThereBeforeItIsPublished() {
        NewObject reserved = actions.reserve(100, TYPE);
        reserved.fill(0, 100, (byte) 3);
        actions.setRef(root, FIELD, reserved.ref());
        actions.setValue(root, 0, 42);
        assertThat(actions.size()).isEqualTo(4);

        assertThat(list(pool.objects())).isEmpty();
        assertThat(pool.getRef(root, FIELD)).isEqualTo(Ref.NULL);
        assertThat(list(afterPowerLoss().objects())).isEmpty();
        Ref made = reserved.ref();
        actions.publish();

        assertThat(actions.size()).isZero();
        assertThat(list(pool.objects())).containsExactly(made);
        ObjectPool recovered = afterPowerLoss();
        assertThat(recovered.getRef(root, FIELD)).isEqualTo(made);
        assertThat(recovered.getLong(root, 0)).isEqualTo(42);
        assertThat(recovered.readBytes(made, 0, 100)).containsOnly(3);
        assertThat(recovered.typeNumber(made)).isEqualTo(TYPE);
    }

    @Test
    void aReservedPlaceIsNobodyElses() {
        Ref reserved = actions.reserve(100, TYPE).ref();
        Ref other = pool.compute(tx -> tx.allocate(100, TYPE));
        Ref third = pool.actions().reserve(100, TYPE).ref();

        assertThat(reserved).isNotEqualTo(other).isNotEqualTo(third);
        actions.cancel();
        assertThat(actions.size()).isZero();
        assertThat(pool.atomic().allocate(100, TYPE)).isEqualTo(reserved);
    }

    @Test
    void aDeferredFreeHappensAtPublish() {
        Ref account = account(100);
        actions.deferFree(account);
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
        pool.setLong(account, 0, 7);
        assertThat(list(pool.objects())).containsExactly(account);
        actions.publish();

        assertThat(list(pool.objects())).isEmpty();
        assertThat(list(afterPowerLoss().objects())).isEmpty();
    }

    @Test
    void aCancelledFreeIsForgotten() {
        Ref account = account(100);
        actions.deferFree(account);
        actions.setValue(account, 0, 1);
        actions.cancel();
        actions.publish();

        assertThat(pool.getLong(account, 0)).isEqualTo(100);
        pool.atomic().free(account);
    }

    @Test
    void theLastValueCounts() {
        actions.setValue(root, 0, 1);
        actions.setValue(root, 8, 2);
        actions.setValue(root, 0, 3);
        actions.publish();

        assertThat(pool.getLong(root, 0)).isEqualTo(3);
        assertThat(pool.getLong(root, 8)).isEqualTo(2);
    }

    @Test
    void manyActionsAreOneStep() {
        Ref large = pool.atomic().allocateZeroed(4000, TYPE);
        for (int i = 0; i < 250; i++) {
            actions.setValue(large, 16L * i, i + 1);
        }
        for (int i = 0; i < 50; i++) {
            actions.reserve(100, TYPE + 1, AllocationOptions.ZEROED).setLong(0, i);
        }
        actions.publish();

        ObjectPool recovered = afterPowerLoss();
        for (int i = 0; i < 250; i++) {
            assertThat(recovered.getLong(large, 16L * i)).isEqualTo(i + 1);
        }
        assertThat(list(recovered.objects(TYPE + 1))).hasSize(50);
        actions.publish();
        PoolState.assertHeapIsSound(machine.memory(), "published");
    }

    @Test
    void reservedObjectsEndWithPublishing() {
        NewObject first = actions.reserve(100, TYPE);
        actions.publish();
        assertWrongUse(() -> first.setLong(0, 1), "exists by now");
        NewObject second = actions.reserve(100, TYPE);
        actions.cancel();
        assertWrongUse(() -> second.setLong(0, 1), "given up");
    }

    @Test
    void optionsSayHow() {
        Ref used = pool.atomic().allocate(100, TYPE, object -> object.fill(0, 100, (byte) 9));
        pool.atomic().free(used);
        Ref zeroed = actions.reserve(100, TYPE, AllocationOptions.ZEROED).ref();
        actions.publish();

        assertThat(pool.readBytes(zeroed, 0, (int) pool.usableSize(zeroed))).containsOnly(0);
        Ref lost = pool.atomic().allocate(500, TYPE, object -> object.fill(0, 500, (byte) 1));
        pool.atomic().free(lost);
        NewObject unflushed = actions.reserve(500, TYPE, AllocationOptions.DEFAULT.withoutFlush());
        unflushed.fill(0, 500, (byte) 2);
        Ref made = unflushed.ref();
        actions.publish();
        assertThat(afterPowerLoss().readBytes(made, 64, 400)).doesNotContain(2);
    }

    @Test
    void whatCanNotHappenIsRefused() {
        Ref account = account(1);
        Ref gone = account(2);
        pool.atomic().free(gone);
        assertWrongUse(() -> actions.reserve(0, TYPE));
        assertWrongUse(() -> actions.deferFree(gone));
        assertWrongUse(() -> actions.deferFree(Ref.NULL), "null");
        assertWrongUse(() -> actions.setValue(account, 4, 1), "multiple of 8");
        assertWrongUse(() -> actions.setValue(account, 1000, 1), "outside");
        assertWrongUse(() -> actions.setRef(account, 1000, Ref.NULL), "outside");
        assertWrongUse(() -> actions.setValue(gone, 0, 1));
        actions.deferFree(account);
        assertWrongUse(() -> actions.deferFree(account), "already");
        Ref reserved = actions.reserve(64, TYPE).ref();
        assertWrongUse(() -> actions.deferFree(reserved), "cancel");
        try (Actions others = pool.actions()) {
            assertWrongUse(() -> others.deferFree(reserved), "only reserved");
        }
        pool.transaction(
                tx -> {
                    Ref fresh = tx.allocate(1 << 18, TYPE);
                    assertWrongUse(() -> actions.deferFree(fresh), "only reserved");
                    tx.free(fresh);
                });
        assertThatThrownBy(() -> actions.reserve(SimulatedPool.SIZE, TYPE))
                .isInstanceOf(FarheapException.class)
                .extracting(e -> ((FarheapException) e).category())
                .isEqualTo(Category.ENVIRONMENT);
        assertThat(actions.size()).isEqualTo(2);
        actions.publish();
        assertThat(list(pool.objects())).containsExactly(reserved);
    }

    @Test
    void whatWasFreedMeanwhileStopsThemAll() {
        Ref account = account(1);
        Ref reserved = actions.reserve(64, TYPE).ref();
        actions.setValue(root, 0, 5);
        actions.setValue(account, 0, 2);
        pool.atomic().free(account);
        assertWrongUse(actions::publish);

        assertThat(actions.size()).isZero();
        assertThat(pool.getLong(root, 0)).isZero();
        assertThat(list(pool.objects())).isEmpty();
        actions.deferFree(root);
        assertWrongUse(actions::publish, "root");
        assertThat(pool.atomic().allocate(64, TYPE)).isIn(account, reserved);
    }

    @Test
    void inATransactionTheyHappenWithItsCommit() {
        Ref account = account(1);
        NewObject reserved = actions.reserve(64, TYPE + 1);
        Ref made = reserved.ref();
        reserved.setLong(0, 9);
        actions.deferFree(account);
        actions.setRef(root, FIELD, made);
        pool.transaction(
                tx -> {
                    tx.setLong(root, 0, 1);
                    tx.publish(actions);
                    assertThat(actions.size()).isZero();
                    assertThat(tx.getRef(root, FIELD)).isEqualTo(Ref.NULL);
                    assertThat(tx.getLong(made, 0)).isEqualTo(9);
                    tx.setLong(made, 8, 10);
                    assertThat(list(tx.objects())).containsExactly(made);
                    assertWrongUse(() -> tx.getLong(account, 0), "freed");
                    assertThat(list(afterPowerLoss().objects())).containsExactly(account);
                });

        ObjectPool recovered = afterPowerLoss();
        assertThat(list(recovered.objects())).containsExactly(made);
        assertThat(recovered.getRef(root, FIELD)).isEqualTo(made);
        assertThat(recovered.getLong(made, 8)).isEqualTo(10);
        assertThat(recovered.getLong(root, 0)).isEqualTo(1);
    }

    @Test
    void anAbortCancelsThem() {
        Ref account = account(1);
        Ref made = actions.reserve(64, TYPE + 1).ref();
        actions.deferFree(account);
        actions.setRef(root, FIELD, made);
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.publish(actions);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(list(pool.objects())).containsExactly(account);
        assertThat(pool.getRef(root, FIELD)).isEqualTo(Ref.NULL);
        assertThat(pool.atomic().allocate(64, TYPE)).isEqualTo(made);
    }

    @Test
    void aTransactionThatCanNotTakeThemLeavesThemAsTheyWere() {
        Ref account = account(1);
        actions.deferFree(account);
        Ref made = actions.reserve(64, TYPE + 1).ref();
        pool.transaction(
                tx -> {
                    tx.free(account);
                    assertWrongUse(() -> tx.publish(actions, FailureBehavior.RETURN), "freed");
                    tx.setLong(root, 0, 1);
                });

        assertThat(pool.getLong(root, 0)).isEqualTo(1);
        assertThat(actions.size()).isEqualTo(2);
        assertThatThrownBy(() -> pool.transaction(tx -> assertWrongUse(() -> tx.publish(actions))))
                .isInstanceOf(TransactionAbortedException.class);
        assertThat(actions.size()).isEqualTo(2);
        assertWrongUse(actions::publish);
        assertThat(list(pool.objects())).isEmpty();
        try (ObjectPool other = SimulatedPool.open(SimulatedPool.formatted())) {
            Actions foreign = other.actions();
            assertThat(foreign.size()).isZero();
            assertThat(pool.atomic().allocate(64, TYPE)).isIn(made, account);
        }
    }

    @Test
    void besideATransactionTheyAreIndependent() {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.setLong(root, 0, 1);
                                            Ref made = actions.reserve(64, TYPE).ref();
                                            actions.setRef(root, FIELD, made);
                                            actions.publish();
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(list(pool.objects())).containsExactly(pool.getRef(root, FIELD));
        assertThat(pool.getLong(root, 0)).isZero();
    }

    @Test
    void whatIsNamedByBareOffsetsIsPartOfTheSameList() {
        Ref account = account(1);
        long made = actions.reserve(64, TYPE + 1).offset();
        actions.raw().deferFree(account.offset());
        actions.raw().setValue(root.offset(), 8, 42);
        actions.raw().setRef(root.offset(), FIELD, made);
        actions.raw().setRef(root.offset(), FIELD + Ref.BYTES, 0);
        assertThat(actions.size()).isEqualTo(7);
        assertWrongUse(() -> actions.raw().setRef(root.offset(), 1000, 0), "outside");
        actions.publish();

        assertThat(list(pool.objects())).containsExactly(pool.getRef(root, FIELD));
        assertThat(pool.getRef(root, FIELD).offset()).isEqualTo(made);
        assertThat(pool.getRef(root, FIELD + Ref.BYTES)).isEqualTo(Ref.NULL);
        assertThat(pool.getLong(root, 8)).isEqualTo(42);
    }

    @Test
    void fencesAreLibpmemobjs() {
        Ref unused = pool.atomic().allocate(64, TYPE);
        assertThat(fencesOf(() -> actions.reserve(64, TYPE))).as("reserve").isZero();
        assertThat(fencesOf(actions::publish)).as("publish of one object").isEqualTo(2);
        actions.setValue(root, 0, 1);
        assertThat(fencesOf(actions::publish)).as("publish of one value").isEqualTo(1);
        actions.setRef(root, FIELD, actions.reserve(64, TYPE).ref());
        assertThat(fencesOf(actions::publish)).as("object and values").isEqualTo(4);
        assertThat(fencesOf(actions::publish)).as("nothing").isZero();
    }

    @Test
    void aClosedPoolHasForgottenThem() {
        NewObject reserved = actions.reserve(64, TYPE);
        reopen();
        assertWrongUse(() -> reserved.setLong(0, 1), "closed");
        assertWrongUse(() -> actions.reserve(64, TYPE), "closed");
        actions.cancel();
        assertThat(actions.size()).isZero();
        assertThat(list(pool.objects())).isEmpty();
    }

    @Test
    void whenOneActionIsRefusedATransactionThatGoesOnDoesNoneOfThem() {
        Ref old = pool.atomic().allocateZeroed(64, TYPE);
        Actions actions = pool.actions();
        actions.deferFree(old);
        actions.deferFree(pool.root());

        pool.transaction(
                tx -> {
                    assertWrongUse(() -> tx.publish(actions, FailureBehavior.RETURN), "root");
                    assertThat(actions.size()).isEqualTo(2);
                    tx.setLong(old, 0, 42);
                });

        assertThat(pool.getLong(old, 0)).isEqualTo(42);
    }
}
