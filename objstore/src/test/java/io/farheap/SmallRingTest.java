package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.PersistenceDomain;
import io.farheap.base.Ref;
import io.farheap.testing.LosingDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The smallest disk journal under more than it can hold at once. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SmallRingTest {
    private static final PoolOptions JOURNAL =
            PoolOptions.builder().persistence(PersistenceDomain.JOURNAL).build();
    private static final PoolOptions PAGES =
            PoolOptions.builder().persistence(PersistenceDomain.PAGE_CACHE).build();
    private static final int RING = 2 << 20;

    @TempDir private Path directory;
    private Path file;

    @BeforeEach
    void nameIt() {
        file = directory.resolve("a.pool");
    }

    private ObjectPool created(long size) {
        ObjectPool pool =
                ObjectPool.at(file)
                        .layout("")
                        .size(size)
                        .options(JOURNAL.toBuilder().journalBytes(RING).build())
                        .create();
        assertThat(pool.diskJournals().get(0).bytes()).isEqualTo(8192 + RING);
        return pool;
    }

    /** All words of an object are the same; what they are. */
    private static long value(ObjectPool pool, Ref object, long bytes) {
        long first = pool.getLong(object, 0);
        for (long at = 0; at < bytes; at += 8) {
            assertThat(pool.getLong(object, at)).isEqualTo(first);
        }
        return first;
    }

    private static void fill(Transaction tx, Ref object, long bytes, long value) {
        for (long at = 0; at < bytes; at += 8) {
            tx.setLong(object, at, value);
        }
    }

    @Test
    void aTransactionOfManyRingsCommitsAndAborts() {
        long bytes = 4 * RING;
        try (ObjectPool pool = created(64 << 20)) {
            Ref object = pool.compute(tx -> tx.allocateZeroed(bytes, 1));
            for (long value = 1; value <= 3; value++) {
                long now = value;
                pool.transaction(tx -> fill(tx, object, bytes, now));
            }
            assertThat(pool.counters().checkpoints()).isGreaterThan(3);
            try {
                pool.transaction(
                        tx -> {
                            fill(tx, object, bytes, 99);
                            throw new IllegalStateException("no");
                        });
            } catch (IllegalStateException expected) {
                assertThat(expected).hasMessage("no");
            }
            assertThat(value(pool, object, bytes)).isEqualTo(3);
        }
    }

    /** What lies in the files in the middle of a transaction of many rings is undone. */
    @Test
    void whatWasBegunIsUndoneAfterAKill() {
        long bytes = 3 * RING;
        List<Map<Path, byte[]>> left = new ArrayList<>();
        long offset;
        try (ObjectPool pool = created(32 << 20)) {
            Ref object = pool.compute(tx -> tx.allocateZeroed(bytes, 1));
            offset = object.offset();
            pool.transaction(tx -> fill(tx, object, bytes, 1));
            pool.transaction(
                    tx -> {
                        fill(tx, object, bytes, 2);
                        left.add(LosingDisk.read(directory));
                    });
        }
        LosingDisk.write(directory, left.get(0));
        try (ObjectPool pool = ObjectPool.at(file).layout("").options(PAGES).open()) {
            assertThat(pool.check().inconsistencies()).isEmpty();
            Ref object = pool.objects(1).iterator().next();
            assertThat(object.offset()).isEqualTo(offset);
            assertThat(value(pool, object, bytes)).isEqualTo(1);
        }
    }

    /** Their undo logs need extensions, and are larger together than the ring. */
    @Test
    void manyThreadsWithLongLogsGetOnAndNoneFails() throws Exception {
        int threads = 16;
        int bytes = 192 << 10;
        int rounds = 12;
        List<Ref> objects = new ArrayList<>();
        try (ObjectPool pool = created(64 << 20);
                ExecutorService all = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> running = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                Ref object = pool.compute(tx -> tx.allocateZeroed(bytes, 1));
                objects.add(object);
                running.add(
                        all.submit(
                                () -> {
                                    for (long round = 1; round <= rounds; round++) {
                                        long value = round;
                                        pool.transaction(
                                                tx -> {
                                                    fill(tx, object, bytes, value);
                                                    tx.free(tx.allocate(5000, 2));
                                                });
                                    }
                                }));
            }
            for (Future<?> each : running) {
                Object unused = each.get(100, TimeUnit.SECONDS);
            }
            assertThat(pool.counters().checkpoints()).isGreaterThan(10);
        }
        try (ObjectPool pool = ObjectPool.at(file).layout("").options(PAGES).open()) {
            assertThat(pool.check().inconsistencies()).isEmpty();
            for (Ref object : pool.objects(1)) {
                assertThat(value(pool, object, bytes)).isEqualTo(rounds);
            }
        }
    }

    /** The smallest pool: what it can hold at all, it can change at once. */
    @Test
    void theSmallestPoolIsChangedAsAWhole() {
        try (ObjectPool pool =
                ObjectPool.at(file).layout("").size(8 << 20).options(JOURNAL).create()) {
            assertThat(pool.diskJournals().get(0).bytes()).isEqualTo(8192 + RING);
            long bytes = 1 << 20;
            Ref object = pool.compute(tx -> tx.allocateZeroed(bytes, 1));
            for (long value = 1; value <= 20; value++) {
                long now = value;
                pool.transaction(tx -> fill(tx, object, bytes, now));
            }
            assertThat(value(pool, object, bytes)).isEqualTo(20);
        }
    }
}
