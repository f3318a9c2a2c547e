package io.farheap.objects.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.TransactionConflictException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongUnaryOperator;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

/**
 * What may happen between two steps of a thread, each a small story about the objects x, y and z,
 * which are 0 at first. Each holds with all rules of the transactions.
 */
final class Scenarios {
    private static final int BYTES = 64;

    /** Of this size a block is soon given out again. */
    private static final int LARGE = 300_000;

    private final PlantedHeap heap;
    private final Executor threads;
    private final long x;
    private final long y;
    private final long z;

    Scenarios(PlantedHeap heap, Executor threads) {
        this.heap = heap;
        this.threads = threads;
        this.x = allocate(BYTES);
        this.y = allocate(BYTES);
        this.z = allocate(BYTES);
    }

    void aReadSeesNothingOfACommitUnderWay() {
        List<Long> seen = new ArrayList<>();
        heap.onceAfterStore(() -> seen.add(elsewhere(() -> get(x))));
        setBoth(1);
        assertThat(seen).containsExactly(0L);
        assertThat(get(x)).isEqualTo(1);
    }

    void aReadSeesNothingOfACommitBetweenItsLooks() {
        heap.onceAfterFirstLook(() -> elsewhere(() -> setBoth(1)));
        assertThat(sumInOneRead()).isZero();
    }

    void aReadSeesNothingOfACommitBeforeItLooksAtTheClock() {
        heap.onceBeforeLookAtClock(() -> elsewhere(() -> setBoth(1)));
        assertThat(sumInOneRead()).isZero();
    }

    void aReadSeesOneInstantHoweverLong() {
        long sum =
                heap.transactions.read(
                        tx -> {
                            long first = tx.getLong(x, 0);
                            elsewhere(() -> setBoth(1));
                            elsewhere(() -> setBoth(2));
                            return first + tx.getLong(y, 0);
                        });
        assertThat(sum).isZero();
        assertThat(get(y)).isEqualTo(2);
    }

    /** y is replaced again and again after the one began, and after the other did. */
    void readsOfDifferentInstantsEachSeeTheirs() {
        SlowRead first = new SlowRead();
        SlowRead second = new SlowRead();
        first.first();
        setBoth(1);
        set(y, 2);
        second.first();
        set(y, 3);
        set(y, 4);
        assertThat(second.rest()).isEqualTo(1 + 2);
        set(y, 5);
        assertThat(first.rest()).isZero();
        assertThat(get(y)).isEqualTo(5);
    }

    void aReadDoesNotCountOnACommitUnderWay() {
        SlowRead read = new SlowRead();
        heap.onceAfterVersion(read::first);
        setBoth(1);
        assertThat(read.rest()).isZero();
    }

    void aReadDoesNotSkipAnOlderCommitUnderWay() {
        SlowRead read = new SlowRead();
        CountDownLatch underWay = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        heap.onceAfterVersion(
                () -> {
                    underWay.countDown();
                    await(begun);
                });
        CompletableFuture<Long> older = begin(() -> setBoth(1));
        await(underWay);
        heap.onceBeforeWait(
                () -> {
                    read.first();
                    begun.countDown();
                });
        set(z, 1);
        older.join();
        assertThat(read.rest()).isZero();
    }

    /** The older commit read z as it was, so who sees the newer one sees the older one, too. */
    void whatBeginsAfterACommitSeesIt() {
        CountDownLatch underWay = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        heap.onceAfterStore(
                () -> {
                    underWay.countDown();
                    await(goOn);
                });
        CompletableFuture<Long> older = begin(() -> setIfOtherIsZero(x, z));
        await(underWay);
        heap.onceBeforeWait(goOn::countDown);
        set(z, 1);
        long seen = heap.transactions.read(tx -> tx.getLong(x, 0) + tx.getLong(z, 0));
        goOn.countDown();
        older.join();
        assertThat(seen).isEqualTo(2);
    }

