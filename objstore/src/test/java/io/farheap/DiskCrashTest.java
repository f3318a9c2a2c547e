package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.CrashEnumeration.Step;
import io.farheap.engine.PoolEngine;
import io.farheap.memory.DiskMachine;
import io.farheap.memory.NoPersistence;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;

/**
 * Power losses and kills in every operation of the API on an ordinary disk: at flushes, orders and
 * settles, and at each write and sync of journal and pool, while a checkpointer and the kernel
 * write pages whenever they like. The pool recovers to the state before the operation or to the one
 * after it; when it has returned, to the one after it alone.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DiskCrashTest {
    private static final long SEED = Long.getLong("crash.seed", 20261124);

    /** About so many times the logarithm of its steps an operation is cut. */
    private static final int CUTS = Integer.getInteger("disk.cuts", 1);

    /** One in so many of these cuts is made. */
    private static final int STRIDE = Boolean.getBoolean("test.deep") ? 1 : 5;

    private static final int MOST_ORDERS_TO_ONE_CHECKPOINT = 12;

    private final Random random = new Random(SEED);
    private final DiskMachine machine = DiskMachine.with(formatted(), random);
    private final ObjectPool pool = open(machine);
    private final Map<PoolState, String> found = new HashMap<>();
    private boolean looking;
    private int points;
    private int cuts;
    private int states;

    private static MemorySegment formatted() {
        MemorySegment image = Arena.ofAuto().allocate(CrashStatesTest.SIZE, 4096);
        SimulatedPool.format(new PoolMemory(image, new NoPersistence()));
        return image;
    }

    private static ObjectPool open(DiskMachine on) {
        return ObjectPool.over(
                PoolEngine.open(on.open(), SimulatedPool.SETTINGS, null), SimulatedPool.POOL_ID);
    }

    @TestFactory
    @Tag("sliced")
    List<DynamicTest> everyOperation() {
        System.out.println("disk crashes: seed " + SEED);
        return ApiWorkload.steps().entrySet().stream()
                .map(step -> DynamicTest.dynamicTest(step.getKey(), () -> explore(step.getValue())))
                .toList();
    }

    private void explore(Step step) throws Exception {
        PoolState before = PoolState.of(pool);
        points = 0;
        found.clear();
        machine.beforeEachStep(this::mayCrash);
        try {
            step.run(pool);
        } finally {
            machine.beforeEachStep(() -> {});
        }
        PoolState after = PoolState.of(pool);
        judge(List.of(before, after));
        for (int i = 0; i < 2 * CUTS; i++) {
            crash("returned");
        }
        judge(List.of(after));
    }

    private void judge(List<PoolState> allowed) {
        found.forEach((state, where) -> assertThat(allowed).as(where).contains(state));
        found.clear();
    }

    private void mayCrash() {
        if (looking) {
            return;
        }
        looking = true;
        points++;
        if (random.nextInt(MOST_ORDERS_TO_ONE_CHECKPOINT) == 0) {
            machine.writeSomeBack();
        }
        if (random.nextInt(points) < CUTS) {
            crash("point " + points);
        }
        looking = false;
        if (random.nextInt(MOST_ORDERS_TO_ONE_CHECKPOINT + points) == 0) {
            machine.checkpoint();
        }
    }

    private void crash(String where) {
        if (cuts++ % STRIDE != 0) {
            return;
        }
        boolean byKill = random.nextInt(4) == 0;
        try (DiskMachine second = machine.crash(byKill)) {
            states++;
            if (random.nextInt(8) == 0) {
                cutRecovery(second, where);
            }
            ObjectPool recovered = open(second);
            assertThat(recovered.check().inconsistencies()).as(where).isEmpty();
            found.putIfAbsent(PoolState.of(recovered), where + (byKill ? ", killed" : ""));
        }
    }

    /** A recovery is cut, too: what it leaves must lead to the same. */
    private void cutRecovery(DiskMachine of, String where) {
        int[] step = {0};
        int at = random.nextInt(40);
        of.beforeEachStep(
                () -> {
                    if (step[0]++ == at) {
                        try (DiskMachine third = of.crash(random.nextBoolean())) {
                            states++;
                            ObjectPool recovered = open(third);
                            found.putIfAbsent(
                                    PoolState.of(recovered), where + ", recovery cut at " + at);
                        }
                    }
                });
    }

    @AfterAll
    void print() {
        System.out.println("disk crashes: " + states + " states recovered");
        pool.close();
        machine.close();
        assertThat(states).isGreaterThan(200 / STRIDE);
    }
}
