package io.farheap.objects.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeapTransactionsTest {
    private static final long OUTSIDE = 1L << 40;

    @TempDir Path directory;

    private ObjectPool pool;
    private HeapTransactions heap;

    @BeforeEach
    void create() {
        pool = ObjectPool.at(directory.resolve("pool")).layout("objects").size(16 << 20).create();
        heap = new HeapTransactions(pool);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void aTransactionIsSeenByTheNextRead() {
        long object = heap.transaction(tx -> tx.allocate(64, 7));
        heap.transaction(
                tx -> {
                    tx.setLong(object, 8, 42);
                    assertThat(tx.getLong(object, 8)).isEqualTo(42);
                    return null;
                });
        assertThat(valueAt(object, 8)).isEqualTo(42);
    }

    @Test
    void anExceptionLeavesNothingBehind() {
        long object = heap.transaction(tx -> tx.allocate(64, 7));
        assertThatThrownBy(
                        () ->
                                heap.transaction(
                                        tx -> {
                                            tx.setLong(object, 0, 1);
                                            throw new IllegalStateException("on purpose");
                                        }))
                .hasMessage("on purpose");
        assertThat(valueAt(object, 0)).isZero();
    }

    @Test
    void aReadRefusesToWrite() {
        long object = heap.transaction(tx -> tx.allocate(64, 7));
        assertThatThrownBy(
                        () ->
                                heap.read(
                                        tx -> {
                                            tx.setLong(object, 0, 1);
                                            return null;
                                        }))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("A read can't change the heap");
    }

    @Test
    void noUpdateIsLostWithoutALock() {
        long object = heap.transaction(tx -> tx.allocate(64, 7));
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(CompletableFuture.runAsync(() -> addTo(object, 500)));
        }
        threads.forEach(CompletableFuture::join);
        assertThat(valueAt(object, 0)).isEqualTo(2000);
    }

    private long valueAt(long object, long offset) {
        return heap.read(tx -> tx.getLong(object, offset));
    }

    private void addTo(long object, int times) {
        for (int i = 0; i < times; i++) {
            heap.transaction(
                    tx -> {
                        tx.setLong(object, 0, tx.getLong(object, 0) + 1);
                        return null;
                    });
        }
    }

    private void addElsewhere(long object) {
        CompletableFuture.runAsync(() -> addTo(object, 1)).join();
    }

    private static void assertDamaged(ThrowingCallable use) {
        assertThatThrownBy(use)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(FarheapException.Category.BAD_DATA))
                .hasMessageContaining("outside of the pool");
    }

    /** A commit that came in between may explain what it loaded: only then it looks again. */
    @Test
    void aGlanceThatWasOvertakenLooksAgainBeforeItSaysThatThePoolIsDamaged() {
        long object = heap.transaction(tx -> tx.allocate(64, 7));
        AtomicInteger runs = new AtomicInteger();
        assertDamaged(
                () ->
                        heap.glance(
                                tx -> {
                                    if (runs.incrementAndGet() == 1) {
                                        addElsewhere(object);
                                    }
                                    return tx.getLong(OUTSIDE, 0);
                                }));
        assertThat(runs).hasValue(2);
        assertDamaged(
                () ->
                        heap.glance(
                                tx -> {
                                    runs.incrementAndGet();
                                    return tx.getLong(OUTSIDE, 0);
                                }));
        assertThat(runs).hasValue(3);
    }

    @Test
    void aTransactionThatWasOvertakenDoesTheSame() {
        long object = heap.transaction(tx -> tx.allocate(64, 7));
        AtomicInteger runs = new AtomicInteger();
        assertDamaged(
                () ->
                        heap.transaction(
                                tx -> {
                                    long read = tx.getLong(object, 0);
                                    if (runs.incrementAndGet() == 1) {
                                        addElsewhere(object);
                                    }
                                    return read + tx.getLong(OUTSIDE, 0);
                                }));
        assertThat(runs).hasValue(2);
    }

    @Test
    void whatLiesOutsideOfThePoolIsDamageByWhateverMethod() {
        MemorySegment target = MemorySegment.ofArray(new byte[16]);
        List<Consumer<HeapTransaction>> loads =
                List.of(
                        tx -> assertThat(tx.getLong(OUTSIDE, 0)).isZero(),
                        tx -> assertThat(tx.getInt(OUTSIDE, 0)).isZero(),
                        tx -> assertThat(tx.getShort(OUTSIDE, 0)).isZero(),
                        tx -> assertThat(tx.getByte(OUTSIDE, 0)).isZero(),
                        tx -> assertThat(tx.getSharedLong(OUTSIDE, 0)).isZero(),
                        tx -> tx.read(OUTSIDE, 0, target, 0, 16),
                        tx -> tx.readShared(OUTSIDE, 0, target, 0, 16),
                        tx -> assertThat(tx.getLong(-8, 0)).isZero());
        for (Consumer<HeapTransaction> load : loads) {
            assertDamaged(() -> heap.glance(tx -> loaded(load, tx)));
            assertDamaged(() -> heap.read(tx -> loaded(load, tx)));
            assertDamaged(() -> heap.transaction(tx -> loaded(load, tx)));
        }
    }

    private static Object loaded(Consumer<HeapTransaction> load, HeapTransaction tx) {
        load.accept(tx);
        return null;
    }

    @Test
    void whatComesAfterTheCommitRunsOnce() {
        List<String> told = new ArrayList<>();
        heap.transaction(
                tx -> {
                    tx.afterCommit(() -> told.add("done"));
                    return tx.allocate(16, 7);
                });
        assertThat(told).containsExactly("done");
    }
}
