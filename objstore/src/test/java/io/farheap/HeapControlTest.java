package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.AllocationClassDescriptor.HeaderType;
import org.junit.jupiter.api.Test;

class HeapControlTest extends TransactionFixture {
    @Test
    void aNewPoolHasTheClassesOfTheCLibrary() {
        assertThat(pool.heap().allocationClass(1))
                .contains(new AllocationClassDescriptor(1, 128, 0, 2045, HeaderType.COMPACT));
        assertThat(pool.heap().allocationClass(53))
                .contains(new AllocationClassDescriptor(53, 349_440, 0, 12, HeaderType.COMPACT));
        assertThat(pool.heap().allocationClass(54)).isEmpty();
        assertThat(pool.heap().allocationClass(254)).isEmpty();
    }

    @Test
    void classZeroIsForWholeChunks() {
        AllocationClassDescriptor huge = pool.heap().allocationClass(0).orElseThrow();

        assertThat(huge.unitSize()).isEqualTo(262_144);
        assertThat(huge.unitsPerBlock()).isZero();
    }

    @Test
    void idsThatNoClassCanHaveAreRefused() {
        assertWrongUse(() -> pool.heap().allocationClass(255), "255", "0 to 254");
        assertWrongUse(() -> pool.heap().allocationClass(-1), "-1", "0 to 254");
    }
}
