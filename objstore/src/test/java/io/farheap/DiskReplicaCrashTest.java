package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.CrashEnumeration.Step;
import io.farheap.base.Ref;
import io.farheap.engine.PoolEngine;
import io.farheap.layout.Descriptor;
import io.farheap.memory.DiskMachine;
import io.farheap.memory.NoPersistence;
import io.farheap.memory.PoolMemory;
import io.farheap.ulog.CommittedView;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A pool with a disk journal and a remote replica: whatever suffix of the journal a crash takes,
 * the replica has all that is found, and what it has besides is in the records that are undecided.
 */
class DiskReplicaCrashTest {
    private static final long SEED = Long.getLong("crash.seed", 20261125);

    /** About so many times the logarithm of its steps an operation is cut. */
    private static final int CUTS = Integer.getInteger("disk.cuts", 1);

    /** One in so many of these cuts is made. */
    private static final int STRIDE = Boolean.getBoolean("test.deep") ? 1 : 5;

    private static final int MOST_STEPS_TO_ONE_CHECKPOINT = 12;
    private static final long SIZE = CrashStatesTest.SIZE;

    private final Random random = new Random(SEED);
    private final MemorySegment replica = formatted();
    private final DiskMachine machine = DiskMachine.with(replica, random);
    private final RecordingSink sink = new RecordingSink();
    private final PoolMemory memory = machine.open();
    private final ObjectPool pool = SimulatedPool.open(memory, sink);

    /** So many records are in {@link #replica}. */
    private int applied;

    private boolean looking;
    private int points;
    private int cuts;
    private int states;
    private int undecided;

    private static MemorySegment formatted() {
        MemorySegment image = Arena.ofAuto().allocate(SIZE, 4096);
        SimulatedPool.format(new PoolMemory(image, new NoPersistence()));
        return image;
    }

    @AfterEach
    void close() {
        pool.close();
        machine.close();
    }

    /** Opened by itself, without replicas. */
    private static ObjectPool open(PoolMemory by) {
        return ObjectPool.over(
                PoolEngine.open(by, SimulatedPool.SETTINGS, null), SimulatedPool.POOL_ID);
    }

    @Test
    @Tag("sliced")
    void whatTheTailOfTheReplicaNamesIsAllThatMayDiffer() throws Exception {
        System.out.println("disk crashes with a replica: seed " + SEED);
        for (Map.Entry<String, Step> step : ApiWorkload.steps().entrySet()) {
            points = 0;
            machine.beforeEachStep(() -> mayCrash(step.getKey()));
            sink.beforeEachCall = () -> mayCrash(step.getKey());
            step.getValue().run(pool);
            machine.beforeEachStep(() -> {});
            sink.beforeEachCall = () -> {};
            crash(step.getKey() + ", returned");
            apply(replica, committed());
            applied = committed();
        }
        System.out.println(states + " states reconciled, " + undecided + " with a tail");
        assertThat(states).as("crashes").isGreaterThan(200 / STRIDE);
        assertThat(undecided).as("with something to reconcile").isGreaterThan(50 / STRIDE);
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
            crash(step + ", point " + points);
        }
        looking = false;
        if (random.nextInt(MOST_STEPS_TO_ONE_CHECKPOINT + points) == 0) {
            machine.checkpoint();
        }
    }

    private void crash(String where) {
        if (cuts++ % STRIDE != 0) {
            return;
        }
        states++;
        try (DiskMachine second = machine.crash(random.nextInt(4) == 0)) {
            RecordingSink next = new RecordingSink();
            PoolState found = PoolState.of(SimulatedPool.open(second.open(), next));
            MemorySegment copy = Arena.ofAuto().allocate(SIZE, 4096);
            copy.copyFrom(replica);
            // Of those that nobody waited for the replica may have some.
            int last = last("await ");
            int has = last + random.nextInt(sink.records.size() - last + 1);
            apply(copy, has);
            reconcile(copy, next.committed, has);
            assertThat(PoolState.of(open(new PoolMemory(copy, new NoPersistence()))))
                    .as("seed %d, %s", SEED, where)
                    .isEqualTo(found);
        }
    }

    /** So many of the records were told to be committed: all that the replica applies by itself. */
    private int committed() {
        return last("committed ");
    }

    private int last(String call) {
        synchronized (sink) {
            return sink.calls.stream()
                    .filter(each -> each.startsWith(call))
                    .mapToInt(each -> Integer.parseInt(each.substring(call.length())))
                    .max()
                    .orElse(0);
        }
    }

    private void apply(MemorySegment to, int upTo) {
        PoolMemory target = new PoolMemory(to, new NoPersistence());
        for (int i = applied; i < upTo; i++) {
            sink.records.get(i).forEach(entry -> entry.applyTo(target));
        }
    }

    /** What the next opening does: of what is undecided the replica gets what the pool has. */
    private void reconcile(MemorySegment copy, CommittedView local, int has) {
        undecided += committed() < has ? 1 : 0;
        for (int i = committed(); i < has; i++) {
            for (RecordingSink.Entry entry : sink.records.get(i)) {
                long length = entry.bytes() == null ? Long.BYTES : entry.bytes().length;
                local.read(entry.offset(), copy.asSlice(entry.offset(), length), length);
            }
        }
    }

    private static void set(ObjectPool pool, Ref root, long value) {
        pool.transaction(tx -> tx.setLong(root, 0, value));
    }

    private List<Long> afterPowerLosses(Ref root) {
        List<Long> found = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            try (DiskMachine second = machine.crash(i % 4 == 0)) {
                found.add(open(second.open()).getLong(root, 0));
            }
        }
        return found.stream().distinct().toList();
    }

    /** Another thread's settle would make the commit word durable. */
    @Test
    void theCommitWordIsNotAppendedBeforeTheReplicaHasTheRecord() {
        Ref root = pool.root(64);
        set(pool, root, 1);
        List<Long> found = new ArrayList<>();
        sink.whileWaiting =
                () -> {
                    memory.settle();
                    found.addAll(afterPowerLosses(root));
                };
        set(pool, root, 2);
        assertThat(found).containsExactly(1L);
    }

    @Test
    void theReplicaIsToldOfACommitWhenTheJournalHasIt() {
        Ref root = pool.root(64);
        set(pool, root, 1);
        List<Long> found = new ArrayList<>();
        sink.beforeEachCall =
                () -> {
                    if (last("await ") > last("committed ") && last("await ") == last("append ")) {
                        found.addAll(afterPowerLosses(root));
                    }
                };
        set(pool, root, 2);
        assertThat(found).containsExactly(2L);
    }

    @Test
    void theSwitchIsDurableWhenItReturns() {
        Descriptor descriptor = new Descriptor(memory);
        long number = descriptor.runId() + 42;
        descriptor.switchRunId(number);
        for (int i = 0; i < 20; i++) {
            try (DiskMachine second = machine.crash(false)) {
                assertThat(new Descriptor(second.open()).runId()).isEqualTo(number);
            }
        }
    }

    @Test
    void aCommitTakesOneSyncHere() {
        Ref root = pool.root(64);
        set(pool, root, 1);
        long before = machine.syncs();
        set(pool, root, 2);
        assertThat(machine.syncs() - before).isEqualTo(1);
    }
}
