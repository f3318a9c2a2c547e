package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Nested transactions, threads, locks, and the end of a pool. */
class TransactionStagesTest extends TransactionFixture {
    // ---- nesting, threads, life ----

    @Test
    void nestedTransactionsJoinTheOuterOne() {
        Ref account = account(100);
        long commits = pool.counters().commits();

        pool.transaction(
                outer -> {
                    outer.setLong(account, 0, 1);
                    pool.transaction(
                            inner -> {
                                assertThat(inner.getLong(account, 0)).isEqualTo(1);
                                inner.setLong(account, 0, 2);
                            });
                    assertThat(pool.getLong(account, 0)).as("not committed").isEqualTo(100);
                    assertThat(outer.getLong(account, 0)).isEqualTo(2);
                });

        assertThat(pool.getLong(account, 0)).isEqualTo(2);
        assertThat(pool.counters().commits()).isEqualTo(commits + 1);
    }

    @Test
    void anAbortInsideAbortsAllEvenWhenItIsCaught() {
        Ref account = account(100);

        Throwable thrown =
                catchThrowable(
                        () ->
                                pool.transaction(
                                        outer -> {
                                            outer.setLong(account, 0, 1);
                                            Throwable inner =
                                                    catchThrowable(
                                                            () ->
                                                                    pool.transaction(
                                                                            tx -> {
                                                                                throw new IOException(
                                                                                        "inner");
                                                                            }));
                                            assertThat(inner).isInstanceOf(IOException.class);
                                            assertThatThrownBy(() -> outer.getLong(account, 0))
                                                    .isInstanceOf(
                                                            TransactionAbortedException.class);
                                            assertThatThrownBy(() -> pool.setLong(account, 0, 3))
                                                    .isInstanceOf(
                                                            TransactionAbortedException.class);
                                        }));

        assertThat(thrown).isInstanceOf(TransactionAbortedException.class);
        assertThat(thrown).hasRootCauseMessage("inner");
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
        pool.setLong(account, 0, 4);
        assertThat(pool.getLong(account, 0)).isEqualTo(4);
    }

    @Test
    void anotherThreadMayNotUseIt() throws InterruptedException {
        Ref account = account(100);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        pool.transaction(
                tx -> {
                    Thread other =
                            Thread.ofPlatform()
                                    .name("stranger")
                                    .start(
                                            () ->
                                                    thrown.set(
                                                            catchThrowable(
                                                                    () ->
                                                                            tx.setLong(
                                                                                    account, 0,
                                                                                    1))));
                    join(other);
                });
        assertThat(thrown.get())
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("belongs to thread")
                .hasMessageContaining("stranger");
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
    }

    @Test
    void itsObjectIsDeadAfterItsEnd() {
        Ref account = account(100);
        Transaction late = pool.compute(tx -> tx);

        assertWrongUse(() -> late.setLong(account, 0, 1), "has ended");
        assertWrongUse(() -> list(late.objects()), "has ended");
    }

    @Test
    void iterationSeesOwnAllocationsAndFrees() {
        Ref kept = account(1);
        Ref freed = account(2);

        pool.transaction(
                tx -> {
                    tx.free(freed);
                    Ref fresh = tx.allocate(64, TYPE);
                    Ref gone = tx.allocate(64, TYPE);
                    Ref other = tx.allocate(64, TYPE + 1);
                    tx.free(gone);
                    assertThat(list(tx.objects(TYPE))).containsExactly(kept, fresh);
                    assertThat(list(tx.objects())).containsExactly(kept, fresh, other);
                });
    }

