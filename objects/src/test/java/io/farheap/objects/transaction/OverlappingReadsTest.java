package io.farheap.objects.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads that overlap, of objects that are replaced all the time: each sees the same again and
 * again, and what it sees belongs together.
 */
@Tag("sliced")
class OverlappingReadsTest {
    private static final int OBJECTS = 4;
    private static final int READERS = 3;
    private static final int WRITERS = 2;
    private static final int READS = Boolean.getBoolean("test.deep") ? 20_000 : 2_000;

    private static final int TURNS = 100_000;

    @TempDir Path directory;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private ObjectPool pool;
    private HeapTransactions heap;
    private final long[] objects = new long[OBJECTS];
    private long large;

    @BeforeEach
    void create() {
        pool = ObjectPool.at(directory.resolve("pool")).layout("objects").size(32 << 20).create();
        heap = new HeapTransactions(pool);
        for (int i = 0; i < OBJECTS; i++) {
            objects[i] = heap.transaction(tx -> tx.allocate(64, 7));
        }
        large = heap.transaction(tx -> tx.allocate(512, 7));
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        heap.close();
        pool.close();
    }

    /** Moves one from an object to another, so that the sum of all stays 0. */
    private void move(Random random) {
        long from = objects[random.nextInt(OBJECTS)];
        long to = objects[random.nextInt(OBJECTS)];
        long word = 8L * random.nextInt(8);
        heap.transaction(
                tx -> {
                    tx.setLong(from, word, tx.getLong(from, word) - 1);
                    tx.setLong(to, word, tx.getLong(to, word) + 1);
                    return null;
                });
    }

    private List<Long> look(HeapTransaction tx) {
        List<Long> seen = new ArrayList<>();
        for (long object : objects) {
            for (int word = 0; word < 8; word++) {
                seen.add(tx.getLong(object, 8L * word));
            }
        }
        return seen;
    }

    private void read(Random random, long seed) {
        heap.read(
                tx -> {
                    List<Long> first = look(tx);
                    assertThat(first.stream().mapToLong(Long::longValue).sum())
                            .as("seed %d", seed)
                            .isZero();
                    for (int i = random.nextInt(20); i > 0; i--) {
                        assertThat(look(tx)).as("seed %d", seed).isEqualTo(first);
                    }
                    return null;
                });
    }

    @Test
    void eachSeesOneInstant() {
        long seed = new Random().nextLong();
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            Random random = new Random(seed + i);
            writers.add(
                    CompletableFuture.runAsync(
                            () -> {
                                while (!isOver.get()) {
                                    move(random);
                                }
                            },
                            threads));
        }
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            Random random = new Random(seed - 1 - i);
            readers.add(
                    CompletableFuture.runAsync(
                            () -> {
                                for (int j = 0; j < READS; j++) {
                                    read(random, seed);
                                }
                            },
                            threads));
        }
        try {
            readers.forEach(CompletableFuture::join);
        } finally {
            isOver.set(true);
        }
        writers.forEach(CompletableFuture::join);
        move(new Random(seed)); // the end of a read drops nothing while a commit is about to
        assertThat(heap.counters().historyBytes()).isZero();
    }

    /** As many as a long read meets: each is kept, in one chain, and none is looked for in it. */
    @Test
    void theEndOfAReadDropsManyOldBytesAtOnce() {
        long begin =
                heap.read(
                        tx -> {
                            CompletableFuture.runAsync(this::replaceByTurns, threads).join();
                            assertThat(heap.counters().historyBytes()).isGreaterThan(64L * TURNS);
                            return System.nanoTime();
                        });
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
        assertThat(heap.counters().historyBytes()).isZero();
    }

    /** More ranges of one object than are looked for. */
    private void replaceByTurns() {
        for (int i = 0; i <= TURNS; i++) {
            long word = 8L * (i % 64);
            heap.transaction(
                    tx -> {
                        tx.setLong(large, word, 1);
                        return null;
                    });
        }
    }
}
