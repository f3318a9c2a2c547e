package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StoreListTest {
    private static final int SIZE = 4096;

    /** Three groups: two neighbours and one apart; one; fifty neighbours. */
    private static StoreList list() {
        StoreList list = new StoreList();
        list.add(64, 1);
        list.add(72, 2);
        list.add(512, 3);
        list.barrier();
        list.add(128, 4);
        list.barrier();
        for (int i = 0; i < 50; i++) {
            list.add(1024 + 8 * i, 5 + i);
        }
        return list;
    }

    @Test
    void everyStoreIsDurableWhenApplyReturns() {
        CrashSimulation machine = new CrashSimulation(SIZE);
        list().applyTo(machine.memory());
        assertThat(isThere(machine.crash(Loss.ALL, new Random(1)), 0, 54)).isTrue();
    }

    @Test
    void neighboursAreFlushedTogetherAndEachGroupFencedOnce() {
        CrashSimulation machine = new CrashSimulation(SIZE);
        list().applyTo(machine.memory());
        assertThat(machine.flushes()).isEqualTo(4);
        assertThat(machine.fences()).isEqualTo(3);
    }

    @Test
    void noFlushAndNoFenceIsTooMany() {
        for (int i = 0; i < 4; i++) {
            CrashSimulation machine = new CrashSimulation(SIZE);
            machine.dropFlush(i);
            assertThat(isDurableInOrder(machine)).as("without flush %d", i).isFalse();
        }
        for (int i = 0; i < 3; i++) {
            CrashSimulation machine = new CrashSimulation(SIZE);
            machine.dropFence(i);
            assertThat(isDurableInOrder(machine)).as("without fence %d", i).isFalse();
        }
        assertThat(isDurableInOrder(new CrashSimulation(SIZE))).isTrue();
    }

    private static boolean isDurableInOrder(CrashSimulation machine) {
        boolean[] ordered = {true};
        Random random = new Random(7);
        machine.beforeEachStep(
                () -> {
                    for (int i = 0; i < 30; i++) {
                        CrashSimulation after = machine.crash(Loss.RANDOM, random);
                        boolean second = after.memory().getLong(128) != 0;
                        boolean third =
                                IntStream.range(4, 54)
                                        .anyMatch(k -> after.memory().getLong(offset(k)) != 0);
                        ordered[0] &= !second || isThere(after, 0, 3);
                        ordered[0] &= !third || isThere(after, 0, 4);
                    }
                });
        list().applyTo(machine.memory());
        return ordered[0] && isThere(machine.crash(Loss.ALL, random), 0, 54);
    }

    private static long offset(int store) {
        return list().offset(store);
    }

    private static boolean isThere(CrashSimulation machine, int from, int to) {
        StoreList list = list();
        PoolMemory memory = machine.memory();
        return IntStream.range(from, to)
                .allMatch(i -> memory.getLong(list.offset(i)) == list.value(i));
    }

    @Test
    void aListThatIsClearedIsEmptyAndABarrierAtItsStartIsNone() {
        StoreList list = list();
        assertThat(list.size()).isEqualTo(54);
        assertThat(list.isLastOfGroup(2)).isTrue();
        assertThat(list.isLastOfGroup(53)).isTrue();
        list.clear();
        list.barrier();
        list.add(8, 9);
        list.add(16, 9);
        assertThat(list.size()).isEqualTo(2);
        assertThat(list.isLastOfGroup(0)).isFalse();
        assertThat(list.isLastOfGroup(1)).isTrue();
    }
}
