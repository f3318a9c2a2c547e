package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.CrashEnumeration.Step;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.engine.PoolEngine;
import io.farheap.memory.DiskMachine;
import io.farheap.memory.NoPersistence;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Power losses and kills in every operation of a pool with two local replicas, each with a disk
 * journal on a disk of its own: together, alone, or with one journal lost, they recover to the
 * state before the operation or to the one after it; when it has returned, to the one after it.
 */
@Tag("enumerated")
class DiskCopiesCrashTest {
    private static final long SEED = Long.getLong("crash.seed", 20261126);

    /** About so many times the logarithm of its steps an operation is cut. */
    private static final int CUTS = Integer.getInteger("disk.cuts", 1);

    private static final int MOST_STEPS_TO_ONE_CHECKPOINT = 12;

    /** Machines are large. */
    private static final int MOST_APART = 3;

    /** Bytes of the root object: what a lane logs without an extension, in one batch. */
    private static final long ROOT = 512;

    /** A word that is torn has to be chosen among those that are not synced. */
    private static final int LOSSES = 8;

    /** What is left after a crash. */
    private enum Left {
        ALL,
        FIRST,
        SECOND,
        ALL_BUT_FIRST_JOURNAL,
        ALL_BUT_SECOND_JOURNAL
    }

    private final Random random = new Random(SEED);
    private final DiskMachine machine = DiskMachine.with(formatted(), 2, random);
    private final ObjectPool pool = open(machine);
    private final Map<PoolState, String> found = new HashMap<>();
    private boolean looking;
    private int points;
    private int states;
    private int apart;

    private static MemorySegment formatted() {
        MemorySegment image = Arena.ofAuto().allocate(CrashStatesTest.SIZE, 4096);
        SimulatedPool.format(new PoolMemory(image, new NoPersistence()));
        return image;
    }

    private static ObjectPool open(DiskMachine on) {
        return ObjectPool.over(
                PoolEngine.open(on.open(), SimulatedPool.SETTINGS, null), SimulatedPool.POOL_ID);
    }

    @AfterEach
    void close() {
        pool.close();
        machine.close();
    }

    @Test
    void whateverIsLeftRecoversToATransactionBoundary() throws Exception {
        System.out.println("disk crashes with two local replicas: seed " + SEED);
        for (Map.Entry<String, Step> step : ApiWorkload.steps().entrySet()) {
            explore(step.getKey(), step.getValue());
        }
        System.out.println(states + " states recovered, in " + apart + " the files were apart");
        assertThat(states).as("crashes").isGreaterThan(150);
        assertThat(apart).as("with files that differ").isGreaterThan(5);
    }

    private void explore(String name, Step step) throws Exception {
        PoolState before = PoolState.of(pool);
        points = 0;
        machine.beforeEachStep(() -> mayCrash(name));
        try {
            step.run(pool);
        } finally {
            machine.beforeEachStep(() -> {});
        }
        PoolState after = PoolState.of(pool);
        judge(List.of(before, after));
        for (int i = 0; i < CUTS; i++) {
            crash(anyLeft(), name + ", returned");
        }
        judge(List.of(after));
    }

    private void judge(List<PoolState> allowed) {
        found.forEach((state, where) -> assertThat(allowed).as(where).contains(state));
        found.clear();
    }

    private void mayCrash(String step) {
        if (looking) {
            return;
        }
        looking = true;
        points++;
        if (random.nextInt(MOST_STEPS_TO_ONE_CHECKPOINT) == 0) {
            machine.writeSomeBack();
        }
        if (random.nextInt(points) < CUTS) {
            crash(anyLeft(), step + ", point " + points);
        }
        looking = false;
        if (random.nextInt(MOST_STEPS_TO_ONE_CHECKPOINT + points) == 0) {
            machine.checkpoint();
        }
    }

    private Left anyLeft() {
        return Left.values()[random.nextInt(Left.values().length)];
    }

