package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.FailureBehavior;
import io.farheap.base.Ref;
import io.farheap.pmemobj.Actions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a transaction knows of actions that it took, and what it leaves alone of those it did not. */
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
}
