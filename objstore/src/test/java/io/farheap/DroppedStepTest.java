package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.CrashEnumeration.Effort;
import io.farheap.base.Ref;
import io.farheap.testing.CrashSimulation;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Each flush and each fence of a commit is needed: when the machine ignores one of them, the crash
 * enumeration finds a state that is no transaction boundary.
 */
class DroppedStepTest {
    private static final long TYPE = 7;
    private static final long SIZE = 5 << 20;
    private static final long FRESH_BYTES = 304;
    private static final long SEED = 20261121;

    /** One in so many flushes and fences is dropped, of each commit others. */
    private static final int STRIDE = Boolean.getBoolean("test.deep") ? 1 : 4;

    private static final Effort EFFORT = new Effort(64, 8, 1, 16);

    /** A machine with a pool that holds two linked objects, and a run for each size used later. */
    private static CrashSimulation prepared() {
        CrashSimulation machine = SimulatedPool.formatted(SIZE);
        ObjectPool pool = SimulatedPool.open(machine);
        Ref root = pool.root(128);
        pool.transaction(
                tx -> {
                    Ref account = tx.allocateZeroed(100, TYPE);
                    tx.setLong(account, 0, 100);
                    tx.setRef(root, 0, account);
                    tx.setRef(account, 16, tx.allocateZeroed(100, TYPE));
                    tx.setRef(root, 32, tx.allocateZeroed(FRESH_BYTES, TYPE));
                });
        pool.close();
        return machine;
    }

    private static void buffered(ObjectPool pool, long value) {
        pool.transaction(
                tx -> {
                    Ref account = tx.getRef(tx.root(), 0);
                    Ref other = tx.getRef(account, 16);
                    Ref fresh = tx.allocate(FRESH_BYTES, TYPE);
                    for (int at = 0; at < FRESH_BYTES; at += 8) {
                        tx.setLong(fresh, at, value + at);
                    }
                    tx.setLong(account, 0, value);
                    tx.setRef(account, 16, fresh);
                    tx.free(other);
                });
    }

    private static void inPlace(ObjectPool pool, long value) {
        pool.transaction(
                tx -> {
                    Ref account = tx.getRef(tx.root(), 0);
                    tx.snapshot(account, 0, 8).set(ValueLayout.JAVA_LONG, 0, value);
                    tx.snapshot(tx.root(), 64, 8).set(ValueLayout.JAVA_LONG, 0, value);
                });
    }

    private static void fieldsOnly(ObjectPool pool, long value) {
        pool.transaction(
                tx -> {
                    tx.setLong(tx.getRef(tx.root(), 0), 0, value);
                    tx.setLong(tx.root(), 64, value);
                });
    }

    /** A single word commits this, without a redo log. */
    private static void allocationOnly(ObjectPool pool, long value) {
        pool.transaction(
                tx -> {
                    Ref fresh = tx.allocate(FRESH_BYTES, TYPE);
                    for (int at = 0; at < FRESH_BYTES; at += 8) {
                        tx.setLong(fresh, at, value + at);
                    }
                });
    }

    private static void freeOnly(ObjectPool pool) {
        pool.transaction(tx -> tx.free(tx.objects(TYPE).iterator().next()));
    }

    /** On a lane of its own: threads whose numbers differ by a multiple of this share one. */
    private static final int SPREAD = 4 * Runtime.getRuntime().availableProcessors();

    private static void inAnotherThread(Runnable commit) throws InterruptedException {
        Throwable[] failure = new Throwable[1];
        Thread thread;
        do {
            thread =
                    Thread.ofPlatform()
                            .uncaughtExceptionHandler((t, thrown) -> failure[0] = thrown)
                            .unstarted(commit);
        } while ((thread.threadId() - Thread.currentThread().threadId()) % SPREAD == 0);
        thread.start();
        thread.join();
        assertThat(failure[0]).isNull();
    }

    private enum Commit {
        BUFFERED,
        IN_PLACE,
        FIELDS_ONLY,
        ALLOCATION_ONLY,
        FREE_ONLY;

        void run(ObjectPool pool, long value) {
            switch (this) {
                case BUFFERED -> buffered(pool, value);
                case IN_PLACE -> inPlace(pool, value);
                case FIELDS_ONLY -> fieldsOnly(pool, value);
                case ALLOCATION_ONLY -> allocationOnly(pool, value);
                case FREE_ONLY -> freeOnly(pool);
            }
        }

        /** After an allocation, a commit that needs no redo log: one left valid would undo it. */
        void followUp(ObjectPool pool) {
            if (this == BUFFERED) {
                Ref account = pool.getRef(pool.root(), 0);
                pool.transaction(tx -> tx.free(pool.getRef(account, 16)));
            } else {
                run(pool, 2222);
            }
        }
    }

    /**
     * Two commits: what the first leaves undone may hurt only after the second, which another
     * thread makes: its fences say nothing about the flushes of the first.
     */
    private static void enumerate(CrashEnumeration enumeration, ObjectPool pool, Commit commit) {
        enumeration.step(pool, "the commit", p -> commit.run(p, 1111));
        enumeration.step(pool, "the next commit", p -> inAnotherThread(() -> commit.followUp(p)));
    }

    @Test
    @Tag("sliced")
    void everyFlushAndFenceOfACommitIsNeeded() {
        List<String> unnoticed = new ArrayList<>();
        int steps = 0;
        for (Commit commit : Commit.values()) {
            CrashSimulation measured = prepared();
            ObjectPool pool = SimulatedPool.open(measured);
            int flushes = measured.flushes();
            int fences = measured.fences();
            commit.run(pool, 1111);
            flushes = measured.flushes() - flushes;
            fences = measured.fences() - fences;
            steps += flushes + fences;

            enumerate(prepared(), commit, -1, -1, unnoticed);
            assertThat(unnoticed).as("with nothing dropped").hasSize(1);
            unnoticed.clear();
            List<String> missed = new ArrayList<>();
            int first = commit.ordinal() % STRIDE;
            for (int i = first; i < flushes; i += STRIDE) {
                enumerate(prepared(), commit, i, -1, missed);
            }
            for (int i = first; i < fences; i += STRIDE) {
                enumerate(prepared(), commit, -1, i, missed);
            }
            assertThat(missed).isEmpty();
        }
        assertThat(steps).isGreaterThan(20);
    }

    /** Notes the drop if the enumeration passes although a step is ignored. */
    private static void enumerate(
            CrashSimulation machine, Commit commit, int flush, int fence, List<String> passed) {
        ObjectPool pool = SimulatedPool.open(machine);
        int droppedFlush = flush < 0 ? flush : machine.flushes() + flush;
        int droppedFence = fence < 0 ? fence : machine.fences() + fence;
        machine.dropFlush(droppedFlush);
        machine.dropFence(droppedFence);
        try (CrashEnumeration enumeration = new CrashEnumeration(machine, EFFORT, SEED)) {
            enumerate(enumeration, pool, commit);
        } catch (AssertionError found) {
            return;
        }
        passed.add(commit + ": flush " + flush + ", fence " + fence);
    }
}
