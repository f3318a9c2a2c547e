package io.farheap.objects.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What random transactions of several threads saw has an order that explains it. */
class RecordedHistoriesTest {
    private static final int ROUNDS_TO_NOTICE = 50;
    private static final int OF_COLLECTIONS = Boolean.getBoolean("test.deep") ? 1_000 : 150;

    @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 8})
    void everyHistoryIsStrictlySerialisable(int threads) {
        record(threads, 2_000, Registers::new);
    }

    @ParameterizedTest
    @Tag("sliced")
    @ValueSource(ints = {2, 4, 8})
    void soIsEveryHistoryOfCollections(int threads) {
        record(threads, OF_COLLECTIONS, CollectionCells::new);
    }

    @Tag("deep")
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 6, 8})
    void longHistoriesAreStrictlySerialisable(int threads) {
        for (int i = 0; i < 5; i++) {
            record(threads, 20_000, Registers::new);
        }
        for (int i = 0; i < 2; i++) {
            record(threads, 10_000, CollectionCells::new);
        }
    }

    private void record(
            int threads, int transactions, Function<HeapTransactions, RecordedCells> cells) {
        long seed = new Random().nextLong();
        System.out.println("RecordedHistoriesTest: " + threads + " threads, seed " + seed);
        try (ObjectPool pool =
                ObjectPool.at(directory.resolve("pool" + seed))
                        .layout("histories")
                        .size(64 << 20)
                        .create()) {
            Ref unused = pool.root(CollectionCells.ROOT_BYTES);
            HeapTransactions heap = new HeapTransactions(pool);
            List<RecordedTransaction> history =
                    new HistoryRecorder(RecordedHeap.of(heap), cells.apply(heap))
                            .record(threads, transactions, seed);
            assertThat(history.stream().filter(tx -> tx.committed)).isNotEmpty();
            assertThat(SerialisabilityCheck.problemOf(history)).isEmpty();
            heap.close();
            assertThat(heap.counters().historyBytes()).isZero();
        }
    }

    /** Chance must not be needed for long: these spoil histories in no time. */
    @ParameterizedTest
    @EnumSource(
            value = Mistake.class,
            names = {"NO_VALIDATION", "NO_HISTORY"})
    void aHistoryWithAMistakeIsNoticed(Mistake mistake) {
        String problem = "";
        for (int i = 0; i < ROUNDS_TO_NOTICE && problem.isEmpty(); i++) {
            try (ObjectPool pool =
                    ObjectPool.at(directory.resolve("pool" + i))
                            .layout("mistakes")
                            .size(16 << 20)
                            .create()) {
                PlantedHeap heap = new PlantedHeap(pool, mistake, true);
                problem =
                        problemOf(
                                new HistoryRecorder(
                                        RecordedHeap.of(heap.transactions),
                                        new Registers(heap.transactions)),
                                i);
                heap.transactions.close();
            }
        }
        assertThat(problem).isNotEmpty();
    }

    /** A body that meets another object's bytes may fail in any way, which is noticed, too. */
    private static String problemOf(HistoryRecorder recorder, long seed) {
        try {
            return SerialisabilityCheck.problemOf(recorder.record(4, 500, seed));
        } catch (RuntimeException | AssertionError failure) {
            return failure.toString();
        }
    }

    @Test
    void virtualThreadsAreThreads() throws InterruptedException {
        try (ObjectPool pool =
                ObjectPool.at(directory.resolve("virtual"))
                        .layout("virtual")
                        .size(16 << 20)
                        .create()) {
            HeapTransactions heap = new HeapTransactions(pool);
            long object = heap.transaction(tx -> tx.allocate(64, 7));
            Thread[] threads = new Thread[200];
            for (int i = 0; i < threads.length; i++) {
                threads[i] = Thread.startVirtualThread(() -> increment(heap, object));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(heap.<Long>read(tx -> tx.getLong(object, 0))).isEqualTo(threads.length);
        }
    }

    private static void increment(HeapTransactions heap, long object) {
        heap.transaction(
                tx -> {
                    tx.setLong(object, 0, tx.getLong(object, 0) + 1);
                    return null;
                });
    }
}
