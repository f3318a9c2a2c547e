package io.farheap.objects.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.FarheapException;
import io.farheap.base.SnapshotTooOldException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bodies that catch or wrap what was not meant for them spoil nothing. */
class CarelessBodiesTest {
    private static final int HISTORY = 16 << 10;
    private static final int BYTES = 4096;

    @TempDir Path directory;

    private ObjectPool pool;
    private HeapTransactions heap;
    private long object;

    @BeforeEach
    void create() {
        pool = ObjectPool.at(directory.resolve("pool")).layout("objects").size(16 << 20).create();
        heap = new HeapTransactions(pool, HISTORY);
        object = heap.transaction(tx -> tx.allocate(BYTES, 7));
    }

    @AfterEach
    void close() {
        heap.close();
        pool.close();
    }

    private void change(Consumer<HeapTransaction> body) {
        heap.transaction(
                tx -> {
                    body.accept(tx);
                    return null;
                });
    }

    private long get(long from) {
        return heap.read(tx -> tx.getLong(from, 0));
    }

    private void elsewhere(Consumer<HeapTransaction> body) {
        CompletableFuture.runAsync(() -> change(body)).join();
    }

    private void changeMoreThanIsKept() {
        MemorySegment bytes = MemorySegment.ofArray(new byte[BYTES]);
        for (int i = 0; i < 2 * HISTORY / BYTES; i++) {
            bytes.fill((byte) (i + 1));
            long other = heap.transaction(tx -> tx.allocate(BYTES, 7));
            change(tx -> tx.write(other, 0, bytes, 0, BYTES));
            change(tx -> tx.write(object, 0, bytes, 0, BYTES));
        }
    }

    @Test
    void aReadRunsAgainWhateverItsBodyMakesOfBytesThatAreGone() {
        for (Function<RuntimeException, Error> wrapped :
                List.<Function<RuntimeException, Error>>of(
                        AssertionError::new,
                        gone -> {
                            throw new IllegalStateException(gone);
                        })) {
            AtomicInteger runs = new AtomicInteger();
            long seen =
                    heap.read(
                            tx -> {
                                if (runs.incrementAndGet() == 1) {
                                    CompletableFuture.runAsync(this::changeMoreThanIsKept).join();
                                }
                                try {
                                    return tx.getLong(object, 0);
                                } catch (SnapshotTooOldException gone) {
                                    throw wrapped.apply(gone);
                                }
                            });
            assertThat(runs).hasValue(2);
            assertThat(seen).isEqualTo(get(object));
        }
    }

    @Test
    void nothingIsCommittedAfterHalfAChange() {
        assertThatThrownBy(
                        () ->
                                change(
                                        tx -> {
                                            assertThatThrownBy(() -> heap.change(this::half))
                                                    .hasMessage("on purpose");
                                            assertThatThrownBy(() -> tx.getLong(object, 0))
                                                    .hasMessageContaining("in its middle");
                                        }))
                .hasMessageContaining("in its middle (on purpose)");
        assertThat(get(object)).isZero();
        change(
                tx -> {
                    assertThatThrownBy(() -> heap.change(this::refused)).hasMessage("on purpose");
                    tx.setLong(object, 0, 2);
                });
        assertThat(get(object)).isEqualTo(2);
    }

    private Void half(HeapTransaction tx) {
        tx.setLong(object, 0, 1);
        return refused(tx);
    }

    private Void refused(HeapTransaction tx) {
        assertThat(tx.isWriter()).isTrue();
        throw new IllegalStateException("on purpose");
    }

    @Test
    void whatAJoinedTransactionChangedStaysWhenItsExceptionIsCaught() {
        change(
                tx -> {
                    assertThatThrownBy(() -> heap.transaction(this::half)).hasMessage("on purpose");
                    tx.setLong(object, 8, 5);
                });
        assertThat(get(object)).isEqualTo(1);
    }

    @Test
    void whatIsFreedTwiceAtATimeIsFreedOnce() {
        AtomicInteger runs = new AtomicInteger();
        assertThatThrownBy(
                        () ->
                                change(
                                        tx -> {
                                            runs.incrementAndGet();
                                            tx.free(object);
                                            if (runs.get() == 1) {
                                                elsewhere(other -> other.free(object));
                                            }
                                        }))
                .isInstanceOf(FarheapException.class);
        assertThat(runs).hasValue(2);
        assertThat(pool.objects()).isEmpty();
    }

    @Test
    void whatAnAbortedTransactionAllocatedOrFreedIsAsBefore() {
        assertThatThrownBy(
                        () ->
                                change(
                                        tx -> {
                                            tx.setLong(object, 0, tx.allocate(100, 7));
                                            tx.free(object);
                                            throw new IllegalStateException("on purpose");
                                        }))
                .hasMessage("on purpose");
        assertThat(get(object)).isZero();
        assertThat(pool.objects()).hasSize(1);
    }

    @Test
    void allActionsAfterTheCommitRunWhateverOneOfThemThrows() {
        List<String> told = new ArrayList<>();
        assertThatThrownBy(
                        () ->
                                change(
                                        tx -> {
                                            tx.setLong(object, 0, 3);
                                            tx.afterCommit(() -> throwIt("first"));
                                            tx.afterCommit(() -> throwIt("second"));
                                            tx.afterCommit(() -> told.add("third"));
                                        }))
                .hasMessage("first")
                .satisfies(
                        first ->
                                assertThat(first.getSuppressed())
                                        .extracting(Throwable::getMessage)
                                        .containsExactly("second"));
        assertThat(told).containsExactly("third");
        assertThat(get(object)).isEqualTo(3);
    }

    private static void throwIt(String message) {
        throw new IllegalStateException(message);
    }

    @Test
    void aReadHasNothingToTellAfterACommit() {
        assertThatThrownBy(
                        () ->
                                heap.read(
                                        tx -> {
                                            tx.afterCommit(() -> {});
                                            return null;
                                        }))
                .hasMessageContaining("A read can't change the heap");
    }
}
