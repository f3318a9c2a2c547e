package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ManualTransaction;
import io.farheap.ObjectPool;
import io.farheap.Transaction;
import io.farheap.TransactionOptions;
import io.farheap.base.FailureBehavior;
import io.farheap.base.FarheapException;
import io.farheap.base.LogType;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.base.TransactionStage;
import io.farheap.pmemobj.SnapshotOption;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.function.Consumer;

/** Transactions as functions, by hand, nested, with every flag, committed and aborted. */
final class TransactionTour {
    private static final long TYPE = 71;
    private static final long FIELD = 512;
    private static final long BYTES = 1024;
    private static final TransactionOptions GOES_ON =
            TransactionOptions.DEFAULT.onFailure(FailureBehavior.RETURN);

    private TransactionTour() {}

    static void addTo(Map<String, Consumer<ObjectPool>> steps) {
        steps.put("tx: allocate, write, link", TransactionTour::allocate);
        steps.put("tx: stores in place", TransactionTour::storeInPlace);
        steps.put("tx: stores in place, aborted", p -> inVain(p, TransactionTour::change));
        steps.put("tx: reallocate", TransactionTour::reallocate);
        steps.put("tx: fill, copy, strdup, wcsdup", TransactionTour::fillAndDuplicate);
        steps.put("tx: by hand, nested", TransactionTour::byHand);
        steps.put("tx: by hand, aborted inside", TransactionTour::abortedInside);
        steps.put("tx: NO_FLUSH", p -> snapshot(p, SnapshotOption.NO_FLUSH));
        steps.put("tx: NO_SNAPSHOT", p -> snapshot(p, SnapshotOption.NO_SNAPSHOT));
        steps.put(
                "tx: NO_FLUSH and NO_SNAPSHOT",
                p -> snapshot(p, SnapshotOption.NO_FLUSH, SnapshotOption.NO_SNAPSHOT));
        steps.put("tx: ASSUME_INITIALIZED", p -> snapshot(p, SnapshotOption.ASSUME_INITIALIZED));
        steps.put("tx: NO_FLUSH, aborted", p -> snapshotInVain(p, SnapshotOption.NO_FLUSH));
        steps.put("tx: NO_SNAPSHOT, aborted", p -> snapshotInVain(p, SnapshotOption.NO_SNAPSHOT));
        steps.put("tx: calls fail, the rest commits", TransactionTour::callsFail);
        steps.put("tx: many log extensions", TransactionTour::manyExtensions);
        steps.put("tx: many log extensions, aborted", TransactionTour::manyExtensionsInVain);
        steps.put("tx: allocate much", TransactionTour::allocateMuch);
        steps.put("tx: free all", TransactionTour::freeAll);
    }

