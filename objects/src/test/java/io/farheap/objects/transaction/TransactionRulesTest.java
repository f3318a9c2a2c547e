package io.farheap.objects.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.PoolCounters;
import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.base.TransactionConflictException;
import io.farheap.engine.EngineOf;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What programs may count on, one sentence after the other. */
class TransactionRulesTest {
    private static final long TYPED = 1L << 32;
    private static final int HISTORY = 64 << 10;

    @TempDir Path directory;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private ObjectPool pool;
    private HeapTransactions heap;
    private long object;

    @BeforeEach
    void create() {
        pool = ObjectPool.at(directory.resolve("pool")).layout("objects").size(32 << 20).create();
        heap = new HeapTransactions(pool, HISTORY);
        object = heap.transaction(tx -> tx.allocate(4096, TYPED));
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        heap.close();
        pool.close();
    }

    // ---- conflicts ----

    @Test
    void aBodyRunsAgainAfterAConflict() {
        AtomicInteger runs = new AtomicInteger();
        change(
                tx -> {
                    long value = tx.getLong(object, 0);
                    if (runs.incrementAndGet() == 1) {
                        elsewhere(() -> set(object, 10));
                    }
                    tx.setLong(object, 0, value + 1);
                });
        assertThat(get(object)).isEqualTo(11);
        assertThat(runs).hasValue(2);
        assertThat(heap.counters().conflicts()).isEqualTo(1);
    }

    @Test
    void itRunsAloneAfterManyConflicts() {
        AtomicInteger runs = new AtomicInteger();
        change(
                tx -> {
                    long value = tx.getLong(object, 0);
                    if (heap.counters().alone() == 0) {
                        elsewhere(() -> set(object, 10));
                    }
                    runs.incrementAndGet();
                    tx.setLong(object, 0, value + 1);
                });
        assertThat(get(object)).isEqualTo(11);
        assertThat(runs).hasValueLessThanOrEqualTo(17);
        assertThat(heap.counters().alone()).isEqualTo(1);
    }

    @Test
    void whoCatchesAConflictMeetsItAgain() {
        AtomicInteger runs = new AtomicInteger();
        change(
                tx -> {
                    if (runs.incrementAndGet() == 1) {
                        elsewhere(() -> set(object, 10));
                        assertThatThrownBy(() -> tx.getLong(object, 0))
                                .isInstanceOf(TransactionConflictException.class);
                        assertThatThrownBy(() -> tx.setLong(object, 0, 1))
                                .isInstanceOf(TransactionConflictException.class);
                    }
                });
        assertThat(runs).hasValue(2);
    }

    @Test
    void linesOfASharedObjectConflictByThemselves() {
        assertThat(runsWhileElsewhereChanges(0, 128)).isEqualTo(1);
        assertThat(runsWhileElsewhereChanges(0, 0)).isEqualTo(2);
    }

    private int runsWhileElsewhereChanges(long mine, long other) {
        long shared = heap.transaction(tx -> tx.allocate(4096, TYPED));
        AtomicInteger runs = new AtomicInteger();
        change(
                tx -> {
                    tx.setSharedLong(shared, mine, tx.getSharedLong(shared, mine) + 1);
                    if (runs.incrementAndGet() == 1) {
                        elsewhere(() -> change(inner -> inner.setSharedLong(shared, other, 5)));
                    }
                });
        return runs.get();
    }

    @Test
    void whatAnotherOneFreedMeanwhileIsAConflictAndNoError() {
        long holder = heap.transaction(tx -> tx.allocate(64, TYPED));
        change(tx -> tx.setLong(holder, 0, object));
        AtomicInteger runs = new AtomicInteger();
        change(
                tx -> {
                    long target = tx.getLong(holder, 0);
                    if (runs.incrementAndGet() == 1) {
                        elsewhere(() -> replaceTargetOf(holder));
                    }
                    tx.setLong(target, 0, 3);
                });
        assertThat(runs).hasValue(2);
        assertThat(get(heap.read(tx -> tx.getLong(holder, 0)))).isEqualTo(3);
    }

    private void replaceTargetOf(long holder) {
        change(
                tx -> {
                    tx.free(tx.getLong(holder, 0));
                    tx.setLong(holder, 0, tx.allocate(4096, TYPED));
                });
    }

    // ---- nesting, exceptions, what comes after ----

