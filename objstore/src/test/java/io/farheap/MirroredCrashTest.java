package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.CrashEnumeration.Step;
import io.farheap.base.Ref;
import io.farheap.base.StatisticsMode;
import io.farheap.check.OpeningCheck;
import io.farheap.heap.CoalescingInC;
import io.farheap.heap.MemoryInUse;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import io.farheap.ulog.LaneArea;
import io.farheap.ulog.LaneRecovery;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A pool with a local replica loses power in every operation: each copy by itself is a pool at a
 * transaction boundary, and opened together they are equal again.
 */
class MirroredCrashTest {
    private static final long SIZE = 12 << 20;
    private static final long SEED = 20261121;

    private static final boolean DEEP = Boolean.getBoolean("test.deep");

    /** One in so many flushes and fences is cut off. */
    private static final int STRIDE = DEEP ? 8 : 32;

    private static final int TIMES_NOT_LOGGED = DEEP ? 6 : 1;

    /** After one in so many crashes the opening is cut, too. */
    private static final int OPENINGS_CUT = DEEP ? 16 : 8;

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

    private final MirroredMachine machine = new MirroredMachine(SIZE);
    private final PoolMemory memory = machine.memory();

    /** Used again for each crash: new memory of this size would take most of its time. */
    private final CrashSimulation alone = new CrashSimulation(SIZE);

    private final MirroredMachine afterCrash = new MirroredMachine(SIZE);
    private final MirroredMachine afterSecond = new MirroredMachine(SIZE);

    private int crashes;
    private int switchesCut;
    private int steps;
    private int cuts;

    private static ObjectPool open(PoolMemory memory) {
        return SimulatedPool.open(memory, new RecordingSink());
    }

    @Test
    @Tag("sliced")
    void eachCopyIsAPoolAndTogetherTheyAreEqualAgain() throws Exception {
        SimulatedPool.format(memory);
        ObjectPool pool = SimulatedPool.open(memory, null);
        for (var step : ApiWorkload.steps().entrySet()) {
            enumerate(pool, step.getKey(), step.getValue());
        }
        assertThat(crashes).as("crashes tried").isGreaterThan(DEEP ? 150 : 30);
        assertThat(switchesCut).as("crashes between two numbers").isGreaterThan(DEEP ? 3 : 0);
    }

    private void enumerate(ObjectPool pool, String name, Step step) throws Exception {
        PoolState before = PoolState.of(pool);
        Map<PoolState, String> found = new LinkedHashMap<>();
        machine.beforeEachStep(
                () -> {
                    int times = ++steps % STRIDE == 0 ? 1 : 0;
                    for (int i = 0;
                            i < (NOT_LOGGED.contains(name) ? TIMES_NOT_LOGGED : times);
                            i++) {
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
        OpeningCheck.alignReplicas(both);
    }

    private Random random() {
        return new Random(SEED + crashes);
    }

    private void crash(String name, Map<PoolState, String> found) {
        crashes++;
        String where = "%s, step %d, crash %d, seed %d".formatted(name, steps, crashes, SEED);
        MirroredMachine restarted = machine.crash(crashes, random(), afterCrash);

        coalescedInC(restarted.copy());
        coalescedInC(restarted.master());
        found.putIfAbsent(recovered(restarted.copy(), where), "replica, " + where);

        PoolMemory both = restarted.memory();
        prepare(both);
        PoolState state = PoolState.of(open(both));
        PoolState.assertHeapIsSound(both, where);
        found.putIfAbsent(state, where);
        assertThat(recovered(restarted.copy(), where))
                .as("replica of what was recovered, %s", where)
                .isEqualTo(state);
        if (crashes % OPENINGS_CUT == 0) {
            reopenAndCrashInTheSwitch(machine.crash(crashes, random(), afterCrash), where);
        }
    }

    /**
     * Then the copies have two numbers, and opening wants no other difference: of what counts there
     * is none. What the first crash left in memory that is free again may differ.
     */
    private void reopenAndCrashInTheSwitch(MirroredMachine opening, String where) {
        PoolMemory both = opening.memory();
        prepare(both);
        Descriptor descriptor = new Descriptor(both);
        long before = descriptor.runId();
        Random random = random();
        opening.beforeEachStep(
                () -> {
                    if (descriptor.runId() != before) {
                        compareInTheSwitch(opening.crash(++cuts, random, afterSecond), where);
                    }
                });
        SimulatedPool.open(both, null);
    }

    private void compareInTheSwitch(MirroredMachine cut, String where) {
        Descriptor master = new Descriptor(cut.master().memory());
        if (master.runId() != new Descriptor(cut.copy().memory()).runId()) {
            switchesCut++;
            assertThat(differences(cut))
                    .as("words, opening cut in the switch after " + where)
                    .isEmpty();
        }
    }

    /** Where the copies differ in what counts, but for run id and scratch words. */
    private static List<String> differences(MirroredMachine machine) {
        PoolMemory master = machine.master().memory();
        PoolMemory copy = machine.copy().memory();
        BitSet words = MemoryInUse.words(master);
        words.clear((int) (Descriptor.RUN_ID >> 3));
        words.clear((int) (Descriptor.SCRATCH >> 3), (int) (Descriptor.END >> 3));
        return words.stream()
                .mapToLong(word -> (long) word << 3)
                .filter(at -> master.getLong(at) != copy.getLong(at))
                .mapToObj(Long::toHexString)
                .toList();
    }

    /** Durably, before recovery stores anything: from then on both change alike. */
    @Test
    void aligningBringsToTheReplicaWhatACrashKeptFromIt() {
        SimulatedPool.format(memory);
        ObjectPool pool = SimulatedPool.open(memory, null);
        pool.control().setStatistics(StatisticsMode.PERSISTENT);
        Ref unused = pool.root(200);
        MirroredMachine behind = machine.crash(MirroredMachine.ONLY_THE_MASTER, null, afterCrash);
        assertThat(differences(behind)).contains(Long.toHexString(Descriptor.CURR_ALLOCATED));

        prepare(behind.memory());
        MirroredMachine aligned = behind.crash(MirroredMachine.NEITHER, null, afterSecond);
        assertThat(differences(aligned)).isEmpty();
        assertThat(aligned.copy().memory().getLong(Descriptor.CURR_ALLOCATED))
                .isEqualTo(memory.getLong(Descriptor.CURR_ALLOCATED));
    }

    /** A C program opens this copy first. */
    private void coalescedInC(CrashSimulation copy) {
        alone.become(copy);
        new LaneRecovery(new LaneArea(alone.memory())).recoverRedo();
        CoalescingInC.check(alone.memory());
    }

    /** What is found where only this copy is left; leaves it as it is. */
    private PoolState recovered(CrashSimulation copy, String where) {
        alone.become(copy);
        ObjectPool pool = open(alone.memory());
        PoolState.assertHeapIsSound(alone.memory(), "replica, " + where);
        return PoolState.of(pool);
    }
}
