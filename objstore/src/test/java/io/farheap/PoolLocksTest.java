package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.Ref;
import io.farheap.pmemobj.PoolMutex;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mutexes and read-write locks that lie in objects. */
class PoolLocksTest extends LockFixture {
    // ---- mutex ----

    @Test
    void twoHandlesOfOnePlaceAreOneLock() throws Exception {
        assertThat(mutex()).isEqualTo(mutex()).hasSameHashCodeAs(mutex());
        assertThat(mutex()).isNotEqualTo(pool.locks().mutex(object, OTHER_MUTEX));

        mutex().lock();

        assertThat(OtherThread.doing(() -> mutex().tryLock()).result()).isFalse();
        assertThat(OtherThread.doing(() -> mutex().isHeldByCurrentThread()).result()).isFalse();
        assertThat(mutex().isHeldByCurrentThread()).isTrue();
        mutex().unlock();
        assertThat(OtherThread.doing(() -> mutex().tryLock()).result()).isTrue();
    }

    @Test
    void placesNextToEachOtherAreDifferentLocks() throws Exception {
        mutex().lock();

        assertThat(
                        OtherThread.doing(() -> pool.locks().mutex(object, OTHER_MUTEX).tryLock())
                                .result())
                .isTrue();
        mutex().unlock();
    }

    @Test
    void whoWaitsGetsItNext() throws Exception {
        mutex().lock();
        OtherThread<Boolean> other =
                OtherThread.doing(
                        () -> {
                            mutex().lock();
                            boolean held = mutex().isHeldByCurrentThread();
                            mutex().unlock();
                            return held;
                        });
        other.untilItWaits();

        mutex().unlock();

        assertThat(other.result()).isTrue();
        assertThat(mutex().tryLock()).isTrue();
        mutex().unlock();
    }

    @Test
    void aLockCostsNothingWhenItIsNotUsedAndNoByteOfThePool() {
        byte[] before = bytes();

        mutex().lock();
        readWriteLock().writeLock().lock();
        condition().signalAll();
        assertThat(bytes()).isEqualTo(before);
        readWriteLock().writeLock().unlock();
        mutex().unlock();

        assertThat(bytes()).isEqualTo(before);
    }

    @Test
    void everyRunBeginsWithFreeLocks() {
        mutex().lock();
        readWriteLock().readLock().lock();

        reopen();

        assertThat(mutex().tryLock()).isTrue();
        assertThat(readWriteLock().writeLock().tryLock()).isTrue();
        mutex().unlock();
        readWriteLock().writeLock().unlock();
    }

    @Test
    void itIsNotReentrant() throws InterruptedException {
        mutex().lock();

        assertWrongUse(() -> mutex().lock(), "wait for itself", "a mutex at 0x");
        assertThat(mutex().tryLock()).isFalse();
        assertThatThrownBy(() -> mutex().tryLock(1, TimeUnit.HOURS))
                .hasMessageContaining("wait for itself");
        mutex().unlock();
        assertWrongUse(() -> mutex().unlock(), "does not hold");
    }

    @Test
    void onlyWhoTookItGivesItBack() {
        mutex().lock();

        assertThatThrownBy(() -> OtherThread.running(() -> mutex().unlock()).result())
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("does not hold a mutex at 0x");
        mutex().unlock();
    }

    @Test
    void everyWaitHasABound() throws Exception {
        reopen(SimulatedPool.IMPATIENT);
        mutex().lock();

        assertThatThrownBy(() -> OtherThread.running(() -> mutex().lock()).result())
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("for more than 200 ms")
                .hasMessageContaining("FARHEAP_LOCK_TIMEOUT_MILLIS");
        assertThat(OtherThread.doing(() -> mutex().tryLock(1, TimeUnit.MILLISECONDS)).result())
                .isFalse();
        mutex().unlock();
    }

    @Test
    void anInterruptEndsOnlyWaitsThatSaySo() throws Exception {
        mutex().lock();
        OtherThread<Boolean> patient =
                OtherThread.doing(
                        () -> {
                            mutex().lock();
                            mutex().unlock();
                            return Thread.currentThread().isInterrupted();
                        });
        OtherThread<Void> impatient =
                OtherThread.doing(
                        () -> {
                            mutex().lockInterruptibly();
                            return null;
                        });
        patient.untilItWaits();
        impatient.untilItWaits();

        patient.interrupt();
        impatient.interrupt();

        assertThatThrownBy(impatient::result).isInstanceOf(InterruptedException.class);
        assertThat(patient.isDone()).isFalse();
        mutex().unlock();
        assertThat(patient.result()).as("the flag is kept").isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void manyThreadsCountUnderOneMutexOrWriteLock(boolean exclusiveHalf) throws Exception {
        Lock lock = exclusiveHalf ? readWriteLock().writeLock() : mutex();
        int[] count = {0};
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            threads.add(
                    Thread.startVirtualThread(
                            () -> {
                                for (int round = 0; round < 100; round++) {
                                    lock.lock();
                                    try {
                                        count[0]++;
                                    } finally {
                                        lock.unlock();
                                    }
                                }
                            }));
        }
        for (Thread thread : threads) {
            assertThat(thread.join(java.time.Duration.ofSeconds(30))).isTrue();
        }
        assertThat(count[0]).isEqualTo(20_000);
    }

