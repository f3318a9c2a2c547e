package io.farheap.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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

    @Test
    void anImageThatIsGoneIsAClosedPool() {
        Arena arena = Arena.ofShared();
        PoolMemory closed = new PoolMemory("p.set", arena.allocate(64, 64), new NoPersistence());
        arena.close();
        List<ThrowingCallable> accesses =
                List.of(
                        () -> closed.getByte(0),
                        () -> closed.getShort(0),
                        () -> closed.getInt(0),
                        () -> closed.getLong(0),
                        () -> closed.getLongAcquire(0),
                        () -> closed.putByte(0, (byte) 1),
                        () -> closed.putShort(0, (short) 1),
                        () -> closed.putInt(0, 1),
                        () -> closed.putLong(0, 1),
                        () -> closed.putLongRelease(0, 1),
                        () -> closed.orLong(0, 1),
                        () -> closed.andLong(0, 1),
                        () -> closed.addLong(0, 1),
                        () -> closed.copyIn(0, image, 0, 8),
                        () -> closed.copyOut(0, image, 0, 8),
                        () -> closed.copy(0, 8, 8),
                        () -> closed.fill(0, 8, (byte) 1));
        for (ThrowingCallable access : accesses) {
            assertThatThrownBy(access)
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("Pool p.set is closed");
        }
    }

    @Test
    void memoryOfTheCallersThatIsGoneIsNot() {
        Arena arena = Arena.ofShared();
        MemorySegment gone = arena.allocate(64);
        arena.close();

        assertThatThrownBy(() -> memory.copyIn(0, gone, 0, 8))
                .isInstanceOf(IllegalStateException.class);
    }
}
