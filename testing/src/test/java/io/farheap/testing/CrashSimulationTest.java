package io.farheap.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What makes a machine another one for less than a copy of its image. */
class CrashSimulationTest {
    private static final long SIZE = (5 << 12) + 64;
    private static final long LAST_PAGE = 5 << 12;

    private final MemorySegment beginning = Arena.ofAuto().allocate(SIZE, 8);
    private final CrashSimulation machine = new CrashSimulation(SIZE);
    private final CrashSimulation copy = new CrashSimulation(SIZE);

    CrashSimulationTest() {
        for (long at = 0; at < SIZE; at += Long.BYTES) {
            beginning.set(ValueLayout.JAVA_LONG, at, at + 1);
        }
        machine.restore(beginning, true);
        copy.restore(beginning, true);
    }

    private static void assertHolds(CrashSimulation machine, MemorySegment content) {
        assertThat(machine.memory().image().mismatch(content)).isEqualTo(-1);
        assertThat(machine.durable().mismatch(content)).isEqualTo(-1);
        assertThat(machine.unsettled()).isEmpty();
    }

    @Test
    void becomesAnotherOneAndIsRestoredFromThat() {
        for (int round = 0; round < 3; round++) {
            machine.memory().putLong(4096L * round, 77);
            machine.memory().putLong(LAST_PAGE + 56, 78 + round);
            copy.memory().persistLong(3 * 4096, 79);
            copy.become(machine);
            assertHolds(copy, machine.memory().image());
            assertThat(machine.unsettled()).isNotEmpty();
        }
        copy.restore(beginning, false);
        assertHolds(copy, beginning);
        machine.restore(beginning, false);
        copy.become(machine);
        assertHolds(copy, beginning);
    }

    @ParameterizedTest
    @EnumSource(Loss.class)
    void becomesWhatACrashOfAnotherOneReturns(Loss loss) {
        for (int round = 0; round < 20; round++) {
            machine.memory().persistLong(8L * round, 77 + round);
            for (long at = 0; at < SIZE; at += 512) {
                machine.memory().putLong(at, round);
                machine.memory().flush(at, round % 2 == 0 ? 8 : 0);
            }
            machine.memory().image().set(ValueLayout.JAVA_LONG, 2 * 4096 + 8, 80 + round);
            copy.memory().persistLong(3 * 4096, 79);
            copy.becomeCrashed(machine, loss, new Random(round));
            assertHolds(copy, machine.crash(loss, new Random(round)).memory().image());
        }
    }

    @Test
    void isClearedAndRestoredFromThat() {
        machine.memory().putLong(8, 77);
        machine.clear();
        assertHolds(machine, Arena.ofAuto().allocate(SIZE, 8));
        machine.restore(beginning, false);
        assertHolds(machine, beginning);
    }

    @Test
    void noticesStoresAroundItsMemoryWhenItIsAskedTo() {
        machine.expectStoresAround(false);
        assertThat(machine.lookForStores()).isFalse();
        machine.memory().putLong(8, 77);
        assertThat(machine.lookForStores()).isFalse();
        machine.memory().image().set(ValueLayout.JAVA_LONG, 4096, 77);
        machine.memory().persist(0, SIZE);
        assertThat(machine.unsettled()).isEmpty();
        assertThat(machine.lookForStores()).isTrue();
        assertThat(machine.unsettled()).hasSize(1);
        machine.losePower(Loss.ALL, new Random(1));
        assertThat(machine.memory().getLong(4096)).isEqualTo(4097);
        assertThat(machine.memory().getLong(8)).isEqualTo(77);
    }

    @Test
    void aStoreAroundThatAFlushOfAllFoundIsRestoredToo() {
        machine.memory().image().set(ValueLayout.JAVA_LONG, 2 * 4096, 77);
        machine.memory().persist(0, SIZE);
        assertThat(machine.durable().get(ValueLayout.JAVA_LONG, 2 * 4096)).isEqualTo(77);
        machine.restore(beginning, false);
        assertHolds(machine, beginning);
    }
}
