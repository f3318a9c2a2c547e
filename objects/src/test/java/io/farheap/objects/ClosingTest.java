package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.PoolOptions;
import io.farheap.objects.schema.Persistent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Closing waits for who reads, whoever else closes. */
class ClosingTest {
    @Persistent
    interface Counter {
        long count();

        void count(long count);
    }

    private static <T> FutureTask<T> started(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread unused = Thread.ofPlatform().daemon().start(task);
        return task;
    }

    private static boolean waits(Thread thread) {
        return switch (thread.getState()) {
            case WAITING, TIMED_WAITING, BLOCKED -> true;
            default -> false;
        };
    }

    @Test
    void theSecondOneToCloseTakesNothingFromAReadUnderWay() throws Exception {
        PersistentHeap<Counter> heap = PersistentHeap.inMemory(Counter.class);
        heap.transaction(root -> root.count(7));
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        FutureTask<Long> read =
                started(
                        () ->
                                heap.read(
                                        root -> {
                                            reading.countDown();
                                            goOn.await();
                                            return root.count();
                                        }));
        reading.await();
        Thread[] closers = new Thread[2];
        for (int i = 0; i < 2; i++) {
            closers[i] = Thread.ofPlatform().daemon().start(heap::close);
            Thread closer = closers[i];
            await().until(() -> waits(closer) || !closer.isAlive());
        }

        goOn.countDown();

        assertThat(read.get(10, TimeUnit.SECONDS)).isEqualTo(7);
        for (Thread closer : closers) {
            assertThat(closer.join(Duration.ofSeconds(10))).isTrue();
        }
    }

    /** A body that hangs, or a begin that nobody ends: its thread is what a person looks for. */
    @Test
    void whoeverIsStillInsideIsNamed(@TempDir Path directory) throws Exception {
        PoolOptions options = PoolOptions.builder().closeTimeout(Duration.ofMillis(50)).build();
        try (PersistentHeap<Counter> heap =
                PersistentHeap.over(
                        ObjectPool.at(directory.resolve("pool"))
                                .layout("farheap-objects")
                                .size(16 << 20)
                                .options(options)
                                .create(),
                        Counter.class)) {
            CountDownLatch goOn = new CountDownLatch(1);
            CountDownLatch begun = new CountDownLatch(2);
            Callable<Void> forgetful =
                    () -> {
                        try (TransactionHandle unused = heap.begin()) {
                            begun.countDown();
                            goOn.await();
                        }
                        return null;
                    };
            FutureTask<Void> named = new FutureTask<>(forgetful);
            FutureTask<Void> virtual = new FutureTask<>(forgetful);
            Thread unused = Thread.ofPlatform().name("forgetful").daemon().start(named);
            Thread numbered = Thread.ofVirtual().start(virtual);
            begun.await();

            assertThatThrownBy(heap::close)
                    .hasMessageContaining("2 transactions and reads still run after 50 ms")
                    .hasMessageContaining("forgetful, number " + numbered.threadId() + ";");

            goOn.countDown();
            named.get(10, TimeUnit.SECONDS);
            virtual.get(10, TimeUnit.SECONDS);
        }
    }
}
