package io.farheap.it.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.base.ListAt;
import io.farheap.base.Ref;
import io.farheap.it.support.Machines;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Threads that do whatever the API has, at random, each with a plain model in memory of what must
 * be in the pool then. Between rounds the pool is closed and opened, or the process is killed in
 * the middle: then the operation that each thread was in happened or did not, and everything that
 * returned is there.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class CellWorkloadTest {
    private static final int THREADS = 3;
    private static final long POOL_BYTES = 64L << 20;
    private static final ListAt[] LISTS =
            IntStream.range(0, THREADS).mapToObj(CellWorkload::list).toArray(ListAt[]::new);

    @Test
    void theModelAndThePoolAgreeWhenItIsReopened() throws Exception {
        try (Site site = new Site(20_261_121, POOL_BYTES, "")) {
            for (int round = 0; round < 3; round++) {
                site.workHere(400);
            }
        }
    }

    @Test
    void alsoWithALocalReplica() throws Exception {
        try (Site site = new Site(77, POOL_BYTES, "REPLICA\n64M %s/replica\n")) {
            site.workHere(300);
            site.workUntilKilled(300);
            site.workHere(100);
        }
    }

    @Test
    void alsoWhenTheProcessIsKilled() throws Exception {
        try (Site site = new Site(4711, POOL_BYTES, "")) {
            for (int round = 0; round < 5; round++) {
                site.workUntilKilled(600);
            }
        }
    }

    @Tag("long")
    @Test
    @Timeout(value = 3600, unit = TimeUnit.SECONDS)
    void manyTimes() throws Exception {
        long seed = System.nanoTime();
        try (Site site = new Site(seed, POOL_BYTES, "REPLICA\n64M %s/replica\n")) {
            for (int round = 0; round < 200; round++) {
                site.workUntilKilled(3000);
                site.workHere(1000);
            }
        }
    }

    /** A pool, what its threads have done in it, and the machine for processes to be killed. */
    private static final class Site implements AutoCloseable {
        private final Machines machines = Machines.with();
        private final Path set;
        private final Path counts;
        private final Progress progress;
        private final long seed;
        private final Random random;

        Site(long seed, long bytes, String replica) throws Exception {
            this.seed = seed;
            random = new Random(seed);
            Path here = machines.here();
            set =
                    machines.write(
                            here.resolve("cells.set"),
                            "PMEMPOOLSET\n"
                                    + (bytes >> 20)
                                    + "M "
                                    + here
                                    + "/cells\n"
                                    + replica.formatted(here));
            counts = here.resolve("progress");
            progress = new Progress(counts, THREADS);
            try (ObjectPool pool = ObjectPool.create(set, "cells")) {
                pool.root(CellWorkload.rootBytes(THREADS));
            }
        }

        /** So many operations of each thread in this process, then a close. */
        void workHere(long operations) throws Exception {
            try (ObjectPool pool = ObjectPool.open(set, "cells")) {
                CellProgram.work(pool, progress, THREADS, seed, operations);
                verify(pool);
            }
            try (ObjectPool pool = ObjectPool.open(set, "cells")) {
                verify(pool);
            }
        }

        /** In a process that is killed after about so many operations of all threads. */
        void workUntilKilled(int operations) throws Exception {
            long target = done() + 50 + random.nextInt(operations);
            Process process =
                    machines.java(
                                    CellProgram.class,
                                    set.toString(),
                                    counts.toString(),
                                    Integer.toString(THREADS),
                                    Long.toString(seed),
                                    Long.toString(100L * operations))
                            .start();
            await().atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> done() >= target || !process.isAlive());
            process.destroyForcibly();
            int exit = process.waitFor();
            assertThat(exit).as("killed, seed %d", seed).isEqualTo(128 + 9);
            assertThat(ObjectPool.check(set, LISTS).inconsistencies())
                    .as("seed %d", seed)
                    .isEmpty();
            try (ObjectPool pool = ObjectPool.open(set, "cells")) {
                verify(pool);
            }
        }

        private long done() {
            return IntStream.range(0, THREADS).mapToLong(progress::of).sum();
        }

        /** The pool is as the models say, which know of one operation of each thread less. */
        private void verify(ObjectPool pool) {
            assertThat(pool.check(LISTS).inconsistencies()).as("seed %d", seed).isEmpty();
            long counted = 0;
            long countedByHand = 0;
            long objects = 0;
            for (int thread = 0; thread < THREADS; thread++) {
                CellModel model = settle(pool, thread);
                counted += model.counted;
                countedByHand += model.countedByHand;
                objects += IntStream.range(0, CellModel.SLOTS).filter(model::isFull).count();
                objects += model.list.size();
            }
            assertThat(CellWorkload.counter(pool)).as("counter, seed %d", seed).isEqualTo(counted);
            assertThat(CellWorkload.counterByHand(pool))
                    .as("counter by hand, seed %d", seed)
                    .isEqualTo(countedByHand);
            long found = 0;
            for (Ref unused : pool.objects()) {
                found++;
            }
            assertThat(found).as("objects, seed %d", seed).isEqualTo(objects);
        }

        /** Finds out whether the operation under way happened, and tells the thread. */
        private CellModel settle(ObjectPool pool, int thread) {
            long told = progress.of(thread);
            CellWorkload before = CellWorkload.replayed(pool, null, seed, thread, told);
            CellModel read = before.read();
            if (before.model().matches(read)) {
                return before.model();
            }
            CellWorkload after = CellWorkload.replayed(pool, null, seed, thread, told + 1);
            assertThat(after.model().matches(after.read()))
                    .as(
                            "thread %d after %d operations, seed %d: has %s, expected %s or %s",
                            thread, told, seed, read, before.model(), after.model())
                    .isTrue();
            progress.set(thread, told + 1);
            return after.model();
        }

        @Override
        public void close() throws Exception {
            machines.close();
        }
    }
}
