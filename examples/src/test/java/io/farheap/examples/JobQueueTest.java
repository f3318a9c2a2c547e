package io.farheap.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.examples.JobQueue.Jobs;
import io.farheap.objects.PersistentHeap;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60) // a job that is lost is waited for
class JobQueueTest {
    private static final int JOBS = 200;

    @Test
    void aWorkerWaitsForAJob() throws Exception {
        try (PersistentHeap<Jobs> heap = PersistentHeap.inMemory(Jobs.class);
                ExecutorService threads = Executors.newFixedThreadPool(1)) {
            JobQueue queue = new JobQueue(heap);
            Thread[] worker = new Thread[1];
            Future<?> work =
                    threads.submit(
                            () -> {
                                worker[0] = Thread.currentThread();
                                queue.work(task -> task + " done");
                                return null;
                            });
            await().until(() -> worker[0] != null && isWaiting(worker[0]));

            long number = queue.submit("sweep");
            work.get();

            assertThat(queue.result(number)).isEqualTo("sweep done");
        }
    }

    private static boolean isWaiting(Thread thread) {
        return thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING;
    }

    @Test
    void eachJobIsDoneByOneWorker() throws Exception {
        try (PersistentHeap<Jobs> heap = PersistentHeap.inMemory(Jobs.class);
                ExecutorService threads = Executors.newFixedThreadPool(4)) {
            JobQueue queue = new JobQueue(heap);
            Queue<String> done = new ConcurrentLinkedQueue<>();
            List<Future<?>> all = new ArrayList<>();
            for (int worker = 0; worker < 2; worker++) {
                all.add(
                        threads.submit(
                                () -> {
                                    for (int i = 0; i < JOBS; i++) {
                                        queue.work(task -> done.add(task) ? task : null);
                                    }
                                    return null;
                                }));
                String name = "of " + worker + ": ";
                all.add(
                        threads.submit(
                                () -> {
                                    for (int i = 0; i < JOBS; i++) {
                                        queue.submit(name + i);
                                    }
                                }));
            }
            for (Future<?> one : all) {
                assertThat(one.get()).isNull();
            }

            assertThat(done).hasSize(2 * JOBS).doesNotHaveDuplicates();
            for (long number = 1; number <= 2 * JOBS; number++) {
                assertThat(queue.result(number)).isIn(done);
            }
        }
    }

    @Test
    void whatWasTakenAndNotDoneIsDoneAfterItIsOpenedAgain(@TempDir Path directory)
            throws InterruptedException {
        Path file = directory.resolve("jobs");
        try (PersistentHeap<Jobs> heap = PersistentHeap.openOrCreate(file, 16L << 20, Jobs.class)) {
            JobQueue queue = new JobQueue(heap);
            queue.submit("first");
            queue.submit("second");
            queue.submit("third");
            queue.work(task -> task + " done");
            assertThatThrownBy(() -> queue.work(JobQueueTest::fail))
                    .isInstanceOf(IllegalStateException.class);
        }

        try (PersistentHeap<Jobs> heap = PersistentHeap.open(file, Jobs.class)) {
            JobQueue queue = new JobQueue(heap);
            queue.work(task -> task + " done later");
            queue.work(task -> task + " done later");
            assertThat(queue.result(1)).isEqualTo("first done");
            assertThat(queue.result(2)).isEqualTo("second done later");
            assertThat(queue.result(3)).isEqualTo("third done later");
            assertThat(heap.root().waiting()).isEmpty();
        }
    }

    private static String fail(String task) {
        throw new IllegalStateException("The worker fails at " + task);
    }
}
