package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.Ref;
import io.farheap.testing.CrashChoices;
import io.farheap.testing.CrashPoint;
import io.farheap.testing.CrashPoint.State;
import io.farheap.testing.CrashSimulation;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * A machine that comes up again and again with what a power loss left, recovers, and says which
 * state its pool is in. Belongs to one thread at a time.
 */
final class CrashVictim {
    private static final long GARBAGE_TYPE = 4711;

    /** One in so many states is used after recovery, to see that it is a pool like any other. */
    private static final int USED = 16;

    private static final int RECOVERY_CHOICES = 4;

    private final CrashSimulation machine;
    private CrashVictim second;
    private int generation = -1;

    /** What all the states of one operation have in common. */
    record Scene(
            MemorySegment base,
            int generation,
            int recoveriesCut,
            Set<Long> seen,
            BiConsumer<PoolState, String> found) {}

    CrashVictim(long size) {
        machine = new CrashSimulation(size);
    }

    /** Recovers the state, and tells which one the pool is in then. */
    void recover(Scene scene, State state, String where) {
        boolean cut = Long.remainderUnsigned(state.hash(), scene.recoveriesCut) == 0;
        recover(scene, state, where, cut);
    }

    private void recover(Scene scene, State state, String where, boolean cut) {
        machine.restore(scene.base, generation != scene.generation);
        generation = scene.generation;
        state.restore(machine);
        try {
            if (cut) {
                cutRecovery(scene, state, where);
            }
            ObjectPool pool = SimulatedPool.open(machine, new RecordingSink());
            machine.beforeEachStep(() -> {});
            assertThat(pool.check().inconsistencies()).as(where).isEmpty();
            scene.found.accept(PoolState.of(pool), where);
            if (Long.remainderUnsigned(state.hash() >>> 8, USED) == 0) {
                useAndCheck(pool, where);
            }
        } catch (RuntimeException e) {
            throw new AssertionError(where, e);
        }
    }

    /** At each of its own flushes and fences the recovery loses power too. */
    private void cutRecovery(Scene scene, State state, String where) {
        if (second == null) {
            second = new CrashVictim(scene.base.byteSize());
        }
        Random random = new Random(state.hash());
        int first = machine.flushes() + machine.fences();
        machine.beforeEachStep(
                () -> {
                    int step = machine.flushes() + machine.fences() - first;
                    var words = machine.knownUnsettled();
                    CrashPoint point =
                            new CrashPoint(
                                    scene.base, CrashPoint.difference(machine, scene.base), words);
                    CrashChoices.of(
                            words,
                            RECOVERY_CHOICES,
                            1,
                            random,
                            choice -> {
                                long hash = point.hash(choice);
                                if (scene.seen.add(hash)) {
                                    second.recover(
                                            scene,
                                            point.state(choice, hash),
                                            where + ", recovery cut at its step " + step,
                                            false);
                                }
                            });
                });
    }

    /** A recovered pool is a pool: it allocates, frees, and its heap stays sound. */
    private void useAndCheck(ObjectPool pool, String where) {
        pool.transaction(
                tx -> {
                    for (Ref object : tx.objects(GARBAGE_TYPE)) {
                        tx.free(object);
                    }
                    tx.setLong(tx.allocate(100, GARBAGE_TYPE), 0, 1);
                });
        assertThat(pool.check().inconsistencies()).as("used, %s", where).isEmpty();
    }
}
