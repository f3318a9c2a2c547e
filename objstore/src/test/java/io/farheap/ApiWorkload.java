package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.CrashEnumeration.Step;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;

/** Every operation of the API, for tests that cut the power in each. */
final class ApiWorkload {
    private static final long TYPE = 7;

    private ApiWorkload() {}

    /** Every operation of the API, in an order that leaves each something to work on. */
    static Map<String, Step> steps() {
        Map<String, Step> steps = new LinkedHashMap<>();
        steps.put("make the root", pool -> pool.root(256));
        steps.put("allocate and link", ApiWorkload::allocateAndLink);
        steps.put("change fields of several objects", ApiWorkload::changeFields);
        steps.put("write a payload", pool -> pool.write(first(pool), b -> b.writeUtf8("Ada")));
        steps.put("store in place", ApiWorkload::storeInPlace);
        steps.put("store in place and give up", ApiWorkload::storeAndGiveUp);
        steps.put("both styles, allocate, free", ApiWorkload::everythingAtOnce);
        steps.put("nested", ApiWorkload::nested);
        steps.put("move to a larger block", ApiWorkload::reallocate);
        steps.put("grow the root", pool -> pool.root(3000));
        steps.put("allocate a huge block", ApiWorkload::allocateHuge);
        steps.put("free the huge block", ApiWorkload::freeHuge);
        steps.put("change much in place", ApiWorkload::changeMuch);
        steps.put("allocate much", ApiWorkload::allocateMuch);
        steps.put("free much", ApiWorkload::freeMuch);
        steps.put("change much in place, after snapshots", ApiWorkload::snapshotMuch);
        steps.put("change much in place and give up", ApiWorkload::snapshotMuchAndGiveUp);
        steps.put("free in a nested call that gives up", ApiWorkload::giveUpInside);
        steps.put("move from nothing, and to less", ApiWorkload::reallocateFromNothing);
        steps.put("move to nothing", ApiWorkload::reallocateToNothing);
        steps.put("fields of every kind", ApiWorkload::fieldsOfEveryKind);
        steps.put("update one range", ApiWorkload::update);
        steps.put("allocate alone", pool -> pool.transaction(tx -> tx.allocate(100, TYPE + 5)));
        steps.put("free alone", ApiWorkload::freeAlone);
        steps.put("under a lock, with a result", ApiWorkload::underALock);
        steps.put("set one field", pool -> pool.setLong(first(pool), 0, 77));
        steps.put("copy", pool -> pool.copy(first(pool), 0, pool.root(), 500, 16));
        steps.putAll(LockSteps.steps());
        steps.putAll(ListSteps.steps());
        steps.putAll(AtomicSteps.steps());
        steps.putAll(HeapSteps.steps());
        steps.putAll(ActionSteps.steps());
        steps.putAll(TransactionSteps.steps());
        steps.putAll(GrowthSteps.steps());
        steps.putAll(MemorySteps.steps());
        return steps;
    }

    private static Ref first(ObjectPool pool) {
        return pool.getRef(pool.root(), 0);
    }

