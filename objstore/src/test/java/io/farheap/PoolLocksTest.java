package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks and conditions that lie in objects. */
class PoolLocksTest extends TransactionFixture {
    private static final long OBJECT_BYTES = 512;
    private static final long MUTEX = 64;
    private static final long OTHER_MUTEX = 128;
    private static final long READ_WRITE = 192;
    private static final long CONDITION = 256;

    private Ref object;

    @BeforeEach
    void anObjectWithGarbageInIt() {
        object = made();
    }

    private Ref made() {
        return pool.compute(
                tx -> {
                    Ref made = tx.allocate(OBJECT_BYTES, TYPE);
                    byte[] garbage = new byte[(int) tx.usableSize(made)];
                    Arrays.fill(garbage, (byte) 0xA5);
                    tx.writeBytes(made, 0, garbage);
                    return made;
                });
    }

    private PoolMutex mutex() {
        return pool.locks().mutex(object, MUTEX);
    }

    private PoolReadWriteLock readWriteLock() {
        return pool.locks().readWriteLock(object, READ_WRITE);
    }

    private PoolCondition condition() {
        return pool.locks().condition(object, CONDITION);
    }

    private byte[] bytes() {
        return pool.readBytes(object, 0, (int) OBJECT_BYTES);
    }

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

    private Lock readLock() {
        return readWriteLock().readLock();
    }

    private Lock writeLock() {
        return readWriteLock().writeLock();
    }

    private static void under(Lock lock, List<String> order, String name) {
        lock.lock();
        try {
            order.add(name);
        } finally {
            lock.unlock();
        }
    }

    // ---- conditions ----

    @Test
    void aSignalWakesTheOneWhoWaitsLongest() throws Exception {
        AtomicInteger woken = new AtomicInteger();
        List<OtherThread<Boolean>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int name = i;
            waiting.add(
                    OtherThread.doing(
                            () -> {
                                mutex().lock();
                                boolean signalled = condition().await(mutex());
                                woken.set(name);
                                mutex().unlock();
                                return signalled;
                            }));
            waiting.get(i).untilItWaits();
            mutex().lock(); // has it: so the other one gave it up
            mutex().unlock();
        }