    @Test
    void aMutexMakesNoConditionsOfItsOwn() {
        assertWrongUse(() -> mutex().newCondition(), "PoolLocks.condition");
    }

    // ---- read-write lock ----

    @Test
    void manyReadOrOneWrites() throws Exception {
        Lock read = readWriteLock().readLock();
        Lock write = readWriteLock().writeLock();
        read.lock();
        assertThat(OtherThread.doing(() -> readWriteLock().readLock().tryLock()).result())
                .as("another reader, who never gives it back")
                .isTrue();
        assertThat(write.tryLock()).isFalse();
        read.unlock();
        assertThat(write.tryLock()).as("the other still reads").isFalse();

        reopen();
        write = readWriteLock().writeLock();
        write.lock();
        assertThat(OtherThread.doing(() -> readWriteLock().readLock().tryLock()).result())
                .isFalse();
        assertThat(OtherThread.doing(() -> readWriteLock().writeLock().tryLock()).result())
                .isFalse();
        write.unlock();
    }

    @Test
    void aReaderMayReadAgainButNotWrite() {
        Lock read = readWriteLock().readLock();
        Lock write = readWriteLock().writeLock();
        read.lock();
        read.lock();

        assertWrongUse(write::lock, "wait for itself");
        read.unlock();
        assertThat(write.tryLock()).isFalse();
        read.unlock();
        write.lock();
        assertWrongUse(read::lock, "wait for itself");
        assertWrongUse(read::unlock, "does not hold");
        write.unlock();
        assertThat(readWriteLock()).isEqualTo(readWriteLock());
        assertThat(read).isNotEqualTo(write);
    }

    @Test
    void readersLetAWaitingWriterGoFirst() throws Exception {
        Lock read = readWriteLock().readLock();
        List<String> order = new ArrayList<>();
        read.lock();
        OtherThread<Void> writer = OtherThread.running(() -> under(writeLock(), order, "writer"));
        writer.untilItWaits();
        OtherThread<Void> reader = OtherThread.running(() -> under(readLock(), order, "reader"));
        reader.untilItWaits();

        read.lock(); // may read on
        read.unlock();
        read.unlock();

        writer.result();
        reader.result();
        assertThat(order).containsExactly("writer", "reader");
    }

    @Test
    void aWriterThatGivesUpLetsReadersThrough() throws Exception {
        Lock read = readWriteLock().readLock();
        read.lock();
        OtherThread<Boolean> writer =
                OtherThread.doing(() -> writeLock().tryLock(2, TimeUnit.SECONDS));
        writer.untilItWaits();
        OtherThread<Void> reader =
                OtherThread.running(() -> under(readLock(), new ArrayList<>(), "reader"));

        assertThat(writer.result()).isFalse();
        reader.result();
        read.unlock();
    }

    // ---- wrong use ----

    @Test
    void onePlaceIsOneKindAtATime() {
        mutex().lock();

        assertWrongUse(
                () -> pool.locks().readWriteLock(object, MUTEX).readLock().lock(),
                "in use as a mutex",
                "can't be a read-write lock");
        mutex().unlock();
        pool.locks().readWriteLock(object, MUTEX).readLock().lock();
        pool.locks().readWriteLock(object, MUTEX).readLock().unlock();
    }

    @Test
    void aPlaceLiesInsideAnObjectAndIsAligned() {
        assertWrongUse(() -> pool.locks().mutex(object, 3), "aligned");
        assertWrongUse(() -> pool.locks().mutex(object, -8), "outside");
        assertWrongUse(
                () -> pool.locks().condition(object, pool.usableSize(object) - 56), "outside");
        assertWrongUse(() -> pool.locks().mutex(Ref.NULL, 0), "null");
        assertWrongUse(() -> pool.locks().readWriteLock(new Ref(1, object.offset()), 0), "pool");
    }

    @Test
    void aClosedPoolHasNoLocks() {
        PoolMutex mutex = mutex();
        mutex.lock();
        pool.close();

        assertWrongUse(mutex::tryLock, "closed");
        assertWrongUse(() -> pool.locks(), "closed");
        mutex.unlock();
    }
}
