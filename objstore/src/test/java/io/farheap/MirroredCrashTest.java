package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.CrashEnumeration.Step;
import io.farheap.layout.Descriptor;
import io.farheap.memory.CrashSimulation;
import io.farheap.memory.CrashSimulation.Loss;
import io.farheap.memory.MirroredPersistence;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * A pool with a local replica loses power in every operation: each copy by itself is a pool at a
 * transaction boundary, and opened together they are equal again.
 */
class MirroredCrashTest {
    private static final long SIZE = 12 << 20;
    private static final long SEED = 20261121;

    /** One in so many flushes and fences is cut off. */
    private static final int STRIDE = 8;

    /** Here all are, several times: no log knows what one copy has and the other lacks. */
    private static final Set<String> NOT_LOGGED =
            Set.of("allocate alone", "free alone", "allocate a huge block");

    private final CrashSimulation machine = new CrashSimulation(2 * SIZE);
    private final PoolMemory memory = mirrored(machine);
    private int crashes;
    private int steps;

    /** The first half of a machine's memory, mirrored to the second. */
    private static PoolMemory mirrored(CrashSimulation machine) {
        MemorySegment image = machine.memory().image();
        Persistence second =
                new Persistence() {
                    @Override
                    public void flush(long offset, long length) {
                        machine.flush(SIZE + offset, length);
                    }

                    @Override
                    public void fence() {
                        machine.fence();
                    }
                };
        MemorySegment[] copies = {image.asSlice(SIZE, SIZE)};
        MemorySegment master = image.asSlice(0, SIZE);
        return new PoolMemory(
                master,
                new MirroredPersistence(master, machine, copies, new Persistence[] {second}));
    }

    private static ObjectPool open(PoolMemory memory) {
        return SimulatedPool.open(memory, new RecordingSink());
    }

    @Test
    void eachCopyIsAPoolAndTogetherTheyAreEqualAgain() throws Exception {
        SimulatedPool.format(memory);
        ObjectPool pool = SimulatedPool.open(memory, null);
        for (var step : ApiWorkload.steps().entrySet()) {
            enumerate(pool, step.getKey(), step.getValue());
        }
        assertThat(crashes).as("crashes tried").isGreaterThan(150);
    }

    private void enumerate(ObjectPool pool, String name, Step step) throws Exception {
        PoolState before = PoolState.of(pool);
        Map<PoolState, String> found = new LinkedHashMap<>();
        machine.beforeEachStep(
                () -> {
                    int times = ++steps % STRIDE == 0 ? 1 : 0;
                    for (int i = 0; i < (NOT_LOGGED.contains(name) ? 6 : times); i++) {
                        crash(name, found);
                    }
                });
        step.run(pool);
        machine.beforeEachStep(() -> {});
        List<PoolState> boundaries = List.of(before, PoolState.of(pool));
        found.forEach((state, where) -> assertThat(state).as(where).isIn(boundaries));
    }

    private void crash(String name, Map<PoolState, String> found) {
        Loss loss = Loss.values()[++crashes % Loss.values().length];
        String where =
                "%s, step %d, crash %d, loss %s, seed %d"
                        .formatted(name, steps, crashes, loss, SEED);
        CrashSimulation restarted = machine.crash(loss, new Random(SEED + crashes));
        MemorySegment image = restarted.memory().image();
        MemorySegment replica = image.asSlice(SIZE, SIZE);

        found.putIfAbsent(recovered(new CrashSimulation(replica), where), "replica, " + where);

        PoolMemory both = mirrored(restarted);
        Descriptor descriptor = new Descriptor(both);
        // What the files' opening does before the pool's.
        long lanes = descriptor.lanesOffset();
        both.persist(lanes, descriptor.heapOffset() - lanes);
        ObjectPool.alignReplicas(both);
        PoolState state = PoolState.of(open(both));
        PoolState.assertHeapIsSound(both, where);
        found.putIfAbsent(state, where);
        assertThat(recovered(new CrashSimulation(replica), where))
                .as("replica of what was recovered, %s", where)
                .isEqualTo(state);
    }

    private static PoolState recovered(CrashSimulation copy, String where) {
        ObjectPool pool = open(copy.memory());
        PoolState.assertHeapIsSound(copy.memory(), "replica, " + where);
        return PoolState.of(pool);
    }
}
