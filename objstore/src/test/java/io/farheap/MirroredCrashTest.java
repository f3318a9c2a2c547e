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
import java.lang.foreign.ValueLayout;
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
            Set.of(
                    "allocate alone",
                    "free alone",
                    "grow the heap",
                    "allocate a huge block",
                    "atomic: allocate alone",
                    "atomic: free alone",
                    "actions: one value",
                    "set one field",
                    "memory: set one word");

    private final CrashSimulation machine = new CrashSimulation(2 * SIZE);
    private final PoolMemory memory = mirrored(machine);
    private int crashes;
    private int switchesCut;
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
        assertThat(switchesCut).as("crashes between two numbers").isGreaterThan(3);
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

    /** What the files' opening does before the pool's. */
    private static void prepare(PoolMemory both) {
        Descriptor descriptor = new Descriptor(both);
        long lanes = descriptor.lanesOffset();
        both.persist(lanes, descriptor.heapOffset() - lanes);
        PoolOpening.alignReplicas(both);
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
        prepare(both);
        PoolState state = PoolState.of(open(both));
        PoolState.assertHeapIsSound(both, where);
        found.putIfAbsent(state, where);
        assertThat(recovered(new CrashSimulation(replica), where))
                .as("replica of what was recovered, %s", where)
                .isEqualTo(state);
        if (crashes % 16 == 0) {
            reopenAndCrashInTheSwitch(machine.crash(loss, new Random(SEED + crashes)), where);
        }
    }

    /**
     * Then the copies have two numbers, and opening wants no other difference: of what counts there
     * is none. What the first crash left in memory that is free again may differ.
     */
    private void reopenAndCrashInTheSwitch(CrashSimulation opening, String where) {
        PoolMemory both = mirrored(opening);
        prepare(both);
        Descriptor descriptor = new Descriptor(both);
        long before = descriptor.runId();
        Random random = new Random(SEED + crashes);
        opening.beforeEachStep(
                () -> {
                    if (descriptor.runId() != before) {
                        MemorySegment image = opening.crash(Loss.RANDOM, random).memory().image();
                        compareOthersThanRunId(image, where);
                    }
                });
        SimulatedPool.open(both, null);
    }

    private void compareOthersThanRunId(MemorySegment image, String where) {
        MemorySegment master = image.asSlice(0, SIZE);
        MemorySegment copy = image.asSlice(SIZE, SIZE);
        long number = Descriptor.RUN_ID;
        if (master.get(ValueLayout.JAVA_LONG, number) == copy.get(ValueLayout.JAVA_LONG, number)) {
            return;
        }
        switchesCut++;
        String place = "opening cut in the switch after " + where;
        long from = Descriptor.ROOT_SIZE;
        long heap = Descriptor.DEFAULT_HEAP_OFFSET;
        assertThat(MemorySegment.mismatch(master, from, heap, copy, from, heap))
                .as("first difference of descriptor and lanes, %s", place)
                .isEqualTo(-1);
        assertThat(recovered(new CrashSimulation(copy), place))
                .as(place)
                .isEqualTo(recovered(new CrashSimulation(master), place));
    }

    private static PoolState recovered(CrashSimulation copy, String where) {
        ObjectPool pool = open(copy.memory());
        PoolState.assertHeapIsSound(copy.memory(), "replica, " + where);
        return PoolState.of(pool);
    }
}