    void twoDoNotBothActOnWhatTheOtherChanges() {
        AtomicInteger runs = new AtomicInteger();
        heap.transactions.transaction(
                tx -> {
                    if (tx.getLong(y, 0) == 0) {
                        tx.setLong(x, 0, 1);
                    }
                    if (runs.getAndIncrement() == 0) {
                        elsewhere(() -> setIfOtherIsZero(y, x));
                    }
                    return null;
                });
        assertThat(sumInOneRead()).isEqualTo(1);
    }

    void noUpdateIsLostBetweenLookAndLock() {
        heap.onceBeforeLock(() -> elsewhere(() -> increment(x)));
        increment(x);
        assertThat(get(x)).isEqualTo(2);
    }

    void aReadSeesNothingOfACommitThatFails() {
        CountDownLatch stored = new CountDownLatch(1);
        CountDownLatch loaded = new CountDownLatch(1);
        heap.onceInPlaceOfCommit(
                () -> {
                    heap.state.memory.putLong(x, 99);
                    stored.countDown();
                    await(loaded);
                    heap.state.memory.putLong(x, 0);
                });
        AtomicReference<CompletableFuture<Long>> failing = new AtomicReference<>();
        heap.onceAfterFirstLook(
                () -> {
                    failing.set(begin(() -> set(x, 99)));
                    await(stored);
                });
        heap.onceBeforeSecondLook(
                () -> {
                    loaded.countDown();
                    assertThat(failing.get().handle((ok, failure) -> failure).join())
                            .hasMessageContaining("The pool can't commit");
                });
        assertThat(get(x)).isZero();
        assertThat(get(x)).isZero();
    }

    void aReadSeesWhatWasFreedAndUsedAgain() {
        long object = allocate(LARGE);
        set(object, 5);
        long seen =
                heap.transactions.read(
                        tx -> {
                            elsewhere(() -> freeAndUseAgain(object, 9));
                            assertThat(heap.state.memory.getLong(object)).isEqualTo(9);
                            return tx.getLong(object, 0);
                        });
        assertThat(seen).isEqualTo(5);
    }

    void aGlanceSeesNothingOfACommitBetweenItsLooks() {
        AtomicInteger runs = new AtomicInteger();
        long sum =
                heap.transactions.glance(
                        tx -> {
                            long first = tx.getLong(x, 0);
                            if (runs.getAndIncrement() == 0) {
                                heap.onceAfterFirstLook(() -> elsewhere(() -> setBoth(1)));
                            }
                            return first + tx.getLong(y, 0);
                        });
        assertThat(sum).isIn(0L, 2L);
    }

    /** Also where its body goes on after what told it that it was overtaken. */
    void aGlanceSeesOneInstant() {
        AtomicInteger runs = new AtomicInteger();
        long sum =
                heap.transactions.glance(
                        tx -> {
                            long first = tx.getLong(x, 0);
                            if (runs.getAndIncrement() == 0) {
                                elsewhere(() -> setBoth(1));
                            }
                            return first + getOr(tx, y, 5);
                        });
        assertThat(sum).isIn(0L, 2L);
        assertThat(runs).hasValue(2);
    }

    private static long getOr(HeapTransaction tx, long object, long otherwise) {
        try {
            return tx.getLong(object, 0);
        } catch (RuntimeException caught) {
            return otherwise;
        }
    }

    /** x refers to the object. */
    void aGlanceSeesNothingOfWhatWasFreedAndUsedAgain() {
        long object = allocate(LARGE);
        set(object, 5);
        set(x, object);
        AtomicInteger runs = new AtomicInteger();
        long seen =
                heap.transactions.glance(
                        tx -> {
                            long referred = tx.getLong(x, 0);
                            if (runs.getAndIncrement() == 0) {
                                elsewhere(() -> set(x, 0) + freeAndUseAgain(object, 9));
                                assertThat(heap.state.memory.getLong(object)).isEqualTo(9);
                            }
                            return referred == 0 ? 0 : tx.getLong(referred, 0);
                        });
        assertThat(seen).isIn(0L, 5L);
    }

