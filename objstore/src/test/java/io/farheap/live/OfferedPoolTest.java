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
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One copy of a pool at a time: the next one waits for the end of the one before. */
class OfferedPoolTest {
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
