package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.Ref;
import io.farheap.pmemobj.Actions;
import java.lang.foreign.MemorySegment;
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
}
