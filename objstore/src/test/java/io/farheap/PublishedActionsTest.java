package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.AllocationOptions;
import io.farheap.base.FailureBehavior;
import io.farheap.base.Ref;
import io.farheap.pmemobj.Actions;
import io.farheap.pmemobj.NewObject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a transaction knows of actions that it took, and what it leaves alone of those it did not.
 */
class PublishedActionsTest extends TransactionFixture {
    private static final long LARGE = 300_000;

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

    // ---- all or nothing ----

    @Test
    void whatIsAnotherReservationByNowStopsThemAll() {
        Ref stays = pool.atomic().allocateZeroed(64, TYPE);
        Ref gone = pool.atomic().allocateZeroed(LARGE, TYPE);
        actions.deferFree(stays);
        actions.deferFree(gone);
        pool.atomic().free(gone);
        try (Actions others = pool.actions()) {
            assertThat(others.reserve(LARGE, TYPE).ref()).isEqualTo(gone);

            pool.transaction(
                    tx -> {
                        assertWrongUse(
                                () -> tx.publish(actions, FailureBehavior.RETURN),
                                "0x" + Long.toHexString(gone.offset()));
                        assertThat(actions.size()).isEqualTo(2);
                        tx.setLong(stays, 0, 42);
                    });
        }

        assertThat(pool.getLong(stays, 0)).isEqualTo(42);
    }

    // ---- words ----

    @Test
    void anObjectWithAWordToBeSetIsNotFreedBesideTheTransaction() {
        Ref object = pool.atomic().allocateZeroed(LARGE, TYPE);
        actions.setValue(object, 0, 42);

        pool.transaction(
                tx -> {
                    tx.publish(actions);
                    assertWrongUse(() -> pool.atomic().free(object), "under way");
                });

        assertThat(pool.getLong(object, 0)).isEqualTo(42);
    }

    @Test
    void aWordToBeSetIsNotSetBesideTheTransaction() {
        Ref target = pool.atomic().allocateZeroed(64, TYPE);
        actions.setRef(root, 0, target);

        pool.transaction(
                tx -> {
                    tx.publish(actions);
                    assertWrongUse(() -> pool.atomic().allocate(root, 0, 64, TYPE), "under way");
                    pool.atomic().allocate(root, 16, 64, TYPE);
                });

        assertThat(pool.getRef(root, 0)).isEqualTo(target);
        assertThat(list(pool.objects())).containsExactly(target, pool.getRef(root, 16));
    }

    @Test
    void anObjectWithAWordToBeSetDoesNotMove() {
        Ref object = pool.atomic().allocateZeroed(64, TYPE);
        actions.setValue(object, 56, 42);
        actions.setValue(root, 0, 43);

        pool.transaction(
                tx -> {
                    tx.setFailureBehavior(FailureBehavior.RETURN);
                    tx.publish(actions);
                    assertWrongUse(() -> tx.reallocate(object, 4096, TYPE), "words");
                });

        assertThat(pool.getLong(object, 56)).isEqualTo(42);
        assertThat(list(pool.objects())).containsExactly(object);
        actions.setValue(root, 0, 44);
        assertWrongUse(
                () ->
                        pool.transaction(
                                tx -> {
                                    tx.publish(actions);
                                    Ref unused = pool.root(1000);
                                }),
                "words");
        assertThat(pool.root(1000)).isNotEqualTo(root);
        assertThat(pool.getLong(pool.root(), 0)).isEqualTo(43);
    }

    @Test
    void aWordOfAnObjectThatTheTransactionMadeAndFreedMeetsNoOther() {
        pool.transaction(
                tx -> {
                    Ref fresh = tx.allocateZeroed(64, TYPE);
                    actions.setValue(fresh, 0, 42);
                    tx.publish(actions);
                    tx.free(fresh);
                    Ref next = tx.allocateZeroed(64, TYPE);
                    tx.setRef(root, 0, next);
                });

        assertThat(pool.getLong(pool.getRef(root, 0), 0)).isZero();
        assertThat(list(pool.objects())).hasSize(1);
    }

    // ---- what is kept of new objects ----

    @Test
    void aLateStoreDoesNotMeetTheNextReservation() {
        NewObject first = actions.reserve(64, TYPE);
        actions.cancel();
        NewObject second = actions.reserve(64, TYPE, AllocationOptions.ZEROED);
        Ref made = second.ref();

        assertWrongUse(() -> first.setLong(0, 1), "given up");
        second.setLong(8, 2);
        actions.publish();

        assertThat(pool.getLong(made, 0)).isZero();
        assertThat(pool.getLong(made, 8)).isEqualTo(2);
        for (int i = 0; i < 1000; i++) {
            NewObject later = actions.reserve(64, TYPE);
            assertThat(later).as("one that is known to be kept").isNotSameAs(first);
            actions.cancel();
        }
        assertWrongUse(() -> first.setLong(0, 1), "given up");
    }

    @Test
    void manyReservationsEachHaveTheirOwn() {
        NewObject[] all = new NewObject[500];
        for (int i = 0; i < all.length; i++) {
            all[i] = actions.reserve(64, TYPE);
            all[i].setLong(0, i);
        }
        Ref[] made = new Ref[all.length];
        for (int i = 0; i < all.length; i++) {
            made[i] = all[i].ref();
        }
        actions.publish();

        for (int i = 0; i < all.length; i++) {
            NewObject ended = all[i];
            assertThat(pool.getLong(made[i], 0)).isEqualTo(i);
            assertWrongUse(() -> ended.setLong(0, 1), "exists by now");
        }
    }

    @Test
    void aLateStoreOfAConstructorDoesNotMeetTheNextObject() {
        NewObject[] kept = new NewObject[1];
        Ref first = pool.atomic().allocate(64, TYPE, object -> kept[0] = object);

        Ref second =
                pool.atomic()
                        .allocate(
                                64,
                                TYPE,
                                object -> {
                                    object.fill(0, 64, (byte) 0);
                                    assertWrongUse(() -> kept[0].setLong(0, 1), "exists by now");
                                });

        assertThat(first).isNotEqualTo(second);
        assertThat(pool.getLong(second, 0)).isZero();
    }
}
