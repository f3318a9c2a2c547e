package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.pmemobj.PoolMutex;
import org.junit.jupiter.api.Test;

/** Locks in objects that come and go, and in transactions. */
class PoolLockLifeTest extends LockFixture {
    // ---- objects that go ----

    @Test
    void aFreedObjectTakesItsLocksAlong() throws Exception {
        PoolMutex held = mutex();
        held.lock();
        OtherThread<Void> waiting = OtherThread.running(() -> mutex().lock());
        waiting.untilItWaits();
        PoolMutex kept = mutex();

        pool.transaction(tx -> tx.free(object));

        assertThatThrownBy(waiting::result)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("was freed");
        assertWrongUse(kept::lock, "freed");
        assertWrongUse(this::mutex, "freed");
        held.unlock();
    }

    @Test
    void anObjectInTheSamePlaceHasNewLocks() throws Exception {
        PoolMutex held = mutex();
        held.lock();
        Ref gone = object;
        pool.transaction(tx -> tx.free(gone));
        for (int i = 0; i < 10_000 && (i == 0 || !object.equals(gone)); i++) {
            object = made();
        }
        assertThat(object).as("the space is used again").isEqualTo(gone);

        assertThat(OtherThread.doing(() -> mutex().tryLock()).result()).isTrue();
        assertThat(mutex().tryLock()).as("the other has it now").isFalse();
        held.unlock();
        assertThat(mutex().isHeldByCurrentThread()).isFalse();
    }

    @Test
    void aFreeThatIsRolledBackLeavesTheLocks() {
        mutex().lock();
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.free(object);
                                            assertWrongUse(() -> mutex().tryLock(), "freed");
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(mutex().tryLock()).as("still the same, still held").isFalse();
        mutex().unlock();
    }

    @Test
    void anObjectOfThisTransactionHasLocksUntilItIsRolledBack() throws Exception {
        PoolMutex[] fresh = new PoolMutex[1];
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            Ref made = tx.allocate(OBJECT_BYTES, TYPE);
                                            fresh[0] = pool.locks().mutex(made, 0);
                                            fresh[0].lock();
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertWrongUse(() -> fresh[0].tryLock(), "freed");
        fresh[0].unlock();
    }

    @Test
    void whoWaitsForASignalIsToldThatTheObjectIsGone() throws Exception {
        Ref other = made();
        PoolMutex stays = pool.locks().mutex(other, 0);
        OtherThread<Boolean> waiting =
                OtherThread.doing(
                        () -> {
                            stays.lock();
                            try {
                                return condition().await(stays);
                            } finally {
                                stays.unlock();
                            }
                        });
        waiting.untilItWaits();

        pool.transaction(tx -> tx.free(object));

        assertThatThrownBy(waiting::result)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("a condition at 0x")
                .hasMessageContaining("was freed");
    }

    @Test
    void zeroMakesItFreeForEverybodyAndForC() throws Exception {
        mutex().lock();
        assertThat(pool.getLong(object, MUTEX)).isNotZero();

        mutex().zero();
        readWriteLock().zero();
        condition().zero();

        assertThat(OtherThread.doing(() -> mutex().tryLock()).result()).isTrue();
        mutex().unlock(); // the one from before
        for (long place : new long[] {MUTEX, READ_WRITE, CONDITION}) {
            assertThat(pool.getLong(object, place)).isZero();
        }
        assertThat(pool.getLong(object, MUTEX + 8)).as("the rest stays").isNotZero();
        reopen();
        assertThat(pool.getLong(object, MUTEX)).as("durable").isZero();
    }

    // ---- in transactions ----

    @Test
    void aTransactionHoldsItUntilItsEnd() throws Exception {
        pool.transaction(
                tx -> {
                    tx.lock(mutex());
                    tx.lock(mutex());
                    tx.lock(writeLock());
                    tx.setLong(object, 0, 1);
                    assertThat(OtherThread.doing(() -> mutex().tryLock()).result()).isFalse();
                    assertThat(OtherThread.doing(() -> readLock().tryLock()).result()).isFalse();
                });

        assertThat(mutex().isHeldByCurrentThread()).isFalse();
        assertThat(OtherThread.doing(() -> mutex().tryLock()).result()).isTrue();
        assertThat(readLock().tryLock()).isTrue();
        readLock().unlock();
    }

    @Test
    void aTransactionThatBeginsWithThemHoldsThemAfterAnAbortToo() throws Exception {
        TransactionOptions locked = TransactionOptions.DEFAULT.lock(mutex()).lock(writeLock());
        try (ManualTransaction manual = pool.begin(locked)) {
            manual.abort(1);
            assertThat(OtherThread.doing(() -> mutex().tryLock()).result()).isFalse();
            assertThat(OtherThread.doing(() -> readLock().tryLock()).result()).isFalse();
        }
        assertThat(mutex().isHeldByCurrentThread()).isFalse();
        assertThat(readLock().tryLock()).isTrue();
        readLock().unlock();
    }

    @Test
    void aLockGivenBackByHandInsideKeepsNeitherTheOthersNorTheLane() throws Exception {
        reopen(SimulatedPool.IMPATIENT);
        TransactionLock other = new TransactionLock();

        assertWrongUse(
                () ->
                        pool.transaction(
                                tx -> {
                                    tx.lock(other);
                                    tx.lock(mutex());
                                    tx.setLong(object, 0, 42);
                                    mutex().unlock();
                                }),
                "does not hold");

        assertThat(pool.getLong(object, 0)).as("it had committed").isEqualTo(42);
        OtherThread.running(() -> pool.transaction(tx -> tx.lock(other))).result();
        pool.transaction(
                tx -> {
                    tx.lock(mutex());
                    assertThat(mutex().isHeldByCurrentThread()).isTrue();
                });
    }

    @Test
    void aTransactionMayFreeTheObjectWhoseLockItHolds() {
        pool.transaction(
                tx -> {
                    tx.lock(mutex());
                    tx.free(object);
                });

        assertWrongUse(this::mutex, "freed");
    }

    @Test
    void aTransactionWaitsForWhoHoldsTheLock() throws Exception {
        mutex().lock();
        OtherThread<Void> other =
                OtherThread.running(() -> pool.transaction(tx -> tx.lock(mutex())));
        other.untilItWaits();
        assertThat(other.isDone()).isFalse();

        mutex().unlock();

        other.result();
    }

    @Test
    void anInterruptEndsTheWaitAndTheTransaction() throws Exception {
        mutex().lock();
        OtherThread<Boolean> other =
                OtherThread.doing(
                        () -> {
                            assertThatThrownBy(
                                            () ->
                                                    pool.transaction(
                                                            tx -> {
                                                                tx.setLong(object, 0, 42);
                                                                tx.lock(mutex());
                                                            }))
                                    .isInstanceOf(FarheapException.class)
                                    .hasMessageContaining("interrupted while it waited");
                            return Thread.currentThread().isInterrupted();
                        });
        other.untilItWaits();

        other.interrupt();

        assertThat(other.result()).as("the flag is kept").isTrue();
        assertThat(pool.getLong(object, 0)).as("it is rolled back").isNotEqualTo(42);
        mutex().unlock();
    }
}