    /** The other one commits between the store's look at the object and the store. */
    void aStoreInWhatIsBeingFreedIsAConflict() {
        MemorySegment bytes = MemorySegment.ofArray(new byte[200]);
        requireConflict(this::free, (tx, object) -> tx.setLong(object, 0, 1));
        requireConflict(this::free, (tx, object) -> tx.write(object, 0, bytes, 0, 200));
        requireConflict(this::free, HeapTransaction::usableSize);
        requireConflict(this::free, HeapTransaction::free);
        requireConflict(this::freeShared, HeapTransaction::freeShared);
        requireConflict(this::freeShared, (tx, object) -> tx.setSharedLong(object, 128, 1));
        requireConflict(this::freeShared, (tx, object) -> tx.writeShared(object, 0, bytes, 0, 200));
    }

    private void requireConflict(LongUnaryOperator free, ObjLongConsumer<HeapTransaction> store) {
        long object = allocate(LARGE);
        try (ManualHeapTransaction manual = heap.transactions.begin()) {
            HeapTransaction tx = heap.transactions.current();
            heap.onceAfterFirstLook(() -> elsewhere(() -> free.applyAsLong(object)));
            assertThatThrownBy(() -> store.accept(tx, object))
                    .isInstanceOf(TransactionConflictException.class);
            manual.rollback();
        }
    }

    // ---- steps ----

    private long free(long object) {
        return heap.transactions.transaction(
                tx -> {
                    tx.free(object);
                    return 0L;
                });
    }

    private long freeShared(long object) {
        return heap.transactions.transaction(
                tx -> {
                    tx.freeShared(object);
                    return 0L;
                });
    }

    private long allocate(long bytes) {
        return heap.transactions.transaction(tx -> tx.allocate(bytes, 7));
    }

    private long get(long object) {
        return heap.transactions.read(tx -> tx.getLong(object, 0));
    }

    private long sumInOneRead() {
        return heap.transactions.read(tx -> tx.getLong(x, 0) + tx.getLong(y, 0));
    }

    private long set(long object, long value) {
        return heap.transactions.transaction(
                tx -> {
                    tx.setLong(object, 0, value);
                    return value;
                });
    }

    private long setBoth(long value) {
        return heap.transactions.transaction(
                tx -> {
                    tx.setLong(x, 0, value);
                    tx.setLong(y, 0, value);
                    return value;
                });
    }

    private long setIfOtherIsZero(long object, long other) {
        return heap.transactions.transaction(
                tx -> {
                    if (tx.getLong(other, 0) == 0) {
                        tx.setLong(object, 0, 1);
                    }
                    return 0L;
                });
    }

    private long increment(long object) {
        return heap.transactions.transaction(
                tx -> {
                    long value = tx.getLong(object, 0) + 1;
                    tx.setLong(object, 0, value);
                    return value;
                });
    }

    /** Frees an object and fills new ones of its size until one lies in its place. */
    private long freeAndUseAgain(long object, long value) {
        free(object);
        long fresh = 0;
        for (int i = 0; fresh != object && i < 100; i++) {
            fresh =
                    heap.transactions.transaction(
                            tx -> {
                                long next = tx.allocate(LARGE, 7);
                                tx.setLong(next, 0, value);
                                return next;
                            });
        }
        return fresh;
    }

    /** A read in a thread of its own that stops between x and y. */
    private final class SlowRead {
        private final CountDownLatch readFirst = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private CompletableFuture<Long> sum;

        void first() {
            sum =
                    begin(
                            () ->
                                    heap.transactions.read(
                                            tx -> {
                                                long first = tx.getLong(x, 0);
                                                readFirst.countDown();
                                                await(goOn);
                                                return first + tx.getLong(y, 0);
                                            }));
            await(readFirst);
        }

        long rest() {
            goOn.countDown();
            return sum.join();
        }
    }

    private CompletableFuture<Long> begin(Supplier<Long> action) {
        return CompletableFuture.supplyAsync(action, threads);
    }

    private long elsewhere(Supplier<Long> action) {
        return begin(action).join();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