    @Test
    void nestedCallsJoin() {
        change(
                tx -> {
                    tx.setLong(object, 0, 1);
                    assertThat(get(object)).isEqualTo(1);
                    set(object, 2);
                    assertThat(heap.current()).isSameAs(tx);
                    assertThat(seenElsewhere(object)).isZero();
                });
        assertThat(get(object)).isEqualTo(2);
        assertThat(heap.current()).isNull();
    }

    @Test
    void aTransactionInsideAReadIsRefused() {
        assertThatThrownBy(() -> heap.read(tx -> set(object, 1)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("A read can't change the heap");
    }

    @Test
    void anActionAfterTheCommitRunsOnceHoweverOftenTheBodyDoes() {
        List<Long> told = new ArrayList<>();
        AtomicInteger runs = new AtomicInteger();
        change(
                tx -> {
                    tx.afterCommit(() -> told.add(get(object)));
                    tx.setLong(object, 0, tx.getLong(object, 0) + 1);
                    if (runs.incrementAndGet() == 1) {
                        elsewhere(() -> set(object, 10));
                    }
                });
        assertThat(told).containsExactly(11L);
    }

    @Test
    void noActionRunsAfterAnAbort() {
        List<String> told = new ArrayList<>();
        assertThatThrownBy(
                        () ->
                                change(
                                        tx -> {
                                            tx.afterCommit(() -> told.add("told"));
                                            throw new IllegalStateException("on purpose");
                                        }))
                .hasMessage("on purpose");
        set(object, 1);
        assertThat(told).isEmpty();
    }

    @Test
    void anAbortFlushesAndFencesNothing() {
        PoolCounters before = pool.counters();
        assertThatThrownBy(
                        () ->
                                change(
                                        tx -> {
                                            tx.setLong(object, 0, 1);
                                            tx.free(object);
                                            throw new IllegalStateException("on purpose");
                                        }))
                .hasMessage("on purpose");
        assertThat(pool.counters().flushes()).isEqualTo(before.flushes());
        assertThat(pool.counters().fences()).isEqualTo(before.fences());
        assertThat(get(object)).isZero();
    }

    @Test
    void whatDidNotWriteTookNoLane() {
        PoolCounters before = pool.counters();
        change(tx -> assertThat(tx.getLong(object, 0)).isZero());
        assertThat(pool.counters()).isEqualTo(before);
    }

    @Test
    void afterItsEndATransactionIsOfNoUse() {
        List<HeapTransaction> kept = new ArrayList<>();
        change(kept::add);
        assertThatThrownBy(() -> kept.get(0).getLong(object, 0)).hasMessageContaining("has ended");
        assertThatThrownBy(() -> kept.get(0).setLong(object, 0, 1))
                .hasMessageContaining("has ended");
    }

    // ---- objects that come and go ----

    @Test
    void aNewObjectMayBeFreedAtOnce() {
        change(
                tx -> {
                    long fresh = tx.allocate(100, TYPED);
                    tx.setLong(fresh, 0, 1);
                    tx.free(fresh);
                    assertThatThrownBy(() -> tx.getLong(fresh, 0)).hasMessageContaining("freed");
                });
    }

    @Test
    void whatWasFreedHereIsNotUsedHere() {
        change(
                tx -> {
                    tx.free(object);
                    assertThatThrownBy(() -> tx.getLong(object, 0)).hasMessageContaining("freed");
                });
    }

    @Test
    void aReadKnowsTheSizeOfWhatWasFreedSince() {
        long size = heap.read(tx -> tx.usableSize(object));
        heap.read(
                tx -> {
                    elsewhere(() -> change(inner -> inner.free(object)));
                    assertThat(tx.usableSize(object)).isEqualTo(size);
                    return null;
                });
    }

    // ---- old bytes ----

    @Test
    void aReadForWhichTooMuchChangesRunsAgainAndTheThirdTimeHoldsWritersBack() {
        AtomicInteger runs = new AtomicInteger();
        long seen =
                heap.read(
                        tx -> {
                            if (runs.incrementAndGet() <= 2) {
                                elsewhere(this::changeMoreThanIsKept);
                            }
                            return tx.getLong(object, 0);
                        });
        assertThat(runs).hasValue(3);
        assertThat(seen).isEqualTo(get(object));
        assertThat(heap.counters().snapshotsTooOld()).isEqualTo(2);
        assertThat(heap.counters().historyBytes()).isZero();
    }

    private void changeMoreThanIsKept() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(4096);
            for (int i = 0; i < 2 * HISTORY / 4096; i++) {
                bytes.fill((byte) (i + 1));
                long other = heap.transaction(tx -> tx.allocate(4096, TYPED));
                change(tx -> tx.write(other, 0, bytes, 0, 4096));
                long at = 128L * i;
                change(tx -> tx.write(object, at, bytes, 0, 128));
            }
        }
    }