    private static void inVain(ObjectPool pool, Consumer<Transaction> body) {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            body.accept(tx);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);
    }

    private static void allocate(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    Ref made = tx.allocate(700, TYPE);
                    tx.setShort(made, 1, (short) 1);
                    tx.setInt(made, 3, 2);
                    tx.setByte(made, 7, (byte) 3);
                    tx.setDouble(made, 8, 4.5);
                    tx.setRef(made, 16, tx.root());
                    tx.write(made, 32, bytes -> bytes.writeLong(5).writeUtf8("six"));
                    tx.writeBytes(made, 600, new byte[100]);
                    tx.setRef(tx.root(), FIELD, made);
                });
    }

    private static void storeInPlace(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    Ref made = tx.getRef(tx.root(), FIELD);
                    tx.snapshot(made, 400, 100).fill((byte) 4);
                    tx.snapshot(made, 40, 8).set(ValueLayout.JAVA_LONG, 0, 7);
                });
        pool.update(pool.root(), BYTES, 100, range -> range.fill((byte) 8));
    }

    private static void change(Transaction tx) {
        tx.snapshot(tx.getRef(tx.root(), FIELD), 300, 400).fill((byte) 5);
        tx.free(tx.getRef(tx.root(), FIELD));
        tx.fill(tx.allocate(5000, TYPE), 0, 5000, (byte) 6);
        tx.fill(tx.allocate(700, TYPE), 0, 700, (byte) 6);
    }

    private static void reallocate(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    Ref moved = tx.reallocateZeroed(tx.getRef(tx.root(), FIELD), 9000, TYPE);
                    tx.setRef(tx.root(), FIELD, tx.reallocate(moved, 400_000, TYPE));
                    tx.setRef(tx.root(), FIELD + 16, tx.reallocate(Ref.NULL, 90, TYPE));
                });
    }

    private static void fillAndDuplicate(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    tx.fill(tx.root(), BYTES + 1, 333, (byte) 12);
                    tx.copy(tx.root(), BYTES, tx.root(), BYTES + 200, 200);
                    tx.setRef(tx.root(), FIELD + 32, tx.duplicate("Ada", TYPE));
                    tx.setRef(tx.root(), FIELD + 48, tx.duplicateWide("Grace", TYPE));
                });
    }

    private static void byHand(ObjectPool pool) {
        try (ManualTransaction outer = pool.begin()) {
            outer.transaction().snapshot(pool.root(), BYTES, 40).fill((byte) 1);
            try (ManualTransaction inner = pool.begin()) {
                Ref made = inner.transaction().allocateZeroed(100, TYPE);
                inner.transaction().setLong(made, 0, 2);
                inner.commit();
            }
            outer.transaction().snapshot(pool.root(), BYTES + 20, 40).fill((byte) 3);
            outer.commit();
        }
    }

    private static void abortedInside(ObjectPool pool) {
        try (ManualTransaction outer = pool.begin()) {
            outer.transaction().snapshot(pool.root(), BYTES, 40).fill((byte) 4);
            try (ManualTransaction inner = pool.begin()) {
                Ref made = inner.transaction().allocateZeroed(100, TYPE);
                inner.transaction().free(made);
                inner.abort(5);
            }
            assertThat(outer.stage()).isEqualTo(TransactionStage.ONABORT);
        }
    }

    private static void store(Transaction tx, byte value, SnapshotOption... options) {
        tx.snapshot(tx.root(), BYTES, 72, options).fill(value);
        tx.snapshot(tx.root(), BYTES + 50, 100).fill((byte) (value + 1));
        tx.snapshot(tx.root(), BYTES + 140, 200, options).fill((byte) (value + 2));
    }

    private static void snapshot(ObjectPool pool, SnapshotOption... options) {
        byte old = pool.getByte(pool.root(), BYTES);
        pool.transaction(tx -> store(tx, (byte) (old + 10), options));
        assertThat(pool.getByte(pool.root(), BYTES)).isEqualTo((byte) (old + 10));
    }

    private static void snapshotInVain(ObjectPool pool, SnapshotOption... options) {
        inVain(pool, tx -> store(tx, (byte) (tx.getByte(tx.root(), BYTES) + 20), options));
    }

    private static void callsFail(ObjectPool pool) {
        pool.transaction(
                GOES_ON,
                tx -> {
                    tx.setLogAutoAllocation(LogType.SNAPSHOT, false);
                    Ref kept = tx.allocateZeroed(200, TYPE);
                    assertThatThrownBy(() -> tx.allocate(1L << 40, TYPE))
                            .isInstanceOf(FarheapException.class);
                    tx.setLong(kept, 8, 14);
                });
    }

    private static void takeMuch(Transaction tx) {
        for (int i = 0; i < 8; i++) {
            MemorySegment range = tx.snapshot(tx.root(), BYTES + 320 * i, 300);
            range.fill((byte) (range.get(ValueLayout.JAVA_BYTE, 0) + 15 + i));
        }
    }

    private static void manyExtensions(ObjectPool pool) {
        long before = pool.transactions().cacheSize();
        pool.transactions().setCacheSize(0);
        pool.transaction(TransactionTour::takeMuch);
        pool.transactions().setCacheSize(before);
    }

    private static void manyExtensionsInVain(ObjectPool pool) {
        inVain(pool, TransactionTour::takeMuch);
    }

    private static void allocateMuch(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    for (int i = 0; i < 60; i++) {
                        tx.setLong(tx.allocate(60 + 130 * (i % 20), TYPE), 0, i);
                    }
                });
    }

    private static void freeAll(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    tx.fill(tx.root(), FIELD, 4L * Ref.BYTES, (byte) 0);
                    tx.objects(TYPE).forEach(tx::free);
                });
    }
}
