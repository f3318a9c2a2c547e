package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.Ref;
import io.farheap.engine.PoolEngine;
import io.farheap.memory.DiskMachine;
import io.farheap.memory.NoPersistence;
import io.farheap.memory.PoolMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How often an operation waits for an ordinary disk. */
class DiskSyncCountTest {
    private static final long TYPE = 7;

    private DiskMachine machine;
    private ObjectPool pool;
    private Ref object;

    @BeforeEach
    void openAndWarmUp() {
        MemorySegment image = Arena.ofAuto().allocate(SimulatedPool.SIZE, 4096);
        SimulatedPool.format(new PoolMemory(image, new NoPersistence()));
        machine = DiskMachine.with(image, new Random(1));
        pool =
                ObjectPool.over(
                        PoolEngine.open(machine.open(), SimulatedPool.SETTINGS, null),
                        SimulatedPool.POOL_ID);
        object = pool.compute(tx -> tx.allocateZeroed(8192, TYPE));
    }

    @AfterEach
    void close() {
        pool.close();
        machine.close();
    }

    private long syncsOf(Runnable operation) {
        long before = machine.syncs();
        operation.run();
        return machine.syncs() - before;
    }

    @Test
    void aTransactionTakesOneHoweverManyRangesItChanges() {
        assertThat(syncsOf(() -> pool.transaction(tx -> tx.setLong(object, 0, 1)))).isEqualTo(1);
        byte[] value = new byte[64];
        assertThat(
                        syncsOf(
                                () ->
                                        pool.transaction(
                                                tx -> {
                                                    for (int i = 0; i < 40; i++) {
                                                        tx.writeBytes(object, 128L * i, value);
                                                    }
                                                })))
                .as("an extension of the undo log is linked along")
                .isEqualTo(1);
    }

    @Test
    void soDoesOneThatAllocatesThoughARunIsSetUp() {
        assertThat(syncsOf(() -> pool.transaction(tx -> tx.allocateZeroed(100, TYPE))))
                .isEqualTo(1);
        assertThat(syncsOf(() -> pool.transaction(tx -> tx.allocateZeroed(3000, TYPE))))
                .isEqualTo(1);
        assertThat(syncsOf(() -> pool.transaction(tx -> tx.free(object)))).isEqualTo(1);
    }

    @Test
    void soDoesAnAtomicAllocation() {
        assertThat(syncsOf(() -> pool.atomic().allocate(64, TYPE))).isEqualTo(1);
    }

    /** One of the journal of each, and none of the files. */
    @Test
    void ofTwoLocalReplicasEachTakesOne() {
        MemorySegment image = Arena.ofAuto().allocate(SimulatedPool.SIZE, 4096);
        SimulatedPool.format(new PoolMemory(image, new NoPersistence()));
        try (DiskMachine two = DiskMachine.with(image, 2, new Random(1));
                ObjectPool both =
                        ObjectPool.over(
                                PoolEngine.open(two.open(), SimulatedPool.SETTINGS, null),
                                SimulatedPool.POOL_ID)) {
            Ref root = both.root(64);
            List<Long> before = two.syncsOfDisks();
            both.transaction(tx -> tx.setLong(root, 0, 1));
            List<Long> after = two.syncsOfDisks();
            assertThat(List.of(after.get(0) - before.get(0), after.get(1) - before.get(1)))
                    .as("of the journals")
                    .containsExactly(1L, 1L);
            assertThat(after.subList(2, 4)).as("of the files").isEqualTo(before.subList(2, 4));
        }
    }

    @Test
    void readingTakesNone() {
        assertThat(syncsOf(() -> pool.getLong(object, 0))).isZero();
        assertThat(
                        syncsOf(
                                () ->
                                        pool.transaction(
                                                tx -> {
                                                    tx.getLong(object, 0);
                                                })))
                .isZero();
    }
}
