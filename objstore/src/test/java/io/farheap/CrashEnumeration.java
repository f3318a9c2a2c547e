package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.memory.CrashSimulation;
import io.farheap.memory.CrashSimulation.Loss;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Cuts the power before every flush and every fence of some steps, in several ways, and checks that
 * recovery finds the pool as it was before the step or as it is after it.
 */
final class CrashEnumeration {
    /** One or more transactions; each must be one step from boundary to boundary. */
    @FunctionalInterface
    interface Step {
        void run(ObjectPool pool) throws Exception;
    }

    private final CrashSimulation machine;
    private final long seed;
    private final int randomLosses;
    private final Map<PoolState, String> found = new LinkedHashMap<>();
    private final Map<Loss, MemorySegment> lastImages = new EnumMap<>(Loss.class);
    private int crashes;
    private int recoveriesCut;
    private int firstFlush = -1;
    private int firstFence = -1;

    /** Power is lost again during the recovery of one in so many crashes. */
    private static final int RECOVERIES_CUT_SHORT = 5;

    CrashEnumeration(CrashSimulation machine, long seed, int randomLosses) {
        this.machine = machine;
        this.seed = seed;
        this.randomLosses = randomLosses;
    }

    int crashes() {
        return crashes;
    }

    int recoveriesCut() {
        return recoveriesCut;
    }

    /** Leaves out the crashes before this flush and this fence, which show nothing new. */
    CrashEnumeration after(int flush, int fence) {
        firstFlush = flush;
        firstFence = fence;
        return this;
    }

    /** Runs one step on the open pool and checks every crash in it. */
    void step(ObjectPool pool, String name, Step step) {
        PoolState before = PoolState.of(pool);
        found.clear();
        lastImages.clear();
        machine.beforeEachStep(() -> crashNow(name));
        try {
            step.run(pool);
        } catch (Exception e) {
            throw new AssertionError(name, e);
        } finally {
            machine.beforeEachStep(() -> {});
        }
        PoolState after = PoolState.of(pool);
        List<PoolState> allowed = new ArrayList<>(List.of(before, after));
        found.forEach((state, where) -> assertThat(state).as(where).isIn(allowed));
        found.clear();
        lastImages.clear();
        crashNow(name + " returned");
        found.forEach((state, where) -> assertThat(state).as(where).isEqualTo(after));
    }

    private void crashNow(String name) {
        if (machine.flushes() <= firstFlush || machine.fences() <= firstFence) {
            return;
        }
        crash(Loss.NONE, name, 0);
        crash(Loss.ALL, name, 0);
        for (int i = 0; i < randomLosses; i++) {
            crash(Loss.RANDOM, name, i);
        }
    }

    private void crash(Loss loss, String name, int round) {
        crashes++;
        String where =
                String.format(
                        "%s: loss %s %d, after %d flushes and %d fences, seed %d",
                        name, loss, round, machine.flushes(), machine.fences(), seed);
        Random random = new Random(seed + 31L * crashes);
        CrashSimulation restarted = machine.crash(loss, random);
        MemorySegment image = restarted.memory().image();
        MemorySegment last = lastImages.get(loss);
        if (last != null && image.mismatch(last) < 0) {
            return;
        }
        lastImages.put(loss, Arena.ofAuto().allocate(image.byteSize()).copyFrom(image));
        try {
            if (crashes % RECOVERIES_CUT_SHORT == 0) {
                restarted = cutShort(restarted, random);
            }
            ObjectPool recovered = SimulatedPool.open(restarted, new RecordingSink());
            PoolState.assertHeapIsSound(restarted.memory(), where);
            found.putIfAbsent(PoolState.of(recovered), where);
            if (loss == Loss.ALL) {
                useAndCheck(recovered, restarted, where);
            }
        } catch (RuntimeException e) {
            throw new AssertionError(where, e);
        }
    }

    /** Lets recoveries lose power, too, one after another; what is left is for the next one. */
    private CrashSimulation cutShort(CrashSimulation crashed, Random random) {
        CrashSimulation last = crashed;
        for (int i = 0; i < 3; i++) {
            CrashSimulation recovering = last;
            CrashSimulation[] left = new CrashSimulation[1];
            int stop = recovering.fences() + random.nextInt(8);
            recovering.beforeEachStep(
                    () -> {
                        if (left[0] == null && recovering.fences() == stop) {
                            left[0] = recovering.crash(Loss.RANDOM, random);
                        }
                    });
            ObjectPool unused = SimulatedPool.open(recovering, new RecordingSink());
            if (left[0] == null) {
                return recovering;
            }
            recoveriesCut++;
            last = left[0];
        }
        return last;
    }

    /** A recovered pool is a pool: it allocates, frees, and its heap stays sound. */
    private static void useAndCheck(ObjectPool pool, CrashSimulation machine, String where) {
        pool.transaction(
                tx -> {
                    for (Ref object : tx.objects(WORKLOAD_GARBAGE)) {
                        tx.free(object);
                    }
                    tx.setLong(tx.allocate(100, WORKLOAD_GARBAGE), 0, 1);
                });
        PoolState.assertHeapIsSound(machine.memory(), "used, " + where);
    }

    private static final long WORKLOAD_GARBAGE = 4711;
}
