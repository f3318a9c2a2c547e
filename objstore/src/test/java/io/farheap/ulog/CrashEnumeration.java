package io.farheap.ulog;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs a workload and cuts the power before every flush and fence, with none, all and random
 * subsets of the words lost that are not durable; recovers each time and checks that the data is
 * that of a transaction boundary, that no extension is lost, and that nothing was there that would
 * lead libpmemobj's recovery astray.
 */
final class CrashEnumeration {
    private final TestImage image;
    private final List<LaneTransaction> workload;
    private final Random random;
    private final int samples;
    private LogChecksums checksums = new LogChecksums();
    private int dropFlush = -1;
    private int dropFence = -1;
    private int stride = 1;
    private int points;
    private int crashes;

    /**
     * What all transactions but the last cost, so that there is still somebody to notice.
     *
     * @param expendableFlushes those that recovery can do without
     */
    record Costs(
            int flushes,
            int fences,
            Set<Integer> expendableFlushes,
            Set<Integer> expendableFences) {
        /** The last flush and the last fence. */
        void expend(CrashSimulation machine) {
            expendableFlushes.add(machine.flushes() - 1);
            expendableFences.add(machine.fences() - 1);
        }

        /** The flush, or fence, that the operation makes. */
        void expend(CrashSimulation machine, Runnable operation) {
            int flush = machine.flushes();
            int fence = machine.fences();
            operation.run();
            if (machine.flushes() > flush) {
                expendableFlushes.add(flush);
            }
            if (machine.fences() > fence) {
                expendableFences.add(fence);
            }
        }
    }

    /** What is done to the machine after a crash, beyond recovering it. */
    interface Aftermath {
        void follow(CrashSimulation restarted, CrashStates states);
    }

    CrashEnumeration(TestImage image, List<LaneTransaction> workload, long seed, int samples) {
        this.image = image;
        this.workload = workload;
        this.random = new Random(seed);
        this.samples = samples;
    }

    /** Cuts the power at one in so many flushes and fences only. */
    CrashEnumeration atOneIn(int points) {
        stride = points;
        return this;
    }

    CrashEnumeration droppingFlush(int index) {
        dropFlush = index;
        return this;
    }

    CrashEnumeration droppingFence(int index) {
        dropFence = index;
        return this;
    }

    CrashEnumeration trusting(LogChecksums weaker) {
        checksums = weaker;
        return this;
    }

    int crashes() {
        return crashes;
    }

    Costs costsBeforeTheLast() {
        CrashSimulation machine = image.create();
        ModelSpace space = image.space(machine.memory()).reusingMemory();
        Costs costs = new Costs(0, 0, new HashSet<>(), new HashSet<>());
        // A link applied once more is the same link, and its undoing overwrites the internal log;
        // unlinking makes a redo log invalid, and its fences cover what was flushed before.
        space.afterExpendableStep(() -> costs.expend(machine));
        List<LaneTransaction> counted = workload.subList(0, workload.size() - 1);
        CrashStates states =
                new CrashStates(
                        machine.memory(),
                        image.data(),
                        operation -> costs.expend(machine, operation));
        runOn(machine, space, counted, states, Runnable::run);
        return new Costs(
                machine.flushes(),
                machine.fences(),
                costs.expendableFlushes(),
                costs.expendableFences());
    }

    /** Recovers after each crash and checks. */
    void run() {
        run((restarted, states) -> recoverAndCheck(restarted, states));
    }

    /** Cuts the power during each recovery, too, before some of its flushes and fences. */
    void runWithCrashesInRecovery() {
        run(
                (restarted, states) -> {
                    restarted.beforeEachStep(
                            () -> {
                                if (random.nextInt(3) == 0) {
                                    crashAgain(restarted, states);
                                }
                            });
                    recoverAndCheck(restarted, states);
                });
    }

    /** Goes on working after each recovery, and cuts the power in there. */
    void runAndGoOnWith(LaneTransaction... next) {
        run(
                (restarted, states) -> {
                    recoverAndCheck(restarted, states);
                    restarted.beforeEachStep(() -> crashAgain(restarted, states));
                    ModelSpace space = image.space(restarted.memory());
                    runOn(restarted, space, List.of(next), states, Runnable::run);
                });
    }

    private void crashAgain(CrashSimulation restarted, CrashStates states) {
        for (int i = 0; i < 2; i++) {
            Loss loss = i == 0 ? Loss.ALL : Loss.RANDOM;
            recoverAndCheck(restarted.crash(loss, random), new CrashStates(states));
        }
    }

    void run(Aftermath aftermath) {
        CrashSimulation machine = image.create();
        machine.dropFlush(dropFlush);
        machine.dropFence(dropFence);
        CrashStates states = new CrashStates(machine.memory(), image.data(), Runnable::run);
        machine.beforeEachStep(() -> crash(machine, states, aftermath));
        runOnThreads(machine, states);
        crash(machine, states, aftermath);
    }

    /** Each lane has a thread of its own: no fence covers what another lane flushed. */
    private void runOnThreads(CrashSimulation machine, CrashStates states) {
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            ModelSpace space = image.space(machine.memory()).reusingMemory();
            runOn(machine, space, workload, states, task -> join(other.submit(task)));
        }
    }

    private void runOn(
            CrashSimulation machine,
            ModelSpace space,
            List<LaneTransaction> transactions,
            CrashStates states,
            Executor oddLanes) {
        PoolMemory memory = machine.memory();
        Lane[] lanes = new Lane[TestImage.LANES];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = image.lane(memory, i, space);
        }
        for (LaneTransaction transaction : transactions) {
            Lane lane = lanes[transaction.lane];
            Executor thread = transaction.lane % 2 == 0 ? Runnable::run : oddLanes;
            thread.execute(() -> transaction.run(memory, image.data(), lane, states));
        }
    }

    private static void join(Future<?> task) {
        try {
            task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) e.getCause();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void crash(CrashSimulation machine, CrashStates states, Aftermath aftermath) {
        if (machine.flushes() <= dropFlush || machine.fences() <= dropFence) {
            return; // nothing has been left out yet
        }
        if (points++ % stride != 0) {
            return;
        }
        for (int i = 0; i < samples + 2; i++) {
            Loss loss = i == 0 ? Loss.NONE : i == 1 ? Loss.ALL : Loss.RANDOM;
            crashes++;
            aftermath.follow(machine.crash(loss, random), new CrashStates(states));
        }
    }

    private void recoverAndCheck(CrashSimulation machine, CrashStates states) {
        PoolMemory memory = machine.memory();
        new TrustingReader(memory).walk();
        ModelSpace space = image.recover(memory, checksums);
        states.recovered(memory, image.data());
        assertThat(memory.getLong(image.victim()))
                .as("a word that only garbage names")
                .isEqualTo(TestImage.VICTIM);
        new LaneRecovery(new LaneArea(memory)).releaseExtensions(space);
        assertThat(space.allocated()).as("extensions that no lane has").isZero();
    }
}
