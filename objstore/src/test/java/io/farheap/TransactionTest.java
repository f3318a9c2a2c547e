package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import net.openhft.chronicle.bytes.Bytes;
import org.junit.jupiter.api.Test;

/** Reading and writing in transactions, in both styles. */
class TransactionTest extends TransactionFixture {
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
                    long object = tx.raw().allocate(64, TYPE, true);
                    tx.raw().setLong(object, 0, 5);
                    tx.raw().setInt(object, 8, 6);
                    tx.raw().setRef(root.offset(), 0, object);
                    assertThat(tx.raw().getLong(object, 0)).isEqualTo(5);
                    assertThat(tx.raw().getInt(object, 8)).isEqualTo(6);
                    assertThat(tx.raw().getRef(root.offset(), 0)).isEqualTo(object);
                });

        Ref object = pool.getRef(root, 0);
        assertThat(object.poolId()).isEqualTo(SimulatedPool.POOL_ID);
        assertThat(pool.raw().getLong(object.offset(), 0)).isEqualTo(5);

        pool.transaction(tx -> tx.raw().free(object.offset()));
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
    void everyKindOfWriteThatFailsAbortsAlsoWhenItIsCaught() {
        Ref account = account(100);
        Map<String, TransactionBody<RuntimeException>> writes =
                Map.of(
                        "reference", tx -> tx.setRef(account, 1 << 20, Ref.NULL),
                        "copy from", tx -> tx.copy(account, 1 << 20, account, 0, 8),
                        "copy to", tx -> tx.copy(account, 0, account, 1 << 20, 8),
                        "payload", tx -> tx.write(account, 1 << 20, bytes -> {}),
                        "fill", tx -> tx.fill(account, 1 << 20, 8, (byte) 1));

        writes.forEach(
                (name, write) ->
                        assertThatThrownBy(
                                        () ->
                                                pool.transaction(
                                                        tx -> {
                                                            tx.setLong(account, 0, 1);
                                                            assertWrongUse(
                                                                    () -> write.run(tx),
                                                                    "outside the object");
                                                        }))
                                .as(name)
                                .isInstanceOf(TransactionAbortedException.class));

        assertThat(pool.getLong(account, 0)).isEqualTo(100);
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
                    assertWrongUse(() -> tx.raw().getRef(root.offset(), 0), "use the pool");
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
}
