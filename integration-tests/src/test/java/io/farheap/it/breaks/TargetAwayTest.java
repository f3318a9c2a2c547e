package io.farheap.it.breaks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.it.support.Cables;
import io.farheap.it.support.Cables.Lane;
import io.farheap.it.support.Machines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Under {@code degrade} a target is away for 10 s while a program commits, and is back: current
 * again without the program noticing, by sending little more than what changed.
 */
@Tag("deep")
@Timeout(240)
class TargetAwayTest {
    private static final Duration AWAY = Duration.ofSeconds(10);
    private static final int OBJECTS = 3000;
    private static final int OBJECT_BYTES = 12_000;
    private static final int SMALL_BYTES = 64;

    /** Commits go on, but a program does other things, too. */
    private static final long PAUSE_NANOS = 2_000_000;

    private final Machines machines = Machines.with(Counted.TARGET);
    private final Cables cables = machines.useCables();
    private Counted counted;

    @AfterEach
    void endAll() {
        counted.close();
        machines.close();
    }

    /** A thread that writes to objects, one after another at random, and times each commit. */
    private static final class Writer {
        private final ObjectPool pool;
        private final Ref[] objects;
        private final int bytes;
        private final SplittableRandom random = new SplittableRandom(7);
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final Thread thread;
        private long[] nanos = new long[1 << 12];
        private int count;
        private boolean stop;

        /**
         * @param bytes of each commit
         */
        Writer(ObjectPool pool, Ref[] objects, int bytes) {
            this.pool = pool;
            this.objects = objects;
            this.bytes = bytes;
            this.thread = Thread.ofPlatform().start(this::run);
        }

        private void run() {
            try {
                while (!isStopped()) {
                    byte[] content = new byte[bytes];
                    random.nextBytes(content);
                    Ref object = objects[random.nextInt(objects.length)];
                    long begin = System.nanoTime();
                    pool.transaction(tx -> tx.writeBytes(object, 0, content));
                    took(System.nanoTime() - begin);
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } catch (RuntimeException | Error e) {
                failure.set(e);
            }
        }

        private synchronized boolean isStopped() {
            return stop;
        }

        private synchronized void took(long duration) {
            if (count == nanos.length) {
                nanos = Arrays.copyOf(nanos, 2 * count);
            }
            nanos[count++] = duration;
        }

        /** What the commits since the last time took, sorted. */
        synchronized long[] taken() {
            long[] sorted = Arrays.copyOf(nanos, count);
            count = 0;
            Arrays.sort(sorted);
            return sorted;
        }

        void end() throws InterruptedException {
            synchronized (this) {
                stop = true;
            }
            thread.join();
            assertThat(failure.get()).as("what the application noticed").isNull();
        }
    }

    /** Large commits, and ones that are scattered over the pool. */
    @ParameterizedTest
    @ValueSource(ints = {OBJECT_BYTES, SMALL_BYTES})
    void itIsCurrentAgainWithoutTheProgramNoticing(int commitBytes) throws Exception {
        machines.poolSet(Counted.TARGET, "copy.set", "64M");
        counted = new Counted(machines, "bank", "64M");
        ObjectPool pool = counted.open(ReplicaPolicy.DEGRADE).pool();
        Writer writer = new Writer(pool, objects(pool), commitBytes);
        awaitCommits(writer, 100);

        machines.killAll(Counted.TARGET);
        var unused = counted.await(State.LOST);
        byte[] before = Files.readAllBytes(counted.part());
        long arrived = cables.carried(Lane.DATA_THERE);
        long[] switched = writer.taken();
        LockSupport.parkNanos(AWAY.toNanos()); // how long it is away is what the test is about
        long[] away = writer.taken();
        machines.bringUp(Counted.TARGET);
        unused = counted.await(State.ATTACHED);
        long sent = cables.carried(Lane.DATA_THERE) - arrived;
        byte[] after = Files.readAllBytes(counted.part());
        long[] back = writer.taken();
        writer.end();
        counted.assertCurrent();

        long bytes = changedBytes(before, after);
        System.out.printf(
                "TargetAwayTest: %d commits of %d B while away; %d bytes changed, %d sent (%.2f"
                        + " times)%n",
                away.length, commitBytes, bytes, sent, (double) sent / bytes);
        System.out.printf(
                "TargetAwayTest: commits take (p50, p99, longest, in us) %s while it is away, %s"
                        + " without any replica, %s when it is lost, %s when it returns%n",
                figures(away), figures(alone(commitBytes)), figures(switched), figures(back));
        assertThat(away.length).isGreaterThan(100);
        assertThat(sent).as("bytes sent").isBetween(bytes / 2, 2 * bytes);
        assertThat(back[back.length - 1])
                .as("the longest commit while it returned, in ns")
                .isLessThan(machines.settings().commitTimeout().toNanos());
    }

    private static Ref[] objects(ObjectPool pool) {
        Ref[] objects = new Ref[OBJECTS];
        for (int i = 0; i < OBJECTS; i++) {
            objects[i] = pool.compute(tx -> tx.allocateZeroed(OBJECT_BYTES, 2));
        }
        return objects;
    }

    private static void awaitCommits(Writer writer, int more) {
        long[] count = {0};
        await().until(
                        () -> {
                            count[0] += writer.taken().length;
                            return count[0] > more;
                        });
    }

    /** The same work on a pool without a replica. */
    private long[] alone(int commitBytes) throws InterruptedException {
        Path set = machines.poolSet("here", "alone.set", "64M");
        try (ObjectPool pool = ObjectPool.create(set, Counted.LAYOUT)) {
            Writer writer = new Writer(pool, objects(pool), commitBytes);
            long[] unused = writer.taken();
            LockSupport.parkNanos(Duration.ofSeconds(2).toNanos());
            long[] taken = writer.taken();
            writer.end();
            return taken;
        }
    }

    private static String figures(long[] sorted) {
        int last = sorted.length - 1;
        return "%d, %d, %d"
                .formatted(
                        sorted[last / 2] / 1000,
                        sorted[(int) (last * 0.99)] / 1000,
                        sorted[last] / 1000);
    }

    private static long changedBytes(byte[] before, byte[] after) {
        long changed = 0;
        for (int i = 0; i < before.length; i++) {
            changed += before[i] == after[i] ? 0 : 1;
        }
        return changed;
    }
}