    private void crash(Left left, String where) {
        states++;
        try (DiskMachine second = left(machine.crash(random.nextInt(4) == 0), left)) {
            apart += second.isLevel() ? 0 : 1;
            if (random.nextInt(8) == 0) {
                cutRecovery(second, left, where + ", " + left);
            }
            ObjectPool recovered = open(second);
            assertThat(second.isLevel()).as("files are the same, %s", where).isTrue();
            assertThat(recovered.check().inconsistencies()).as(where).isEmpty();
            found.putIfAbsent(PoolState.of(recovered), "seed " + SEED + ", " + where + ", " + left);
        }
    }

    private static DiskMachine left(DiskMachine crashed, Left left) {
        return switch (left) {
            case ALL -> crashed;
            case FIRST -> crashed.alone(0);
            case SECOND -> crashed.alone(1);
            case ALL_BUT_FIRST_JOURNAL -> crashed.withoutJournal(0);
            case ALL_BUT_SECOND_JOURNAL -> crashed.withoutJournal(1);
        };
    }

    /** A recovery is cut, too: what it leaves, or one disk of that, must lead to the same. */
    private void cutRecovery(DiskMachine of, Left left, String where) {
        int[] step = {0};
        int at = random.nextInt(60);
        of.beforeEachStep(
                () -> {
                    if (step[0]++ == at) {
                        DiskMachine all = of.crash(random.nextBoolean());
                        boolean isLost = left == Left.ALL && random.nextBoolean();
                        try (DiskMachine third = isLost ? all.alone(random.nextInt(2)) : all) {
                            states++;
                            found.putIfAbsent(
                                    PoolState.of(open(third)),
                                    "seed " + SEED + ", " + where + ", recovery cut at " + at);
                        }
                    }
                });
    }

    /** Many words: half of them is no state of the pool. */
    private void set(Ref root, long value) {
        set(pool, root, value);
    }

    private static void set(ObjectPool in, Ref root, long value) {
        in.transaction(
                tx -> {
                    for (long at = 0; at < ROOT; at += Long.BYTES) {
                        tx.setLong(root, at, value);
                    }
                });
    }

    /** The first crashes in a transaction that leave journals with different ends. */
    private List<DiskMachine> crashesInATransaction(Ref root) {
        List<DiskMachine> all = new ArrayList<>();
        machine.beforeEachStep(
                () -> {
                    DiskMachine crashed = machine.crash(false);
                    if (all.size() < MOST_APART && !crashed.hasLevelJournals()) {
                        all.add(crashed);
                    }
                });
        set(root, 2);
        machine.beforeEachStep(() -> {});
        return all;
    }

    /**
     * The batch that only one of the journals has is replayed from it to all replicas: it must be
     * in the others' journals before, or a replica that is left alone in the midst of that has half
     * of it.
     */
    @Test
    void aRecoveryThatIsCutLeavesEachReplicaByItselfWhole() {
        Ref root = pool.root(ROOT);
        set(root, 1);
        machine.checkpoint(); // else its own journal would put right what is half
        PoolState before = PoolState.of(pool);
        List<DiskMachine> all = crashesInATransaction(root);
        List<PoolState> allowed = List.of(before, PoolState.of(pool));

        assertThat(all).as("crashes between the journals").isNotEmpty();
        for (DiskMachine crashed : all) {
            int steps = cutAtEachStep(crashed, 1, third -> mustRecover(third, allowed));
            assertThat(steps).as("steps of the recovery").isGreaterThan(10);
            crashed.close();
        }
    }

