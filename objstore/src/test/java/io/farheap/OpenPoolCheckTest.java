package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.CheckReport;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import io.farheap.engine.PoolEngine;
import io.farheap.pmemobj.Actions;
import io.farheap.testing.CrashSimulation;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A check of an open pool sees a quiet pool, and lets it go on afterwards. */
@Timeout(60)
class OpenPoolCheckTest {
    private final CrashSimulation machine = SimulatedPool.formatted();
    private final ExecutorService threads = Executors.newFixedThreadPool(3);

    private final CountDownLatch leave = new CountDownLatch(1);

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void itWaitsForTransactionsAndHoldsNewOnesBack() throws Exception {
        PoolEngine engine = PoolEngine.open(machine.memory(), SimulatedPool.SETTINGS, null);
        ObjectPool pool = ObjectPool.over(engine, SimulatedPool.POOL_ID);
        Ref root = pool.root(64);
        Future<?> first = holdOpen(pool, () -> pool.transaction(tx -> tx.allocate(100, 1)));
        Future<CheckReport> check = threads.submit(() -> pool.check());
        await().until(engine::isHeld);
        Future<?> second = threads.submit(() -> pool.setLong(root, 0, 7));
        assertThatThrownBy(() -> second.get(100, TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
        assertThat(check.isDone()).isFalse();

        leave.countDown();

        CheckReport report = check.get();
        first.get();
        second.get();
        assertThat(report.inconsistencies()).isEmpty();
        assertThat(report.objects()).isEqualTo(1);
        assertThat(pool.getLong(root, 0)).isEqualTo(7);
    }

    /** A transaction under way, which does something and ends when it is told to leave. */
    private Future<?> holdOpen(ObjectPool pool, Runnable last) throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        Future<?> running =
                threads.submit(
                        () -> {
                            pool.transaction(
                                    tx -> {
                                        inside.countDown();
                                        assertThat(leave.await(30, TimeUnit.SECONDS)).isTrue();
                                        last.run();
                                    });
                            return null;
                        });
        inside.await();
        return running;
    }

    @Test
    void theHeapDoesNotGrowMeanwhile() throws Exception {
        PoolEngine engine = PoolEngine.open(machine.memory(), SimulatedPool.IMPATIENT, null);
        ObjectPool pool = ObjectPool.over(engine, SimulatedPool.POOL_ID);
        long size = pool.heap().size();

        engine.whileQuiet(
                () -> {
                    Future<?> growing = threads.submit(() -> pool.heap().extend(2 << 20));
                    assertThatThrownBy(growing::get).hasMessageContaining("is being checked");
                    return assertThat(pool.heap().size()).isEqualTo(size);
                });

        pool.heap().extend(2 << 20);
        assertThat(pool.heap().size()).isGreaterThan(size);
    }

    @Test
    void actionsReserveNothingMeanwhile() throws Exception {
        PoolEngine engine = PoolEngine.open(machine.memory(), SimulatedPool.IMPATIENT, null);
        ObjectPool pool = ObjectPool.over(engine, SimulatedPool.POOL_ID);
        Actions actions = pool.actions();

        engine.whileQuiet(
                () -> {
                    // The first of its size: a run would have to be made.
                    Future<?> reserving = threads.submit(() -> actions.reserve(64, 1));
                    return assertThatThrownBy(reserving::get)
                            .hasMessageContaining("is being checked");
                });

        assertThat(actions.size()).isZero();
        actions.reserve(64, 1);
        assertThat(pool.check().inconsistencies()).as("with a reservation").isEmpty();
        actions.publish();
        assertThat(pool.check().objects()).isEqualTo(1);
    }

    @Test
    void itIsRefusedInsideATransaction() {
        ObjectPool pool = SimulatedPool.open(machine);

        assertThatThrownBy(() -> pool.transaction(tx -> pool.check()))
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.WRONG_USE));
        assertThat(pool.check().isConsistent()).isTrue();
    }

    @Test
    void itGivesUpWhenATransactionDoesNotEnd() throws Exception {
        ObjectPool pool = SimulatedPool.open(machine, SimulatedPool.IMPATIENT);
        Future<?> endless = holdOpen(pool, () -> {});

        assertThatThrownBy(pool::check)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("1 transactions still run");
        assertThat(pool.root(64).isNull()).isFalse();
        leave.countDown();
        endless.get();
    }

    @Test
    void aTransactionThatIsWaitedForMayStillDoOperations() throws Exception {
        PoolEngine engine = PoolEngine.open(machine.memory(), SimulatedPool.SETTINGS, null);
        ObjectPool pool = ObjectPool.over(engine, SimulatedPool.POOL_ID);
        Future<?> first = holdOpen(pool, () -> engine.operation().commit());
        Future<CheckReport> check = threads.submit(() -> pool.check());
        await().until(engine::isHeld);
        leave.countDown();

        first.get();
        assertThat(check.get().isConsistent()).isTrue();
    }

    @Test
    void damageUnderAnOpenPoolIsFound() {
        ObjectPool pool = SimulatedPool.open(machine);
        Ref object = pool.compute(tx -> tx.allocate(100, 1));
        machine.memory().putLong(object.offset() - 16, 77L << 48 | 128);

        assertThat(pool.check().inconsistencies())
                .singleElement()
                .asString()
                .contains("unknown flags 0x4d");
    }
}
