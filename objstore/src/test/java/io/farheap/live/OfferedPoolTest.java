package io.farheap.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.base.FarheapException;
import io.farheap.engine.PoolEngine;
import io.farheap.engine.TxSettings;
import io.farheap.heap.HeapFormat;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One copy of a pool at a time: the next one waits for the end of the one before. */
class OfferedPoolTest {
    private static final long POOL = 4711;

    private final PoolEngine engine = engine(new CrashSimulation(8 << 20).memory());
    private final OfferedPool pool =
            new OfferedPool(
                    engine,
                    MemorySegment.NULL,
                    Map::of,
                    alone -> new ReloadedFile("bank.set", List.of()));

    private static PoolEngine engine(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        descriptor.format("test");
        LaneLayout.format(memory);
        HeapFormat.format(memory, descriptor.heapOffset(), descriptor.heapSize());
        descriptor.seal();
        Duration patience = Duration.ofSeconds(30);
        return PoolEngine.open(memory, new TxSettings(patience, patience, 16), null);
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private FutureTask<Boolean> second() {
        FutureTask<Boolean> second =
                new FutureTask<>(
                        () -> {
                            pool.begin();
                            return true;
                        });
        Thread thread = Thread.ofPlatform().daemon().start(second);
        await().until(() -> second.isDone() || thread.getState() == Thread.State.TIMED_WAITING);
        return second;
    }

    /** To count a large heap takes time; commits wait for a copy meanwhile, and the close does. */
    @Test
    void whoCountsHoldsUpNobody() throws Exception {
        CountDownLatch counting = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        OfferedPool counted =
                new OfferedPool(
                        engine,
                        MemorySegment.NULL,
                        () -> {
                            counting.countDown();
                            return awaited(goOn) ? Map.of("commits", 1L) : Map.of();
                        },
                        alone -> new ReloadedFile("bank.set", List.of()));
        FutureTask<Map<String, Long>> figures = new FutureTask<>(counted::figures);
        Thread unused = Thread.ofPlatform().daemon().start(figures);
        assertThat(counting.await(10, TimeUnit.SECONDS)).isTrue();
        FutureTask<Boolean> others =
                new FutureTask<>(
                        () -> {
                            counted.read(0, MemorySegment.ofArray(new byte[64]));
                            counted.withdraw();
                            return true;
                        });
        unused = Thread.ofPlatform().daemon().start(others);
        assertThat(others.get(10, TimeUnit.SECONDS)).isTrue();
        goOn.countDown();
        assertThat(figures.get(10, TimeUnit.SECONDS)).containsKey("commits");
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            return latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    @Test
    void aCopyBeginsWhenTheOneOfAKilledCommandIsLetGo() throws Exception {
        pool.begin();
        FutureTask<Boolean> second = second();

        pool.end();

        assertThat(second.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aCopyIsRefusedWhileAnotherOneGoesOn() throws Exception {
        pool.begin();

        assertThatThrownBy(() -> pool.begin(1_000_000))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("is being backed up by somebody else; try again");
    }

    /** It may have taken the file up all the same: nobody says that it has not. */
    @Test
    void whoHasTheFileReadAgainWaitsForNoProgramWithoutEnd() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        LivePools.offer(
                POOL,
                engine,
                MemorySegment.NULL,
                Map::of,
                alone -> new ReloadedFile("" + awaited(goOn), List.of()));
        try (LiveClient client = LiveClient.connect(ProcessHandle.current().pid(), "-")) {
            assertThatThrownBy(() -> client.reload(POOL, false, Duration.ofMillis(1)))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("has said nothing for")
                    .hasMessageContaining("nothing tells whether it has taken the poolset file up")
                    .hasMessageContaining("farheap status");
        } finally {
            goOn.countDown();
            LivePools.withdraw(POOL, engine);
        }
    }

    @Test
    void nobodyWaitsBeyondTheClosingOfThePool() throws Exception {
        pool.begin();
        FutureTask<Boolean> second = second();

        pool.withdraw();

        assertThatThrownBy(() -> second.get(10, TimeUnit.SECONDS))
                .hasRootCauseInstanceOf(FarheapException.class)
                .rootCause()
                .hasMessageContaining("was closed meanwhile");
    }
}
