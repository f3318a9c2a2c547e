package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.AllocationClassDescriptor;
import io.farheap.base.AllocationClassDescriptor.HeaderType;
import io.farheap.base.AllocationOptions;
import io.farheap.base.Ref;
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

    @Test
    void classesOfTheProgramsAreMadeWithTheirIdAndWithTheFirstFreeOne() {
        AllocationClassDescriptor wanted =
                new AllocationClassDescriptor(200, 4096, 4096, 30, HeaderType.COMPACT);

        AllocationClassDescriptor made = pool.heap().newAllocationClass(wanted);

        assertThat(made.unitsPerBlock()).isGreaterThanOrEqualTo(30);
        assertThat(pool.heap().allocationClass(200)).contains(made);
        assertWrongUse(() -> pool.heap().newAllocationClass(wanted), "200");
        int first = pool.heap().newAllocationClass(96, 0, 2000, HeaderType.NONE).id();
        assertThat(first).isEqualTo(54);
        Ref there = pool.atomic().allocate(4000, TYPE, AllocationOptions.DEFAULT.inClass(200));
        assertThat(there.offset() % 4096).isZero();
    }

    @Test
    void newObjectsAreFilledWithThePattern() {
        assertThat(pool.heap().allocationPattern()).isNegative();
        pool.heap().setAllocationPattern(0xA5);
        assertThat(pool.heap().allocationPattern()).isEqualTo(0xA5);

        Ref marked = pool.compute(tx -> tx.allocate(1000, TYPE));

        assertThat(pool.readBytes(marked, 0, 1000)).containsOnly(0xA5);
        assertThat(pool.readBytes(pool.atomic().allocateZeroed(1000, TYPE), 0, 1000))
                .containsOnly(0);
    }
}