    private static void allocateAndLink(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    Ref account = tx.allocateZeroed(100, TYPE);
                    Ref other = tx.allocateZeroed(1000, TYPE + 1);
                    tx.setLong(account, 0, 100);
                    tx.setRef(account, 16, other);
                    tx.setRef(tx.root(), 0, account);
                });
    }

    private static void changeFields(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    Ref account = tx.getRef(tx.root(), 0);
                    Ref other = tx.getRef(account, 16);
                    tx.setLong(account, 0, 50);
                    tx.setInt(account, 11, -1);
                    tx.setByte(other, 999, (byte) 1);
                    tx.writeBytes(other, 100, new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
                    tx.setLong(tx.root(), 64, 1);
                });
    }

    private static void storeInPlace(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    Ref account = tx.getRef(tx.root(), 0);
                    tx.snapshot(account, 0, 8).set(ValueLayout.JAVA_LONG, 0, 7);
                    tx.snapshot(account, 40, 44).fill((byte) 3);
                });
    }

    private static void storeAndGiveUp(ObjectPool pool) {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            Ref account = tx.getRef(tx.root(), 0);
                                            tx.snapshot(account, 0, 96).fill((byte) 5);
                                            tx.free(tx.getRef(tx.root(), 0));
                                            Ref unused = tx.allocate(5000, TYPE);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);
    }

    static void everythingAtOnce(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    Ref account = tx.getRef(tx.root(), 0);
                    Ref other = tx.getRef(account, 16);
                    tx.snapshot(account, 0, 8).set(ValueLayout.JAVA_LONG, 0, 8);
                    Ref replacement = tx.allocateZeroed(300, TYPE + 1);
                    tx.setLong(replacement, 8, 9);
                    tx.snapshot(account, 16, 16)
                            .set(ValueLayout.JAVA_LONG, 8, replacement.offset());
                    tx.free(other);
                    tx.setLong(tx.root(), 72, 2);
                });
    }

    private static void nested(ObjectPool pool) {
        pool.transaction(
                outer -> {
                    outer.setLong(outer.root(), 80, 3);
                    pool.transaction(inner -> inner.setLong(inner.root(), 80, 4));
                    pool.setLong(pool.root(), 88, 5);
                });
    }

    private static void reallocate(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    Ref account = tx.getRef(tx.root(), 0);
                    Ref other = tx.getRef(account, 16);
                    Ref moved = tx.reallocateZeroed(other, 2000, TYPE + 2);
                    tx.setRef(account, 16, moved);
                });
    }

    private static void allocateHuge(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    Ref huge = tx.allocateZeroed((1 << 18) - 16, TYPE + 3);
                    tx.setLong(huge, 200_000, 6);
                    tx.setRef(tx.root(), 96, huge);
                });
    }

    private static void freeHuge(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    tx.free(tx.getRef(tx.root(), 96));
                    tx.setRef(tx.root(), 96, Ref.NULL);
                });
    }

    /** More undo than the lane holds: an extension is linked, and freed by recovery. */
    private static void changeMuch(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    byte[] much = new byte[1990];
                    much[1989] = 1;
                    tx.writeBytes(tx.root(), 1000, much);
                });
    }

    /** More words than the lane's redo log holds: extensions are linked and freed again. */
    private static void allocateMuch(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    for (int i = 0; i < 50; i++) {
                        Ref object = tx.allocateZeroed(60 + 130 * (i % 20), TYPE + 4);
                        tx.setLong(object, 0, i);
                    }
                });
    }

    private static void snapshotMuch(ObjectPool pool) {
        pool.transaction(tx -> tx.snapshot(tx.root(), 1000, 1950).fill((byte) 6));
    }

    private static void snapshotMuchAndGiveUp(ObjectPool pool) {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.snapshot(tx.root(), 900, 2000).fill((byte) 7);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);
    }

    private static void giveUpInside(ObjectPool pool) {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        outer -> {
                                            outer.setLong(outer.root(), 80, 99);
                                            pool.transaction(
                                                    inner -> {
                                                        inner.free(inner.getRef(inner.root(), 0));
                                                        inner.abort();
                                                    });
                                        }))
                .isInstanceOf(TransactionAbortedException.class);
    }

    private static void reallocateFromNothing(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    Ref made = tx.reallocate(Ref.NULL, 700, TYPE + 5);
                    tx.writeBytes(made, 0, new byte[700]);
                    tx.setRef(tx.root(), 112, tx.reallocate(made, 150, TYPE + 5));
                });
    }

    private static void reallocateToNothing(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    Ref gone = tx.reallocate(tx.getRef(tx.root(), 112), 0, TYPE + 5);
                    assertThat(gone).isEqualTo(Ref.NULL);
                    tx.setRef(tx.root(), 112, Ref.NULL);
                });
    }

    private static void fieldsOfEveryKind(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    Ref root = tx.root();
                    tx.setShort(root, 201, (short) 1);
                    tx.setInt(root, 203, 2);
                    tx.setByte(root, 207, (byte) 3);
                    tx.setDouble(root, 208, 4.5);
                    tx.setRef(root, 216, root);
                    tx.write(root, 240, bytes -> bytes.writeLong(5).writeUtf8("six"));
                    tx.copy(root, 200, root, 204, 60);
                });
    }

    private static void update(ObjectPool pool) {
        pool.update(pool.root(), 300, 100, range -> range.fill((byte) 8));
    }

    private static void freeAlone(ObjectPool pool) {
        pool.transaction(tx -> tx.objects(TYPE + 5).forEach(tx::free));
    }

    private static void underALock(ObjectPool pool) {
        TransactionLock lock = new TransactionLock();
        long value =
                pool.compute(
                        tx -> {
                            tx.lock(lock);
                            tx.setLong(tx.root(), 408, tx.getLong(tx.root(), 400) + 1);
                            return tx.getLong(tx.root(), 408);
                        });
        assertThat(value).isEqualTo(pool.getLong(pool.root(), 408));
    }

    private static void freeMuch(ObjectPool pool) {
        pool.transaction(tx -> tx.objects(TYPE + 4).forEach(tx::free));
    }
}
