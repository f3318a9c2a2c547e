package io.farheap.objects.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.engine.EngineOf;
import io.farheap.objects.PersistentHeap;
import io.farheap.objects.transaction.HistoryGround.Kind;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a program's threads saw of its objects and collections, by the public API alone, has an
 * order that explains it: fields, texts, records, counters and collections of every kind, in
 * transactions that are lambdas, joined or begun by hand, in reads, and by single calls.
 */
class TypedHistoriesTest {
    private static final int ROUNDS_TO_NOTICE = 50;
    private static final int TRANSACTIONS = Boolean.getBoolean("test.deep") ? 1_500 : 200;

    @TempDir Path directory;

    @ParameterizedTest
    @Tag("sliced")
    @ValueSource(ints = {2, 3, 4, 8})
    void everyHistoryOfAProgramIsStrictlySerialisable(int threads) {
        record(threads, TRANSACTIONS);
    }

    @Tag("deep")
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 6, 8})
    void longHistoriesOfAProgramAreStrictlySerialisable(int threads) {
        for (int i = 0; i < 2; i++) {
            record(threads, 10_000);
        }
    }

    private void record(int threads, int transactions) {
        long seed = new Random().nextLong();
        System.out.println("TypedHistoriesTest: " + threads + " threads, seed " + seed);
        try (HistoryGround ground =
                HistoryGround.open(Kind.TYPED, directory.resolve("pool" + seed))) {
            HistoryRecorder recorder = ground.recorder("", HistoryLog.NONE, 0);
            List<RecordedTransaction> history = recorder.record(threads, transactions, seed);
            history.add(recorder.readAll("at the end"));
            assertThat(history.stream().filter(tx -> tx.committed)).hasSizeGreaterThan(1);
            assertThat(history.stream().filter(tx -> !tx.committed)).isNotEmpty();
            assertThat(SerialisabilityCheck.problemOf(history)).isEmpty();
            ground.requireAllOwned();
            assertThat(ground.historyBytes()).isZero();
        }
    }

    /** What is unreachable goes, what threads link meanwhile stays. */
    @ParameterizedTest
    @Tag("sliced")
    @ValueSource(ints = {2, 4})
    void soIsOneBesideReclaims(int threads) {
        long seed = new Random().nextLong();
        System.out.println("TypedHistoriesTest: beside reclaims, seed " + seed);
        try (PersistentHeap<TypedCells.Root> heap =
                        PersistentHeap.openOrCreate(
                                directory.resolve("pool"), 32 << 20, TypedCells.Root.class);
                ExecutorService executor = Executors.newSingleThreadExecutor()) {
            TypedCells cells = new TypedCells(heap);
            AtomicBoolean ended = new AtomicBoolean();
            CompletableFuture<Void> reclaims =
                    CompletableFuture.runAsync(() -> reclaimUntil(heap, ended), executor);
            HistoryRecorder recorder = new HistoryRecorder(cells, cells);
            List<RecordedTransaction> history;
            try {
                history = recorder.record(threads, TRANSACTIONS, seed);
            } finally {
                ended.set(true);
            }
            reclaims.join();
            history.add(recorder.readAll("at the end"));
            assertThat(SerialisabilityCheck.problemOf(history)).isEmpty();
        }
    }

    private static void reclaimUntil(PersistentHeap<?> heap, AtomicBoolean ended) {
        do {
            assertThat(heap.reclaim().objects()).isNotNegative();
        } while (!ended.get());
    }

    /** Chance must not be needed for long: these spoil histories in no time. */
    @ParameterizedTest
    @EnumSource(
            value = Mistake.class,
            names = {"NO_VALIDATION", "NO_HISTORY"})
    void aHistoryWithAMistakeIsNoticed(Mistake mistake) {
        String problem = "";
        for (int i = 0; i < ROUNDS_TO_NOTICE && problem.isEmpty(); i++) {
            ObjectPool pool =
                    ObjectPool.at(directory.resolve("pool" + i))
                            .layout("farheap-objects")
                            .size(16 << 20)
                            .create();
            PlantedHeap planted = new PlantedHeap(pool, mistake, true);
            Object unused = EngineOf.pool(pool).typedHeap(() -> planted.state);
            try (PersistentHeap<TypedCells.Root> heap =
                    PersistentHeap.over(pool, TypedCells.Root.class)) {
                problem = problemOf(new TypedCells(heap), i);
            }
        }
        assertThat(problem).isNotEmpty();
    }

    /** A body that meets another object's bytes may fail in any way, which is noticed, too. */
    private static String problemOf(TypedCells cells, long seed) {
        try {
            return SerialisabilityCheck.problemOf(
                    new HistoryRecorder(cells, cells).record(4, 500, seed));
        } catch (RuntimeException | AssertionError failure) {
            return failure.toString();
        }
    }
}
