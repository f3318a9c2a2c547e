package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.CrashEnumeration.Effort;
import io.farheap.CrashEnumeration.Step;
import io.farheap.base.CommitUnknownException;
import io.farheap.layout.Descriptor;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Power loss in the creation of a pool, without an answer of a replica, and on a replica. */
class TransactionCrashTest {
    private static final long SEED = 20261121;

    /** One in so many prefixes is promoted. */
    private static final int STRIDE = Boolean.getBoolean("test.deep") ? 1 : 4;

    /**
     * Small enough that the heap has all of it: {@link SimulatedPool} stores no other size then.
     */
    private static final long SMALL = 5 << 20;

    @Test
    void aCreationCutShortIsNoPoolOrAnEmptyOne() {
        CrashSimulation machine = new CrashSimulation(SMALL);
        Random random = new Random(SEED);
        int[] pools = {0, 0};
        Runnable check =
                () -> {
                    for (Loss loss : Loss.values()) {
                        CrashSimulation restarted = machine.crash(loss, random);
                        boolean valid = Descriptor.faultIn(restarted.memory().image()) == null;
                        pools[valid ? 1 : 0]++;
                        if (valid) {
                            PoolState found = PoolState.of(SimulatedPool.open(restarted));
                            assertThat(found).isEqualTo(new PoolState(0, Map.of()));
                            PoolState.assertHeapIsSound(restarted.memory(), "created");
                        }
                    }
                };
        machine.beforeEachStep(check);
        SimulatedPool.format(machine.memory());
        machine.beforeEachStep(() -> {});
        assertThat(pools[0]).as("no pool yet").isGreaterThan(10);
        int before = pools[1];
        check.run();
        assertThat(pools[1] - before).as("durable when it returns").isEqualTo(3);
    }

    @Test
    void aCreationOverOldBytesIsNoPoolOrAnEmptyOne() {
        CrashSimulation old = new CrashSimulation(SMALL);
        // Plausible words: each could be a generation number, a zone's magic or a link.
        MemorySegment content = old.memory().image();
        for (long at = 0; at < content.byteSize(); at += Long.BYTES) {
            content.set(ValueLayout.JAVA_LONG, at, 0x0000_0010_C3F0_A2D2L + (at & 0x3F00));
        }
        CrashSimulation machine = new CrashSimulation(content);
        Random random = new Random(SEED);
        int[] valid = {0};
        Runnable check =
                () -> {
                    for (int i = 0; i < 6; i++) {
                        Loss loss = Loss.values()[i % Loss.values().length];
                        CrashSimulation restarted = machine.crash(loss, random);
                        if (Descriptor.faultIn(restarted.memory().image()) == null) {
                            valid[0]++;
                            PoolState found = PoolState.of(SimulatedPool.open(restarted));
                            assertThat(found).isEqualTo(new PoolState(0, Map.of()));
                            PoolState.assertHeapIsSound(restarted.memory(), "created");
                        }
                    }
                };
        machine.beforeEachStep(check);
        SimulatedPool.format(machine.memory());
        machine.beforeEachStep(() -> {});
        valid[0] = 0;
        check.run();
        assertThat(valid[0]).as("durable when it returns").isEqualTo(6);
    }

    /**
     * Only its header page was cleared, as creation wants it: the descriptor beneath is valid.
     * Until nobody can open the pool that was there, nothing of it may change.
     */
    @Test
    void aCreationOverAnOldPoolIsNoPoolOrOneOfTheTwo() {
        PoolState nothing = new PoolState(0, Map.of());
        CrashSimulation old = SimulatedPool.formatted(SMALL);
        ObjectPool pool = SimulatedPool.open(old);
        pool.root(200);
        for (String name : List.of("allocate and link", "allocate a huge block")) {
            run(ApiWorkload.steps().get(name), pool);
        }
        PoolState before = PoolState.of(pool);
        pool.close();
        CrashSimulation machine = new CrashSimulation(old.memory().image());
        Random random = new Random(SEED);
        Map<PoolState, Integer> found = new HashMap<>();
        int[] steps = {0};
        Runnable check =
                () -> {
                    steps[0]++;
                    for (int i = 0; i < 12; i++) {
                        Loss loss = Loss.values()[i % Loss.values().length];
                        CrashSimulation restarted = machine.crash(loss, random);
                        if (Descriptor.faultIn(restarted.memory().image()) == null) {
                            PoolState state = PoolState.of(SimulatedPool.open(restarted));
                            assertThat(state).as("step %d", steps[0]).isIn(before, nothing);
                            PoolState.assertHeapIsSound(restarted.memory(), "created");
                            found.merge(state, 1, Integer::sum);
                        }
                    }
                };
        machine.beforeEachStep(check);
        SimulatedPool.format(machine.memory());
        machine.beforeEachStep(() -> {});
        assertThat(found).as("the old one, before the first fence").containsKey(before);
        found.clear();
        check.run();
        assertThat(found).as("durable when it returns").isEqualTo(Map.of(nothing, 12));
    }

    @Test
    void aLostAnswerIsRolledBackToTheBoundaryBefore() {
        RecordingSink sink = new RecordingSink();
        CrashSimulation machine = SimulatedPool.formatted(12 << 20);
        ObjectPool pool = SimulatedPool.open(machine, sink);
        List<String> names = List.of("make the root", "allocate and link");
        for (String name : names) {
            run(ApiWorkload.steps().get(name), pool);
        }
        sink.losesAnswers = true;
        PoolState before = PoolState.of(pool);

        try (CrashEnumeration enumeration =
                new CrashEnumeration(machine, new Effort(64, 4, 1, 8), SEED)) {
            enumeration.step(
                    pool,
                    "everything at once, no answer",
                    p ->
                            assertThatThrownBy(() -> ApiWorkload.everythingAtOnce(p))
                                    .isInstanceOf(CommitUnknownException.class));
        }

        assertThat(PoolState.of(pool)).isEqualTo(before);
    }

    @Test
    @Tag("sliced")
    void everyPrefixOfTheRecordsIsATransactionBoundary() {
        RecordingSink sink = new RecordingSink();
        CrashSimulation machine = SimulatedPool.formatted(12 << 20);
        ObjectPool pool = SimulatedPool.open(machine, sink);
        List<PoolState> boundaries = new ArrayList<>();
        List<Integer> recordsAt = new ArrayList<>();
        boundaries.add(PoolState.of(pool));
        recordsAt.add(0);
        for (Step step : ApiWorkload.steps().values()) {
            run(step, pool);
            boundaries.add(PoolState.of(pool));
            recordsAt.add(sink.records.size());
        }
        pool.close();

        int at = 0;
        for (int count = 0; count <= sink.records.size(); count += STRIDE) {
            while (at + 1 < recordsAt.size() && recordsAt.get(at + 1) <= count) {
                at++;
            }
            CrashSimulation replica =
                    sink.replica(SimulatedPool.formatted(12 << 20).memory().image(), count);
            ObjectPool promoted = SimulatedPool.open(replica, new RecordingSink());
            String where = count + " of " + sink.records.size() + " records";
            PoolState.assertHeapIsSound(replica.memory(), where);
            assertThat(PoolState.of(promoted)).as(where).isEqualTo(boundaries.get(at));
        }
    }

    private static void run(Step step, ObjectPool pool) {
        try {
            step.run(pool);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
