package io.farheap.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class CommitGateTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final CommitGate gate = new CommitGate();

    @Test
    void nobodyPassesBeforeItIsOpenedAndAfterItIsClosed() throws Exception {
        assertThat(gate.enter()).isFalse();
        gate.open();
        assertThat(gate.enter()).isTrue();
        assertThat(gate.close()).isTrue();
        assertThat(gate.close()).isFalse();
        assertThat(gate.enter()).isFalse();
        assertThat(gate.awaitEmpty(SECOND / 100)).isFalse();
        gate.leave();
        assertThat(gate.awaitEmpty(0)).isTrue();
    }

    @Test
    void whoeverWaitsIsWokenByTheLastOneInside() throws Exception {
        gate.open();
        assertThat(gate.enter()).isTrue();
        gate.close();
        CompletableFuture<Void> leaves = CompletableFuture.runAsync(gate::leave);
        assertThat(gate.awaitEmpty(20 * SECOND)).isTrue();
        leaves.join();
    }

    @Test
    void nobodyIsInsideOnceItIsClosedAndEmpty() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger passed = new AtomicInteger();
        gate.open();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        while (passed.get() < 20_000) {
                                            if (gate.enter()) {
                                                inside.incrementAndGet();
                                                passed.incrementAndGet();
                                                inside.decrementAndGet();
                                                gate.leave();
                                            }
                                        }
                                    });
        }
        while (passed.get() < 20_000) {
            gate.close();
            assertThat(gate.awaitEmpty(20 * SECOND)).isTrue();
            assertThat(inside.get()).isZero();
            gate.open();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