    @Test
    void oldBytesAreKeptWhileAReadNeedsThemAndNoLonger() {
        heap.read(
                tx -> {
                    elsewhere(() -> set(object, 1));
                    assertThat(heap.counters().historyBytes()).isPositive();
                    assertThat(tx.getLong(object, 0)).isZero();
                    return null;
                });
        assertThat(heap.counters().historyBytes()).isZero();
        set(object, 2);
        assertThat(heap.counters().historyBytes()).isZero();
    }

    @Test
    void whatIsReplacedAgainAndAgainDuringAReadIsKeptOnce() {
        heap.read(
                tx -> {
                    elsewhere(() -> set(object, 1));
                    long once = heap.counters().historyBytes();
                    elsewhere(
                            () -> {
                                for (int i = 0; i < 1000; i++) {
                                    set(object, i);
                                }
                            });
                    assertThat(heap.counters().historyBytes()).isEqualTo(once);
                    elsewhere(
                            () -> {
                                for (int i = 0; i < 1000; i++) {
                                    setWord(i % 4);
                                }
                            });
                    assertThat(heap.counters().historyBytes()).isEqualTo(4 * once);
                    assertThat(tx.getLong(object, 0)).isZero();
                    assertThat(tx.getLong(object, 8)).isZero();
                    return null;
                });
        assertThat(heap.counters().historyBytes()).isZero();
    }

    /** What counts is all that there is: old bytes that are no longer needed hang on no others. */
    @Test
    void whatIsNotCountedIsNotThere() {
        int commits = 300;
        int large = 16 << 10;
        long hot = heap.transaction(tx -> tx.allocate(large, TYPED));
        long[] others = small(commits);
        heap.read(
                tx -> {
                    long before = usedMemory();
                    elsewhere(
                            () -> {
                                MemorySegment bytes = MemorySegment.ofArray(new byte[large]);
                                for (int i = 0; i < commits; i++) {
                                    int at = i;
                                    bytes.fill((byte) (i + 1));
                                    change(
                                            inner -> {
                                                inner.write(hot, 0, bytes, 0, large);
                                                inner.setLong(others[at], 0, 1);
                                            });
                                }
                            });
                    assertThat(usedMemory() - before).isLessThan(commits * (long) large / 2);
                    return tx.getLong(hot, 0);
                });
        assertThat(heap.counters().historyBytes()).isZero();
    }

    private long[] small(int count) {
        long[] objects = new long[count];
        heap.transaction(
                tx -> {
                    for (int i = 0; i < count; i++) {
                        objects[i] = tx.allocate(64, TYPED);
                    }
                    return null;
                });
        return objects;
    }

