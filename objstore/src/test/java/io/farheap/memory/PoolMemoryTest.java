package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PoolMemoryTest {
    private static final long SIZE = 256 << 10;

    private final MemorySegment image = Arena.ofAuto().allocate(SIZE, 64);
    private final PoolMemory memory = new PoolMemory(image, new NoPersistence());

    @Test
    void aFillChangesItsRangeAndNothingElse() {
        MemorySegment expected = Arena.ofAuto().allocate(SIZE, 64);
        Random random = new Random(5);
        long[] lengths = {0, 1, 7, 8, 9, 255, 256, 257, 511, 4096, 16_384, 40_000, 200_001};
        for (long length : lengths) {
            long offset = random.nextLong(SIZE - length + 1);
            byte value = (byte) random.nextInt();
            expected.asSlice(offset, length).fill(value);
            memory.fill(offset, length, value);
            assertThat(image.mismatch(expected)).as("%d bytes at %d", length, offset).isEqualTo(-1);
        }
    }

    @Test
    void aFillThatReachesBeyondTheImageChangesNothing() {
        assertThatThrownBy(() -> memory.fill(SIZE - 100, 101, (byte) 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.fill(-8, 16, (byte) 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(image.mismatch(Arena.ofAuto().allocate(SIZE, 64))).isEqualTo(-1);
    }
}