        condition().signal();
        assertThat(waiting.get(0).result()).isTrue();
        assertThat(woken.get()).isZero();
        assertThat(waiting.get(1).isDone()).isFalse();
        condition().signalAll();
        assertThat(waiting.get(1).result()).isTrue();
        assertThat(waiting.get(2).result()).isTrue();
        condition().signal(); // nobody
    }

    @Test
    void aSignalBeforeTheWaitIsLostAndTheWaitEnds() throws Exception {
        reopen(SimulatedPool.IMPATIENT);
        condition().signal();
        mutex().lock();

        assertThat(condition().await(mutex(), 1, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(condition().await(mutex())).as("the pool's bound").isFalse();

        assertThat(mutex().isHeldByCurrentThread()).isTrue();
        mutex().unlock();
    }

    @Test
    void whoGaveUpWaitingTakesNobodysSignal() throws Exception {
        OtherThread<Boolean> givesUp =
                OtherThread.doing(
                        () -> {
                            mutex().lock();
                            try {
                                return condition().await(mutex(), 50, TimeUnit.MILLISECONDS);
                            } finally {
                                mutex().unlock();
                            }
                        });
        OtherThread<Boolean> stays =
                OtherThread.doing(
                        () -> {
                            mutex().lock();
                            try {
                                return condition().await(mutex());
                            } finally {
                                mutex().unlock();
                            }
                        });
        stays.untilItWaits();
        assertThat(givesUp.result()).isFalse();

        condition().signal();

        assertThat(stays.result()).isTrue();
    }

    @Test
    void waitingNeedsTheMutex() {
        assertThatThrownBy(() -> condition().await(mutex()))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("does not hold a mutex");
    }

    @Test
    void anInterruptedWaitHasTheMutexAgain() throws Exception {
        OtherThread<Boolean> other =
                OtherThread.doing(
                        () -> {
                            mutex().lock();
                            try {
                                condition().await(mutex());
                                return false;
                            } catch (InterruptedException e) {
                                return mutex().isHeldByCurrentThread();
                            } finally {
                                mutex().unlock();
                            }
                        });
        other.untilItWaits();

        other.interrupt();

        assertThat(other.result()).isTrue();
    }

    @Test
    void aSignalIsNotLostToAWaitThatIsInterruptedAtTheSameMoment() throws Exception {
        for (int round = 0; round < 50; round++) {
            OtherThread<Boolean> first = OtherThread.doing(this::waitForASignal);
            first.untilItWaits();
            OtherThread<Boolean> second = OtherThread.doing(this::waitForASignal);
            second.untilItWaits();

            first.interrupt();
            condition().signal();

            if (!first.result()) {
                assertThat(second.result()).as("round " + round).isTrue();
            } else {
                condition().signal();
                assertThat(second.result()).isTrue();
            }
        }
    }

    /** Whether there was a signal; false for an interrupt before it. */
    private boolean waitForASignal() {
        mutex().lock();
        try {
            return condition().await(mutex(), 5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        } finally {
            mutex().unlock();
        }
    }

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
        PoolLock other = new PoolLock();

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
    void aTransactionWaitsForWhoHoldsTheLockAndKeepsInterrupts() throws Exception {
        mutex().lock();
        OtherThread<Boolean> other =
                OtherThread.doing(
                        () -> {
                            pool.transaction(tx -> tx.lock(mutex()));
                            return Thread.currentThread().isInterrupted();
                        });
        other.untilItWaits();
        other.interrupt();
        assertThat(other.isDone()).isFalse();

        mutex().unlock();

        assertThat(other.result()).as("the flag is kept").isTrue();
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

    // ---- volatile values ----

    @Test
    void aVolatileValueIsMadeOncePerRun() throws Exception {
        AtomicInteger made = new AtomicInteger();
        VolatileValue<String> value = pool.locks().volatileValue(object, 0);
        byte[] before = bytes();

        assertThat(value.get(() -> "made " + made.incrementAndGet())).isEqualTo("made 1");
        assertThat(value.get(() -> "made " + made.incrementAndGet())).isEqualTo("made 1");
        VolatileValue<String> again = pool.locks().volatileValue(object, 0);
        assertThat(OtherThread.doing(() -> again.get(() -> "no")).result()).isEqualTo("made 1");
        VolatileValue<String> other = pool.locks().volatileValue(object, 8);
        assertThat(other.get(() -> "another place")).isEqualTo("another place");
        assertThat(bytes()).isEqualTo(before);

        reopen();
        assertWrongUse(() -> value.get(() -> "no"), "closed");
        VolatileValue<String> next = pool.locks().volatileValue(object, 0);
        assertThat(next.get(() -> "made " + made.incrementAndGet())).isEqualTo("made 2");
    }

    @Test
    void allWhoAskGetTheOneThatWasMade() throws Exception {
        AtomicInteger made = new AtomicInteger();
        List<OtherThread<Object>> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            VolatileValue<Object> value = pool.locks().volatileValue(object, 0);
            threads.add(
                    OtherThread.doing(
                            () ->
                                    value.get(
                                            () -> {
                                                made.incrementAndGet();
                                                Thread.yield();
                                                return new Object();
                                            })));
        }
        Object first = threads.get(0).result();
        for (OtherThread<Object> thread : threads) {
            assertThat(thread.result()).isSameAs(first);
        }
        assertThat(made.get()).isEqualTo(1);
    }

    @Test
    void aConstructorThatFailsLeavesItToTheNext() {
        VolatileValue<String> value = pool.locks().volatileValue(object, 0);

        assertThatThrownBy(
                        () ->
                                value.get(
                                        () -> {
                                            throw new IllegalStateException("no");
                                        }))
                .isInstanceOf(IllegalStateException.class);
        assertWrongUse(() -> value.get(() -> null), "can't be null");
        assertWrongUse(() -> value.get(() -> value.get(() -> "inner")), "its own constructor");
        assertThat(value.get(() -> "yes")).isEqualTo("yes");
    }

    @Test
    void aVolatileValueGoesWithItsObject() {
        VolatileValue<String> value = pool.locks().volatileValue(object, 0);
        assertThat(value.get(() -> "old")).isEqualTo("old");
        Ref gone = object;

        pool.transaction(tx -> tx.free(gone));

        assertWrongUse(() -> value.get(() -> "new"), "freed");
        for (int i = 0; i < 10_000 && (i == 0 || !object.equals(gone)); i++) {
            object = made();
        }
        assertThat(object).as("the space is used again").isEqualTo(gone);
        assertThat(pool.locks().<String>volatileValue(object, 0).get(() -> "new")).isEqualTo("new");
    }

    @Test
    void aPlaceThatIsSnapshottedKeepsItsLockOverARollBack() {
        mutex().lock();
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            MemorySegment all =
                                                    tx.snapshot(object, 0, OBJECT_BYTES);
                                            all.set(ValueLayout.JAVA_LONG, MUTEX, 1);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);
        assertThat(mutex().isHeldByCurrentThread()).isTrue();
        mutex().unlock();
    }
}
