package io.farheap.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.objects.schema.Persistent;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

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
}
