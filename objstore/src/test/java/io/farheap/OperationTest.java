package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.engine.LaneTransaction;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.TxSettings;
import io.farheap.spi.ReplicaSink;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Operations: small transactions beside the one that a thread is in. */
class OperationTest {
    private static final long TYPE = 7;

    private final CrashSimulation machine = SimulatedPool.formatted();
    private final RecordingSink sink = new RecordingSink();
    private PoolEngine engine;
    private ObjectPool pool;
    private Ref root;

    @BeforeEach
    void open() {
        open(null);
    }

    private void open(ReplicaSink replica) {
        engine =
                PoolEngine.open(
                        machine.memory(),
                        SimulatedPool.SETTINGS,
                        replica == null ? null : (descriptor, committed) -> replica);
        pool = ObjectPool.over(engine, SimulatedPool.POOL_ID);
        root = pool.root(256);
    }

    private void setWord(long offset, long value) {
        LaneTransaction operation = engine.operation();
        operation.setWord(root.offset() + offset, value);
        operation.commit();
    }

    private ObjectPool afterPowerLoss() {
        return SimulatedPool.open(machine.crash(Loss.ALL, new Random(1)));
    }

    @Test
    void aWordIsDurableWhenTheOperationReturns() {
        setWord(8, 42);

        assertThat(pool.getLong(root, 8)).isEqualTo(42);
        assertThat(afterPowerLoss().getLong(root, 8)).isEqualTo(42);
    }

    @Test
    void oneWordCostsOneFenceAndMoreCostThree() {
        long before = pool.counters().fences();
        setWord(8, 1);
        assertThat(pool.counters().fences() - before).isEqualTo(1);

        LaneTransaction operation = engine.operation();
        operation.setWord(root.offset() + 8, 2);
        operation.setWord(root.offset() + 64, 3);
        before = pool.counters().fences();
        operation.commit();

        assertThat(pool.counters().fences() - before).isEqualTo(3);
        assertThat(afterPowerLoss().getLong(root, 64)).isEqualTo(3);
    }

    @Test
    void insideATransactionItIsIndependentAndDurableAtOnce() {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.setLong(root, 0, 1);
                                            setWord(8, 42);
                                            assertThat(afterPowerLoss().getLong(root, 8))
                                                    .isEqualTo(42);
                                            assertThat(tx.getLong(root, 0)).isEqualTo(1);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(pool.getLong(root, 0)).isZero();
        assertThat(pool.getLong(root, 8)).isEqualTo(42);
    }

    @Test
    void anAbortedOperationLeavesTheTransactionAroundItAlone() {
        pool.transaction(
                tx -> {
                    tx.setLong(root, 0, 1);
                    LaneTransaction operation = engine.operation();
                    operation.setWord(root.offset() + 8, 42);
                    long object = operation.allocate(100, TYPE, true);
                    assertThat(object).isNotZero();
                    operation.abort(new IllegalStateException("given up"));
                });

        assertThat(pool.getLong(root, 0)).isEqualTo(1);
        assertThat(pool.getLong(root, 8)).isZero();
        assertThat(pool.objects()).isEmpty();
    }

    @Test
    void aTransactionBegunInAnOperationIsNoPartOfIt() {
        LaneTransaction operation = engine.operation();
        operation.setWord(root.offset(), 1);
        pool.setLong(root, 8, 2);
        operation.abort(new IllegalStateException("given up"));

        assertThat(afterPowerLoss().getLong(root, 8)).isEqualTo(2);
        assertThat(pool.getLong(root, 0)).isZero();
    }

    @Test
    void wordsAndAllocationsHappenTogether() {
        LaneTransaction operation = engine.operation();
        long object = operation.allocate(100, TYPE, true);
        operation.setWord(root.offset() + 16, SimulatedPool.POOL_ID);
        operation.setWord(root.offset() + 24, object);
        assertThat(pool.objects()).isEmpty();
        assertThat(pool.getRef(root, 16)).isEqualTo(Ref.NULL);
        operation.commit();

        assertThat(pool.objects()).containsExactly(pool.getRef(root, 16));
        LaneTransaction free = engine.operation();
        free.free(object);
        free.setWord(root.offset() + 16, 0);
        free.setWord(root.offset() + 24, 0);
        free.commit();
        assertThat(pool.objects()).isEmpty();
    }