    private static long usedMemory() {
        for (int i = 0; i < 4; i++) { // what others left needs more than one
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private void setWord(int word) {
        change(tx -> tx.setLong(object, 8L * word, 1));
    }

    /** What was freed is kept whole, whatever was kept of it before. */
    @Test
    void aReadKnowsWhatWasChangedAndThenFreed() {
        long size = heap.read(tx -> tx.usableSize(object));
        heap.read(
                tx -> {
                    elsewhere(() -> change(inner -> fill(inner, size)));
                    elsewhere(() -> change(inner -> inner.free(object)));
                    assertThat(tx.usableSize(object)).isEqualTo(size);
                    assertThat(tx.getLong(object, size - 8)).isZero();
                    return null;
                });
        assertThat(heap.counters().historyBytes()).isZero();
    }

    private void fill(HeapTransaction tx, long size) {
        for (long at = 0; at < size; at += Long.BYTES) {
            tx.setLong(object, at, at);
        }
    }

    // ---- by hand ----

    @Test
    void byHandItCommitsRollsBackAndMeetsConflicts() {
        try (ManualHeapTransaction manual = heap.begin()) {
            set(object, 1);
            manual.commit();
        }
        assertThat(get(object)).isEqualTo(1);
        try (ManualHeapTransaction manual = heap.begin()) {
            set(object, 2);
            manual.rollback();
        }
        assertThat(get(object)).isEqualTo(1);
        ManualHeapTransaction manual = heap.begin();
        set(object, get(object) + 1);
        elsewhere(() -> set(object, 10));
        assertThatThrownBy(manual::commit).isInstanceOf(TransactionConflictException.class);
        assertThat(get(object)).isEqualTo(10);
        assertThatThrownBy(manual::commit).hasMessageContaining("has ended");
    }

    // ---- beside the pool's own transactions ----

    @Test
    void thePoolItselfDoesNotChangeTypedObjects() {
        Ref ref = new Ref(pool.poolId(), object);
        for (Runnable change :
                List.<Runnable>of(
                        () -> pool.setLong(ref, 0, 1),
                        () -> pool.memory().raw().setLong(object, 0, 1),
                        () -> pool.atomic().free(ref),
                        () -> pool.transaction(tx -> tx.free(ref)),
                        () -> pool.transaction(tx -> tx.snapshot(ref, 0, 8)),
                        () -> pool.transaction(tx -> tx.allocate(64, TYPED)))) {
            assertThatThrownBy(change::run).hasMessageContaining("typed");
        }
        assertThat(pool.getLong(ref, 0)).isZero();
    }

    @Test
    void transactionsOfThePoolAndOfTypedObjectsDoNotMix() {
        assertThatThrownBy(() -> pool.transaction(tx -> set(object, 1)))
                .hasMessageContaining("A transaction of the pool itself is under way");
        assertThatThrownBy(
                        () ->
                                change(
                                        tx -> {
                                            tx.setLong(object, 0, 1);
                                            pool.transaction(inner -> {});
                                        }))
                .hasMessageContaining("A transaction of typed objects is under way");
        assertThat(get(object)).isZero();
    }

    @Test
    void twoOfOnePoolSeeEachOther() {
        HeapTransactions other = new HeapTransactions(pool);
        AtomicInteger runs = new AtomicInteger();
        change(
                tx -> {
                    tx.setLong(object, 0, tx.getLong(object, 0) + 1);
                    if (runs.incrementAndGet() == 1) {
                        elsewhere(
                                () ->
                                        other.transaction(
                                                inner -> {
                                                    inner.setLong(object, 0, 10);
                                                    return null;
                                                }));
                    }
                });
        assertThat(get(object)).isEqualTo(11);
        other.close();
    }

    // ---- the end ----

    @Test
    void closeWaitsForReads() {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Long> read =
                CompletableFuture.supplyAsync(
                        () ->
                                heap.read(
                                        tx -> {
                                            reading.countDown();
                                            await(goOn);
                                            return tx.getLong(object, 0);
                                        }),
                        threads);
        await(reading);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(heap::close, threads);
        assertThat(closing).isNotDone();
        goOn.countDown();
        closing.join();
        assertThat(read).isCompletedWithValue(0L);
        assertThatThrownBy(() -> get(object)).hasMessageContaining("closed");
        assertThatThrownBy(() -> set(object, 1)).hasMessageContaining("closed");
    }

    @Test
    void aThreadKeepsNothingOfAHeapThatNobodyHas() {
        WeakReference<HeapState> state = usedAndForgotten();
        Awaitility.await()
                .until(
                        () -> {
                            System.gc();
                            return state.refersTo(null);
                        });
    }

    private WeakReference<HeapState> usedAndForgotten() {
        HeapState state = HeapState.of(EngineOf.pool(pool), HISTORY);
        HeapTransactions forgotten = new HeapTransactions(state);
        assertThat(forgotten.<Long>read(tx -> tx.getLong(object, 0))).isZero();
        return new WeakReference<>(state);
    }

    // ---- steps ----

    private void change(Consumer<HeapTransaction> body) {
        heap.transaction(
                tx -> {
                    body.accept(tx);
                    return null;
                });
    }

    private Long set(long target, long value) {
        return heap.transaction(
                tx -> {
                    tx.setLong(target, 0, value);
                    return value;
                });
    }

    private long get(long target) {
        return heap.read(tx -> tx.getLong(target, 0));
    }

    private void elsewhere(Runnable action) {
        CompletableFuture.runAsync(action, threads).join();
    }

    private long seenElsewhere(long target) {
        return CompletableFuture.supplyAsync(() -> get(target), threads).join();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
