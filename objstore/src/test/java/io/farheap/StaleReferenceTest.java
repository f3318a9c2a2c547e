package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FailureBehavior;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.pmemobj.Actions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What is kept of an object that is gone does not harm what is in its place by now. */
class StaleReferenceTest extends TransactionFixture {
    private static final long LARGE = 300_000;

    // ---- the pool's own objects ----

    @Test
    void aLogExtensionInTheObjectsPlaceIsNotFreed() {
        Ref root = pool.root(16_384);
        Ref stale = pool.atomic().allocate(32_960, TYPE);
        pool.atomic().free(stale);
        pool.transaction(
                tx -> {
                    MemorySegment unused = tx.snapshot(root, 0, 8192);
                });
        assertThat(pool.usableSize(stale)).as("a log is there").isPositive();

        assertWrongUse(() -> pool.atomic().free(stale), "0x" + Long.toHexString(stale.offset()));
        assertWrongUse(() -> pool.atomic().reallocate(stale, 64, TYPE), "pool's own");
        assertWrongUse(() -> pool.transaction(tx -> tx.free(stale)), "pool's own");
        try (Actions actions = pool.actions()) {
            actions.deferFree(stale);
            assertWrongUse(actions::publish, "pool's own");
        }

        Ref next = pool.atomic().allocateZeroed(32_960, TYPE);
        pool.transaction(
                tx -> {
                    MemorySegment unused = tx.snapshot(root, 0, 8192);
                });
        assertThat(next).isNotEqualTo(stale);
        assertThat(pool.readBytes(next, 0, 32_960)).containsOnly(0);
    }

    // ---- reallocate ----

    @Test
    void aRefusedReallocationLeavesNothingBehind() {
        Ref root = pool.root(256);
        Ref gone = pool.atomic().allocate(LARGE, TYPE);
        pool.atomic().free(gone);
        try (Actions others = pool.actions()) {
            assertThat(others.reserve(LARGE, TYPE).ref()).isEqualTo(gone);
            pool.transaction(
                    tx -> {
                        tx.setFailureBehavior(FailureBehavior.RETURN);
                        assertWrongUse(() -> tx.reallocate(root, 4096, 1), "root");
                        assertWrongUse(() -> tx.reallocate(gone, 4096, 1));
                        tx.setLong(root, 0, 42);
                    });
        }

        assertThat(pool.getLong(root, 0)).isEqualTo(42);
        assertThat(list(pool.objects())).isEmpty();
    }

    // ---- iteration ----

    @Test
    void iteratingByTypeGoesOnWhileOthersFree() throws Exception {
        pool.transaction(
                tx -> {
                    for (int i = 0; i < 100; i++) {
                        Ref unused = tx.allocate(64, TYPE);
                    }
                });
        AtomicBoolean done = new AtomicBoolean();
        OtherThread<Void> changing =
                OtherThread.running(
                        () -> {
                            while (!done.get()) {
                                allocateAndFree(200);
                            }
                        });
        try {
            for (int i = 0; i < 5_000; i++) {
                assertThat(list(pool.objects(TYPE))).hasSize(100);
            }
        } finally {
            done.set(true);
        }
        changing.result();
    }

    private void allocateAndFree(int count) {
        Ref[] made = new Ref[count];
        pool.transaction(
                tx -> {
                    for (int i = 0; i < count; i++) {
                        made[i] = tx.allocate(64, TYPE + 1);
                    }
                });
        for (Ref object : made) {
            pool.atomic().free(object);
        }
    }

    // ---- segments ----

    @Test
    void theSpaceOfAFreshObjectIsNobodyElsesWhileItsSegmentLives() {
        Ref[] refs = new Ref[2];
        pool.transaction(
                tx -> {
                    refs[0] = tx.allocate(LARGE, TYPE);
                    MemorySegment segment = tx.snapshot(refs[0], 0, 64);
                    tx.free(refs[0]);
                    refs[1] = pool.atomic().allocateZeroed(LARGE, TYPE);
                    segment.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 1);
                });

        assertThat(pool.getLong(refs[1], 0)).isZero();
        assertThat(pool.atomic().allocate(LARGE, TYPE)).as("free by now").isEqualTo(refs[0]);
    }

    @Test
    void anAbortGivesTheSpaceOfAFreshObjectWithASegmentBackOnce() {
        Ref[] refs = new Ref[1];
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            refs[0] = tx.allocate(LARGE, TYPE);
                                            MemorySegment unused = tx.snapshot(refs[0], 0, 64);
                                            tx.free(refs[0]);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(pool.atomic().allocate(LARGE, TYPE)).isEqualTo(refs[0]);
        PoolState.assertHeapIsSound(machine.memory(), "aborted");
    }

    @Test
    void theSpaceOfAFreshObjectWithoutASegmentIsFreeAtOnce() {
        pool.transaction(
                tx -> {
                    Ref fresh = tx.allocate(LARGE, TYPE);
                    tx.free(fresh);
                    assertThat(tx.allocate(LARGE, TYPE)).isEqualTo(fresh);
                });
    }
}