    @Test
    void aLockIsHeldUntilTheCommitIsDone() throws InterruptedException {
        Ref account = account(0);
        TransactionLock lock = new TransactionLock();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        for (int n = 0; n < 500; n++) {
                                            pool.transaction(
                                                    tx -> {
                                                        tx.lock(lock);
                                                        tx.lock(lock);
                                                        long old = tx.getLong(account, 0);
                                                        tx.setLong(account, 0, old + 1);
                                                    });
                                        }
                                    }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(pool.getLong(account, 0)).isEqualTo(2000);
    }

    @Test
    void waitingForALockIsBoundedAndEndsWithAnInterrupt() throws InterruptedException {
        reopen(SimulatedPool.IMPATIENT);
        TransactionLock lock = new TransactionLock();
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        Thread holder =
                Thread.ofPlatform()
                        .start(
                                () ->
                                        pool.transaction(
                                                tx -> {
                                                    tx.lock(lock);
                                                    held.countDown();
                                                    await(done);
                                                }));
        held.await();

        assertRefused(
                Category.ENVIRONMENT, () -> pool.transaction(tx -> tx.lock(lock)), "one order");
        Thread.currentThread().interrupt();
        assertRefused(
                Category.ENVIRONMENT, () -> pool.transaction(tx -> tx.lock(lock)), "interrupted");

        assertThat(Thread.interrupted()).isTrue();
        done.countDown();
        holder.join();
        pool.transaction(tx -> tx.lock(lock));
    }

    @Test
    void aKeptTransactionActsOnNoLaterOne() {
        Ref account = account(100);
        List<Transaction> kept = new ArrayList<>();
        pool.transaction(kept::add);
        for (int i = 0; i < 3000; i++) {
            pool.transaction(
                    tx ->
                            assertWrongUse(
                                    () -> kept.getFirst().setLong(account, 0, 1), "has ended"));
        }
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
    }

    @Test
    void aPayloadThatIsTooLongNamesTheObjectAndTheSizes() {
        Ref account = account(100);
        long room = pool.usableSize(account);
        assertWrongUse(
                () -> pool.write(account, bytes -> bytes.write(new byte[500])),
                "more than " + room + " bytes",
                "0x" + Long.toHexString(account.offset()));
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
    }

    @Test
    void anInterruptedThreadCommitsAndStaysInterrupted() {
        Ref account = account(100);
        Thread.currentThread().interrupt();

        pool.setLong(account, 0, 1);

        assertThat(Thread.interrupted()).isTrue();
        reopen();
        assertThat(pool.getLong(account, 0)).isEqualTo(1);
    }

    @Test
    void moreTransactionsThanLanesTakeTurns() throws InterruptedException {
        Ref account = account(0);
        TransactionLock lock = new TransactionLock();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            threads.add(
                    Thread.ofVirtual()
                            .start(
                                    () ->
                                            pool.transaction(
                                                    tx -> {
                                                        tx.lock(lock);
                                                        tx.setLong(
                                                                account,
                                                                0,
                                                                tx.getLong(account, 0) + 1);
                                                    })));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
    }

    @Test
    void closeIsIdempotentAndEverythingAfterItThrows() {
        Ref account = account(100);
        pool.close();
        pool.close();

        assertWrongUse(() -> pool.getLong(account, 0), "closed");
        assertWrongUse(() -> pool.setLong(account, 0, 1), "closed");
        assertWrongUse(() -> pool.root(64), "closed");
        assertWrongUse(() -> pool.root(), "closed");
        assertWrongUse(() -> pool.objects(), "closed");
        assertWrongUse(() -> pool.segment(account), "closed");
        assertWrongUse(() -> pool.transaction(tx -> {}), "closed");
    }

    @Test
    void closeWaitsForTransactionsUpToABoundAndThenRefuses() throws InterruptedException {
        reopen(SimulatedPool.IMPATIENT);
        Ref account = account(100);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        Thread other =
                Thread.ofPlatform()
                        .start(
                                () ->
                                        pool.transaction(
                                                tx -> {
                                                    tx.setLong(account, 0, 1);
                                                    running.countDown();
                                                    await(finish);
                                                }));
        running.await();

        assertWrongUse(() -> pool.close(), "1 transactions still run");
        assertWrongUse(() -> pool.transaction(tx -> pool.close()), "inside a transaction");

        finish.countDown();
        other.join();
        assertThat(pool.getLong(account, 0)).isEqualTo(1);
        pool.close();
    }

    @Test
    void aTransactionThatCloseWaitsForGoesOnToItsEnd() throws Exception {
        Ref account = account(100);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch finish = new CountDownLatch(1);
        OtherThread<Void> other =
                OtherThread.running(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            running.countDown();
                                            await(finish);
                                            pool.atomic().allocate(account, 16, 100, TYPE);
                                            tx.setLong(account, 0, 1);
                                        }));
        running.await();
        OtherThread<Void> closing = OtherThread.running(pool::close);
        closing.untilItWaits();

        finish.countDown();

        other.result();
        closing.result();
        reopen();
        assertThat(pool.getLong(account, 0)).isEqualTo(1);
        assertThat(pool.getRef(account, 16).isNull()).isFalse();
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void oneThatIsKeptIsRefusedInTheNext() {
        Ref account = account(1);
        List<Transaction> kept = new ArrayList<>();
        pool.transaction(kept::add);
        List<Iterable<Ref>> objects = new ArrayList<>();
        pool.transaction(
                tx -> {
                    kept.add(tx);
                    objects.add(tx.objects());
                });

        pool.transaction(
                tx -> {
                    for (Transaction old : kept) {
                        assertRefused(() -> old.setLong(account, 0, 2));
                        assertRefused(() -> old.getLong(account, 0));
                        assertRefused(() -> old.allocate(64, TYPE));
                        assertRefused(() -> old.free(account));
                        assertRefused(() -> old.snapshot(account, 0, 8));
                        assertRefused(() -> old.abort());
                        assertRefused(() -> old.setUserData("x"));
                        assertRefused(() -> old.lock(new TransactionLock()));
                    }
                    assertRefused(() -> objects.get(0).iterator());
                    pool.transaction(inner -> assertThat(inner).isSameAs(tx));
                    tx.setLong(account, 0, 3);
                });

        assertThat(pool.getLong(account, 0)).isEqualTo(3);
        assertThat(list(pool.objects(TYPE))).containsExactly(account);
    }

    private static void assertRefused(ThrowingCallable use) {
        assertThatThrownBy(use)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("has ended");
    }
}