    /**
     * A batch whose sync failed is in that journal's page cache alone, and taken for written: it
     * must be on the disk before it is replayed to any files.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void norIsTheBatchLostWhoseSyncFailed(int failing) {
        try (DiskMachine failed = DiskMachine.with(formatted(), 2, random)) {
            ObjectPool failedPool = open(failed);
            Ref root = failedPool.root(ROOT);
            set(failedPool, root, 1);
            failed.checkpoint();
            PoolState before = PoolState.of(failedPool);
            failed.failNextSyncOfJournal(failing);
            assertThatThrownBy(() -> set(failedPool, root, 2)).isInstanceOf(FarheapException.class);
            PoolState after = stateOf(failed.crash(true));
            assertThat(after).as("the batch is in a page cache").isNotEqualTo(before);

            int steps =
                    cutAtEachStep(
                            failed, LOSSES, third -> mustRecover(third, List.of(before, after)));
            assertThat(steps).as("steps of the recovery").isGreaterThan(10);
        }
    }

    private static PoolState stateOf(DiskMachine crashed) {
        try (crashed) {
            return PoolState.of(open(crashed));
        }
    }

    private static void mustRecover(DiskMachine cut, List<PoolState> allowed) {
        for (int left = 0; left < 2; left++) {
            assertThat(stateOf(cut.alone(left))).as("replica %d is left", left).isIn(allowed);
        }
    }

    /**
     * The recovery of one replica alone is cut before it takes the mark away, and the other one
     * comes back: what only that one's journal has must reach its files, or both are refused.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aReplicaThatWasAwayLosesNothing(int away) {
        Ref root = pool.root(ROOT);
        set(root, 1);
        PoolState before = PoolState.of(pool);
        List<DiskMachine> all = crashesInATransaction(root);
        PoolState after = PoolState.of(pool);
        all.add(machine.crash(false));
        int[] refused = {0};
        for (DiskMachine crashed : all) {
            boolean hasReturned = crashed == all.get(all.size() - 1);
            List<PoolState> allowed = hasReturned ? List.of(after) : List.of(before, after);
            int unused =
                    cutAtEachStep(
                            crashed.alone(1 - away),
                            1,
                            cut ->
                                    refused[0] +=
                                            isRefused(
                                                    crashed.crash(true).beside(away, cut),
                                                    allowed));
            crashed.close();
        }
        // The first journal alone has the batch that the crash came in.
        assertThat(refused[0] > 0).as("%d were refused", refused[0]).isEqualTo(away == 1);
    }

    /** What this life reads, and may base a commit on, must not go away with the power. */
    @Test
    void whatAProgramWithoutAJournalLeftInThePageCacheIsOnEachDiskOnceThePoolIsOpen() {
        long word = CrashStatesTest.SIZE - 4096;
        try (DiskMachine killed = DiskMachine.with(formatted(), 2, random)) {
            killed.leaveUnsynced(word, 42);
            PoolMemory unused = killed.open();
            assertThat(killed.onDisk(0, word)).isEqualTo(42);
            assertThat(killed.onDisk(1, word)).isEqualTo(42);
        }
    }

    /** The superblock that a checkpoint wrote is in the page cache alone, and taken for written. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aSyncThatFailedLeavesEachJournalASuperblock(int failing) {
        try (DiskMachine failed = DiskMachine.with(formatted(), 2, random)) {
            List<PoolState> allowed = List.of(PoolState.of(open(failed)));
            failed.failNextSyncOfJournal(failing);
            assertThatThrownBy(failed::checkpoint).isInstanceOf(FarheapException.class);

            int steps = cutAtEachStep(failed, LOSSES, third -> mustRecover(third, allowed));

            assertThat(steps).as("steps of the recovery").isGreaterThan(10);
        }
    }

    private static int isRefused(DiskMachine both, List<PoolState> allowed) {
        try (both) {
            assertThat(PoolState.of(open(both))).isIn(allowed);
            assertThat(both.isLevel()).as("files are the same").isTrue();
            return 0;
        } catch (FarheapException e) {
            assertThat(e).hasMessageContaining("was away").hasMessageContaining("nothing was");
            return 1;
        }
    }

    /**
     * Recovers what a crash has left again and again, each time cut at a later step.
     *
     * @param losses how often each cut loses some of what is not synced then
     * @return how many steps the recovery has
     */
    private static int cutAtEachStep(DiskMachine crashed, int losses, Consumer<DiskMachine> then) {
        int[] steps = {0};
        for (int cut = 0; cut == 0 || steps[0] > cut; cut++) {
            int at = cut;
            steps[0] = 0;
            try (DiskMachine second = crashed.crash(true)) {
                second.beforeEachStep(
                        () -> {
                            int times = steps[0]++ == at ? losses : 0;
                            for (int i = 0; i < times; i++) {
                                try (DiskMachine third = second.crash(false)) {
                                    then.accept(third);
                                }
                            }
                        });
                PoolMemory unused = second.open();
                second.beforeEachStep(() -> {});
            }
        }
        return steps[0];
    }
}