    @Test
    void moreWordsThanTheLaneTakesGoIntoExtensions() {
        LaneTransaction operation = engine.operation();
        Ref large = pool.compute(tx -> tx.allocateZeroed(2000, TYPE));
        for (int i = 0; i < 100; i++) {
            operation.setWord(large.offset() + 16L * i, i);
        }
        operation.commit();

        for (int i = 0; i < 100; i++) {
            assertThat(afterPowerLoss().getLong(large, 16L * i)).isEqualTo(i);
        }
        PoolState.assertHeapIsSound(machine.memory(), "after the operation");
    }

    @Test
    void leavesAsOneRecordBeforeItIsLocal() {
        pool.close();
        open(sink);
        int before = sink.records.size();
        sink.whileWaiting = () -> assertThat(pool.getLong(root, 8)).isZero();
        setWord(8, 42);

        assertThat(sink.records).hasSize(before + 1);
        List<RecordingSink.Entry> record = sink.records.get(before);
        assertThat(record).hasSize(1);
        assertThat(record.get(0).kind()).isEqualTo('S');
        assertThat(record.get(0).offset()).isEqualTo(root.offset() + 8);
        assertThat(record.get(0).value()).isEqualTo(42);
        assertThat(sink.calls).endsWith("committed " + sink.records.size());
    }

    @Test
    void refusesWordsThatTheTransactionAroundItWouldPutBack() {
        pool.transaction(
                tx -> {
                    tx.snapshot(root, 11, 4).set(ValueLayout.JAVA_INT_UNALIGNED, 0, 1);
                    LaneTransaction operation = engine.operation();
                    TransactionFixture.assertWrongUse(
                            () -> operation.setWord(root.offset() + 8, 42), "in place");
                    operation.setWord(root.offset() + 16, 43);
                    operation.setWord(root.offset(), 44);
                    operation.commit();
                });

        assertThat(pool.getLong(root, 16)).isEqualTo(43);
        assertThat(pool.getLong(root, 0)).isEqualTo(44);
    }

    @Test
    void refusesWordsThatTheTransactionAroundItWouldStoreOver() {
        pool.transaction(
                tx -> {
                    tx.setInt(root, 12, 1);
                    LaneTransaction operation = engine.operation();
                    TransactionFixture.assertWrongUse(
                            () -> operation.setWord(root.offset() + 8, 42), "under way");
                    operation.setWord(root.offset() + 16, 43);
                    operation.commit();
                    TransactionFixture.assertWrongUse(
                            () -> pool.atomic().allocate(root, 0, 8, TYPE), "under way");
                });

        assertThat(pool.getInt(root, 12)).isEqualTo(1);
        assertThat(pool.getLong(root, 16)).isEqualTo(43);
        assertThat(pool.objects()).isEmpty();
    }

    @Test
    void refusesOffsetsBetweenWords() {
        LaneTransaction operation = engine.operation();
        TransactionFixture.assertWrongUse(
                () -> operation.setWord(root.offset() + 4, 1), "multiple of 8");
        operation.abort(new IllegalStateException("given up"));
    }

    @Test
    void closeInsideAnOperationIsRefused() {
        LaneTransaction operation = engine.operation();
        TransactionFixture.assertWrongUse(pool::close, "inside");
        operation.setWord(root.offset(), 1);
        operation.commit();
        pool.close();
        TransactionFixture.assertWrongUse(() -> engine.operation().commit(), "closed");
    }

    @Test
    void oneLaneForThreadsIsEnoughForAnOperationInATransaction() {
        pool.close();
        engine =
                PoolEngine.open(
                        machine.memory(),
                        new TxSettings(Duration.ofMillis(200), Duration.ofMillis(200), 1),
                        null);
        pool = ObjectPool.over(engine, SimulatedPool.POOL_ID);
        pool.transaction(
                tx -> {
                    tx.setLong(root, 0, 1);
                    setWord(8, 2);
                    Ref made =
                            pool.atomic()
                                    .allocate(
                                            8,
                                            TYPE,
                                            object ->
                                                    pool.atomic()
                                                            .allocateZeroed(root, 16, 8, TYPE));
                    assertThat(pool.objects()).hasSize(2).contains(made);
                });

        assertThat(pool.getLong(root, 0)).isEqualTo(1);
        assertThat(pool.getLong(root, 8)).isEqualTo(2);
        pool.close();
    }
}
