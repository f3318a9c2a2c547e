package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A step counts as done for a replica only where it has returned. */
@Timeout(60)
class ParallelTest {
    private final Set<Integer> done = ConcurrentHashMap.newKeySet();

    /** The {@code which}-th thread is what {@code other} makes of the task. */
    private static ThreadFactory except(int which, ThreadFactory other) {
        AtomicInteger made = new AtomicInteger();
        return task ->
                made.getAndIncrement() == which ? other.newThread(task) : new Thread(task, "step");
    }

    @Test
    void allThatReturnedHaveNoFailure() throws InterruptedException {
        assertThat(Parallel.collect(3, done::add)).containsOnlyNulls();
        assertThat(done).containsExactlyInAnyOrder(0, 1, 2);
    }

    @Test
    void aThreadThatDiesBeforeItsStepIsAFailureOfThatStep() throws InterruptedException {
        Throwable[] failures =
                Parallel.collect(3, done::add, except(1, task -> new Thread(() -> {}, "dead")));
        assertThat(failures[0]).isNull();
        assertThat(failures[1]).isNotNull();
        assertThat(failures[2]).isNull();
        assertThat(done).containsExactlyInAnyOrder(0, 2);
        assertThatThrownBy(() -> Parallel.throwFirst(failures))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aThreadThatCanNotBeMadeIsAFailureAndTheOthersAreWaitedFor() throws InterruptedException {
        CountDownLatch refused = new CountDownLatch(1);
        Throwable[] failures =
                Parallel.collect(
                        3,
                        index -> {
                            refused.await();
                            done.add(index);
                        },
                        except(
                                1,
                                task -> {
                                    refused.countDown();
                                    throw new OutOfMemoryError("unable to create native thread");
                                }));
        assertThat(done).containsExactly(0);
        assertThat(failures[0]).isNull();
        assertThat(failures[1]).isInstanceOf(OutOfMemoryError.class);
        assertThat(failures[2]).isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(() -> Parallel.throwFirst(failures)).isSameAs(failures[1]);
    }

    @Test
    void aThreadThatDoesNotStartIsAFailure() throws InterruptedException {
        Thread ended = new Thread(() -> {}, "ended");
        ended.start();
        ended.join(); // and can't be started again
        Throwable[] failures = Parallel.collect(2, done::add, except(1, task -> ended));
        assertThat(failures[0]).isNull();
        assertThat(failures[1]).isNotNull();
    }
}
