package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.farheap.FarheapException.Category;
import io.farheap.memory.CrashSimulation;
import io.farheap.tx.TxSettings;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import net.openhft.chronicle.bytes.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TransactionTest {
    private static final long TYPE = 7;

    private final CrashSimulation machine = SimulatedPool.formatted();
    private ObjectPool pool = SimulatedPool.open(machine);

    @AfterEach
    void close() {
        pool.close();
    }

    private void reopen() {
        reopen(SimulatedPool.SETTINGS);
    }

    private void reopen(TxSettings settings) {
        pool.close();
        pool = SimulatedPool.open(machine, settings);
    }

    private Ref account(long balance) {
        return pool.compute(
                tx -> {
                    Ref account = tx.allocateZeroed(64, TYPE);
                    tx.setLong(account, 0, balance);
                    return account;
                });
    }

    private static List<Ref> list(Iterable<Ref> refs) {
        List<Ref> all = new ArrayList<>();
        refs.forEach(all::add);
        return all;
    }

    private static void assertWrongUse(Runnable call, String... parts) {
        Throwable thrown = catchThrowable(call::run);
        assertThat(thrown).isInstanceOf(FarheapException.class);
        assertThat(((FarheapException) thrown).category()).isEqualTo(Category.WRONG_USE);
        for (String part : parts) {
            assertThat(thrown).hasMessageContaining(part);
        }
    }

    // ---- object level ----

    @Test
    void whatCommittedIsThereAfterReopening() {
        Ref root = pool.root(64);
        pool.transaction(
                tx -> {
                    Ref account = tx.allocate(100, TYPE);
                    tx.setLong(account, 0, 100);
                    tx.setInt(account, 8, 42);
                    tx.setShort(account, 12, (short) 7);
                    tx.setByte(account, 14, (byte) 3);
                    tx.setDouble(account, 16, 2.5);
                    tx.write(account, 24, bytes -> bytes.writeUtf8("Ada"));
                    tx.setRef(root, 16, account);
                });

        reopen();

        Ref account = pool.getRef(pool.root(), 16);
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
        assertThat(pool.getInt(account, 8)).isEqualTo(42);
        assertThat(pool.getShort(account, 12)).isEqualTo((short) 7);
        assertThat(pool.getByte(account, 14)).isEqualTo((byte) 3);
        assertThat(pool.getDouble(account, 16)).isEqualTo(2.5);
        String owner = pool.read(account, 24, 50, bytes -> bytes.readUtf8());
        assertThat(owner).isEqualTo("Ada");
        assertThat(pool.typeNumber(account)).isEqualTo(TYPE);
    }

    @Test
    void newValuesAreSeenInsideAndNowhereElseUntilTheCommit() {
        Ref account = account(100);

        pool.transaction(
                tx -> {
                    tx.setLong(account, 0, 50);
                    assertThat(tx.getLong(account, 0)).isEqualTo(50);
                    assertThat(tx.readBytes(account, 0, 8)[0]).isEqualTo((byte) 50);
                    long read = tx.read(account, Bytes::readLong);
                    assertThat(read).isEqualTo(50);
                    assertThat(pool.getLong(account, 0)).isEqualTo(100);
                });

        assertThat(pool.getLong(account, 0)).isEqualTo(50);
    }

    @Test
    void anExceptionAbortsAndTravelsOn() {
        Ref account = account(100);

        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.setLong(account, 0, 50);
                                            tx.allocate(64, TYPE);
                                            throw new IOException("no");
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessage("no");

        assertThat(pool.getLong(account, 0)).isEqualTo(100);
        assertThat(list(pool.objects())).containsExactly(account);
    }

    @Test
    void anAbortOfBufferedValuesCostsNoFence() {
        Ref account = account(100);
        long before = pool.counters().fences();

        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.setLong(account, 0, 50);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(pool.counters().fences()).isEqualTo(before);
        assertThat(pool.counters().aborts()).isEqualTo(1);
    }

    @Test
    void copiesBetweenObjectsAndInsideOne() {
        Ref from = account(1);
        Ref to = account(2);
        pool.writeBytes(from, 0, new byte[] {1, 2, 3, 4, 5, 6, 7, 8});

        pool.transaction(
                tx -> {
                    tx.copy(from, 0, to, 8, 8);
                    tx.copy(to, 8, to, 10, 8);
                });

        assertThat(pool.readBytes(to, 8, 10)).containsExactly(1, 2, 1, 2, 3, 4, 5, 6, 7, 8);
    }

    @Test
    void bareOffsetsMeanTheSameAsReferences() {
        Ref root = pool.root(64);
        pool.transaction(
                tx -> {
                    long object = tx.allocateOffset(64, TYPE, true);
                    tx.setLong(object, 0, 5);
                    tx.setInt(object, 8, 6);
                    tx.setRef(root.offset(), 0, object);
                    assertThat(tx.getLong(object, 0)).isEqualTo(5);
                    assertThat(tx.getInt(object, 8)).isEqualTo(6);
                    assertThat(tx.getRef(root.offset(), 0)).isEqualTo(object);
                });

        Ref object = pool.getRef(root, 0);
        assertThat(object.poolId()).isEqualTo(SimulatedPool.POOL_ID);
        assertThat(pool.getLong(object.offset(), 0)).isEqualTo(5);

        pool.transaction(tx -> tx.free(object.offset()));
        assertThat(list(pool.objects())).isEmpty();
    }

    // ---- in place ----

    @Test
    void inPlaceStoresCommit() {
        Ref account = account(100);

        pool.transaction(
                tx -> {
                    MemorySegment fields = tx.snapshot(account, 0, 16);
                    fields.set(ValueLayout.JAVA_LONG, 0, 60);
                    fields.set(ValueLayout.JAVA_LONG, 8, 40);
                    assertThat(tx.getLong(account, 0)).isEqualTo(60);
                });

        reopen();
        assertThat(pool.getLong(account, 0)).isEqualTo(60);
        assertThat(pool.getLong(account, 8)).isEqualTo(40);
    }

    @Test
    void inPlaceStoresAreUndoneByAnAbort() {
        Ref account = account(100);

        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.snapshot(account, 0, 8)
                                                    .set(ValueLayout.JAVA_LONG, 0, 1);
                                            tx.snapshot(account, 4, 30).fill((byte) 9);
                                            assertThat(pool.getLong(account, 0)).isNotEqualTo(100);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(pool.getLong(account, 0)).isEqualTo(100);
        assertThat(pool.readBytes(account, 8, 26)).containsOnly(0);
    }

    @Test
    void onlyWhatIsNotSavedYetCostsAFence() {
        Ref account = account(100);

        pool.transaction(
                tx -> {
                    long start = pool.counters().fences();
                    MemorySegment unused = tx.snapshot(account, 8, 8);
                    assertThat(pool.counters().fences()).isEqualTo(start + 1);
                    unused = tx.snapshot(account, 8, 8);
                    assertThat(pool.counters().fences()).isEqualTo(start + 1);
                    unused = tx.snapshot(account, 0, 32);
                    assertThat(pool.counters().fences()).as("both sides").isEqualTo(start + 2);
                    Ref fresh = tx.allocate(64, TYPE);
                    start = pool.counters().fences();
                    unused = tx.snapshot(fresh, 0, 64);
                    assertThat(pool.counters().fences()).as("fresh").isEqualTo(start);
                    assertThat(unused.byteSize()).isEqualTo(64);
                });
    }

    @Test
    void aSegmentIsDeadAfterItsTransaction() {
        Ref account = account(100);
        MemorySegment late = pool.compute(tx -> tx.snapshot(account, 0, 8));

        assertThatThrownBy(() -> late.set(ValueLayout.JAVA_LONG, 0, 1))
                .isInstanceOf(IllegalStateException.class);
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
    }

    @Test
    void mixingStylesOnOneObjectThrowsEitherWay() {
        Ref account = account(100);
        Ref other = account(200);

        assertWrongUse(
                () ->
                        pool.transaction(
                                tx -> {
                                    tx.setLong(account, 0, 1);
                                    MemorySegment unused = tx.snapshot(other, 0, 8);
                                    unused = tx.snapshot(account, 0, 8);
                                }),
                "one style");
        assertWrongUse(
                () ->
                        pool.transaction(
                                tx -> {
                                    MemorySegment unused = tx.snapshot(account, 0, 8);
                                    tx.setLong(account, 16, 1);
                                }),
                "one style");
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
    }

    @Test
    void freshObjectsTakeBothStyles() {
        Ref fresh =
                pool.compute(
                        tx -> {
                            Ref object = tx.allocateZeroed(64, TYPE);
                            tx.setLong(object, 0, 1);
                            tx.snapshot(object, 8, 8).set(ValueLayout.JAVA_LONG, 0, 2);
                            tx.setLong(object, 16, 3);
                            return object;
                        });

        reopen();
        assertThat(pool.getLong(fresh, 0)).isEqualTo(1);
        assertThat(pool.getLong(fresh, 8)).isEqualTo(2);
        assertThat(pool.getLong(fresh, 16)).isEqualTo(3);
    }

    // ---- allocation ----

    @Test
    void zeroedObjectsAreZeroOverTheirUsableSize() {
        Ref dirty = account(1);
        pool.transaction(
                tx -> {
                    tx.writeBytes(dirty, 0, new byte[] {-1, -1, -1, -1});
                    tx.free(dirty);
                });
        for (int i = 0; i < 50; i++) {
            Ref object = pool.compute(tx -> tx.allocateZeroed(50, TYPE));
            int size = (int) pool.usableSize(object);
            assertThat(pool.readBytes(object, 0, size)).containsOnly(0);
        }
    }

    @Test
    void reallocatingKeepsTheContentAndTheOwnWrites() {
        Ref object = account(1);
        Ref moved =
                pool.compute(
                        tx -> {
                            tx.setLong(object, 8, 2);
                            Ref larger = tx.reallocateZeroed(object, 5000, TYPE + 1);
                            tx.setLong(larger, 4000, 3);
                            return larger;
                        });

        assertThat(pool.getLong(moved, 0)).isEqualTo(1);
        assertThat(pool.getLong(moved, 8)).isEqualTo(2);
        assertThat(pool.getLong(moved, 4000)).isEqualTo(3);
        assertThat(pool.readBytes(moved, 112, 3000)).containsOnly(0);
        assertThat(pool.typeNumber(moved)).isEqualTo(TYPE + 1);
        assertThat(list(pool.objects())).containsExactly(moved);
    }

    @Test
    void reallocatingNothingAllocatesAndToNothingFrees() {
        Ref object = pool.compute(tx -> tx.reallocate(Ref.NULL, 64, TYPE));
        assertThat(list(pool.objects())).containsExactly(object);

        Ref gone = pool.compute(tx -> tx.reallocate(object, 0, TYPE));
        assertThat(gone).isEqualTo(Ref.NULL);
        assertThat(list(pool.objects())).isEmpty();
    }

    @Test
    void aFreedObjectIsAnErrorFromThenOn() {
        Ref object = account(1);

        pool.transaction(
                tx -> {
                    tx.free(object);
                    assertWrongUse(() -> tx.getLong(object, 0), "freed earlier");
                    assertWrongUse(() -> tx.setLong(object, 0, 1), "freed earlier");
                    assertWrongUse(() -> tx.snapshot(object, 0, 1), "freed earlier");
                    assertWrongUse(() -> tx.free(object), "freed earlier");
                    assertWrongUse(() -> tx.usableSize(object), "freed earlier");
                    Ref fresh = tx.allocate(64, TYPE);
                    tx.free(fresh);
                    assertWrongUse(() -> tx.setLong(fresh, 0, 1), "freed earlier");
                });

        assertWrongUse(() -> pool.getLong(object, 0));
        assertWrongUse(() -> pool.setLong(object, 0, 1));
        assertWrongUse(() -> pool.transaction(tx -> tx.free(object)));
    }

    @Test
    void anAbortedFreeDidNotHappen() {
        Ref object = account(1);

        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.free(object);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(pool.getLong(object, 0)).isEqualTo(1);
        pool.transaction(tx -> tx.free(object));
        assertThat(list(pool.objects())).isEmpty();
    }

    @Test
    void impossibleSizesAreRefused() {
        assertWrongUse(() -> pool.transaction(tx -> tx.allocate(0, TYPE)), "at least 1 byte");
        assertWrongUse(() -> pool.transaction(tx -> tx.allocate(-1, TYPE)), "at least 1 byte");
        Throwable full = catchThrowable(() -> pool.transaction(tx -> tx.allocate(1 << 30, TYPE)));
        assertThat(full).isInstanceOf(FarheapException.class);
        assertThat(((FarheapException) full).category()).isEqualTo(Category.ENVIRONMENT);
    }

    @Test
    void manyAllocationsInOneTransaction() {
        pool.transaction(
                tx -> {
                    for (int i = 0; i < 3000; i++) {
                        Ref object = tx.allocate(64, i % 3);
                        tx.setLong(object, 0, i);
                    }
                });
        assertThat(list(pool.objects())).hasSize(3000);
        assertThat(list(pool.objects(1))).hasSize(1000);

        pool.transaction(tx -> tx.objects(1).forEach(tx::free));

        assertThat(list(pool.objects())).hasSize(2000);
        assertThat(list(pool.objects(1))).isEmpty();
        reopen();
        assertThat(list(pool.objects())).hasSize(2000);
    }

    // ---- references ----

    @Test
    void badReferencesGiveClearErrors() {
        Ref account = account(100);
        Ref foreign = new Ref(99, account.offset());
        Ref inside = new Ref(account.poolId(), account.offset() + 8);
        Ref outside = new Ref(account.poolId(), Long.MAX_VALUE - 7);
        Ref negative = new Ref(account.poolId(), -64);
        Ref header = new Ref(account.poolId(), 4096);

        assertWrongUse(() -> pool.getLong(Ref.NULL, 0), "null");
        assertWrongUse(() -> pool.getLong(foreign, 0), "0000000000000063");
        for (Ref bad : List.of(inside, outside, negative, header)) {
            assertWrongUse(() -> pool.getLong(bad, 0));
            assertWrongUse(() -> pool.setLong(bad, 0, 1));
            assertWrongUse(() -> pool.transaction(tx -> tx.free(bad)));
            assertWrongUse(() -> pool.transaction(tx -> tx.snapshot(bad, 0, 1)));
        }
    }

    @Test
    void rangesOutsideAnObjectGiveClearErrors() {
        Ref account = account(100);
        long size = pool.usableSize(account);

        pool.setLong(account, size - 8, 1);
        assertWrongUse(() -> pool.getLong(account, size - 7), "outside the object");
        assertWrongUse(() -> pool.getLong(account, -1), "outside the object");
        assertWrongUse(() -> pool.getLong(account, Long.MAX_VALUE), "outside the object");
        assertWrongUse(() -> pool.setLong(account, size - 7, 1), "outside the object");
        assertWrongUse(() -> pool.writeBytes(account, 0, new byte[(int) size + 1]), "outside");
        assertWrongUse(() -> pool.readBytes(account, 0, (int) size + 1), "outside");
        assertWrongUse(() -> pool.readBytes(account, 0, -1), "outside");
        assertWrongUse(() -> pool.update(account, 1, size, segment -> {}), "outside");
        assertWrongUse(() -> pool.read(account, 1, size, Bytes::readLong), "outside");
        assertWrongUse(() -> pool.setRef(account, size - 8, account), "outside");
    }

    @Test
    void aPayloadTooLargeForItsObjectThrowsAndAborts() {
        Ref account = account(100);
        int size = (int) pool.usableSize(account);

        assertThatThrownBy(() -> pool.write(account, bytes -> bytes.write(new byte[size + 1])))
                .isInstanceOf(RuntimeException.class);
        assertThat(pool.getLong(account, 0)).isEqualTo(100);
    }

    @Test
    void aStoredReferenceIntoAnotherPoolIsReadButNotFollowed() {
        Ref root = pool.root(64);
        pool.transaction(
                tx -> {
                    tx.setLong(root, 0, 99);
                    tx.setLong(root, 8, 4096);
                });

        Ref foreign = pool.getRef(root, 0);
        assertThat(foreign).isEqualTo(new Ref(99, 4096));
        assertWrongUse(() -> pool.getLong(foreign, 0), "use the pool it came from");
        pool.transaction(
                tx -> {
                    assertThat(tx.getRef(root, 0)).isEqualTo(foreign);
                    assertWrongUse(() -> tx.getRef(root.offset(), 0), "use the pool");
                });
    }

    // ---- small transactions ----

    @Test
    void writesOutsideATransactionAreSmallTransactions() {
        Ref account = account(100);
        long commits = pool.counters().commits();

        pool.setLong(account, 0, 1);
        pool.setInt(account, 8, 2);
        pool.setRef(account, 16, account);
        pool.writeBytes(account, 32, new byte[] {3});
        pool.update(account, 40, 8, segment -> segment.set(ValueLayout.JAVA_LONG, 0, 4));
        pool.copy(account, 0, account, 48, 8);

        assertThat(pool.counters().commits()).isEqualTo(commits + 6);
        reopen();
        assertThat(pool.getLong(account, 0)).isEqualTo(1);
        assertThat(pool.getInt(account, 8)).isEqualTo(2);
        assertThat(pool.getRef(account, 16)).isEqualTo(account);
        assertThat(pool.getByte(account, 32)).isEqualTo((byte) 3);
        assertThat(pool.getLong(account, 40)).isEqualTo(4);
        assertThat(pool.getLong(account, 48)).isEqualTo(1);
    }

    @Test
    void zeroCopyReadingIsReadOnly() {
        Ref account = account(100);
        MemorySegment view = pool.segment(account);

        assertThat(view.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(100);
        assertThat(view.byteSize()).isEqualTo(pool.usableSize(account));
        assertThatThrownBy(() -> view.set(ValueLayout.JAVA_LONG, 0, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    // ---- root ----

    @Test
    void theRootGrowsKeepsItsContentAndIsNoObjectOfIteration() {
        assertThat(pool.root()).isEqualTo(Ref.NULL);
        assertWrongUse(() -> pool.root(0), "no root");
        Ref small = pool.root(64);
        assertThat(pool.root(10)).isEqualTo(small);
        pool.setLong(small, 0, 5);

        Ref large = pool.root(10_000);

        assertThat(pool.rootSize()).isEqualTo(10_000);
        assertThat(pool.getLong(large, 0)).isEqualTo(5);
        assertThat(pool.readBytes(large, 8, 9_000)).containsOnly(0);
        assertWrongUse(() -> pool.getLong(small, 0));
        assertWrongUse(() -> pool.transaction(tx -> tx.free(large)), "root");
        assertThat(list(pool.objects())).isEmpty();
        reopen();
        assertThat(pool.root(0)).isEqualTo(large);
        assertThat(pool.getLong(large, 0)).isEqualTo(5);
    }

    @Test
    void theRootMadeInATransactionIsUndoneWithIt() {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            Ref root = pool.root(64);
                                            tx.setLong(root, 0, 1);
                                            Ref grown = pool.root(500);
                                            assertThat(tx.root()).isEqualTo(grown);
                                            assertThat(tx.getLong(grown, 0)).isEqualTo(1);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(pool.root()).isEqualTo(Ref.NULL);
        assertThat(pool.rootSize()).isZero();
    }

    @Test
    void theRootIsMadeOnceByManyThreads() throws InterruptedException {
        List<Ref> roots = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        Ref root = pool.root(64);
                                        synchronized (roots) {
                                            roots.add(root);
                                        }
                                    }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(roots).hasSize(4).containsOnly(pool.root());
    }

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
        PoolLock lock = new PoolLock();
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
    void waitingForALockIsBoundedAndKeepsTheInterruptFlag() throws InterruptedException {
        reopen(SimulatedPool.IMPATIENT);
        PoolLock lock = new PoolLock();
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
        Thread.currentThread().interrupt();

        assertWrongUse(() -> pool.transaction(tx -> tx.lock(lock)), "one order");

        assertThat(Thread.interrupted()).isTrue();
        done.countDown();
        holder.join();
        pool.transaction(tx -> tx.lock(lock));
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
        PoolLock lock = new PoolLock();
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
}
