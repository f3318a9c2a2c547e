package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.CrashEnumeration.Step;
import io.farheap.memory.CrashSimulation;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Power loss at every flush and fence of every operation. */
class TransactionCrashTest {
    private static final long TYPE = 7;

    /** Every operation of the API, in an order that leaves each something to work on. */
    private static Map<String, Step> workload() {
        Map<String, Step> steps = new LinkedHashMap<>();
        steps.put("make the root", pool -> pool.root(256));
        steps.put("allocate and link", TransactionCrashTest::allocateAndLink);
        steps.put("change fields of several objects", TransactionCrashTest::changeFields);
        steps.put("write a payload", pool -> pool.write(first(pool), b -> b.writeUtf8("Ada")));
        steps.put("store in place", TransactionCrashTest::storeInPlace);
        steps.put("store in place and give up", TransactionCrashTest::storeAndGiveUp);
        steps.put("both styles, allocate, free", TransactionCrashTest::everythingAtOnce);
        steps.put("nested", TransactionCrashTest::nested);
        steps.put("move to a larger block", TransactionCrashTest::reallocate);
        steps.put("grow the root", pool -> pool.root(3000));
        steps.put("allocate a huge block", TransactionCrashTest::allocateHuge);
        steps.put("free the huge block", TransactionCrashTest::freeHuge);
        steps.put("change much in place", TransactionCrashTest::changeMuch);
        steps.put("allocate much", TransactionCrashTest::allocateMuch);
        steps.put("free much", TransactionCrashTest::freeMuch);
        steps.put("set one field", pool -> pool.setLong(first(pool), 0, 77));
        steps.put("copy", pool -> pool.copy(first(pool), 0, pool.root(), 500, 16));
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

    private static void everythingAtOnce(ObjectPool pool) {
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
                    byte[] much = new byte[1500];
                    much[1499] = 1;
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

    private static void freeMuch(ObjectPool pool) {
        pool.transaction(tx -> tx.objects(TYPE + 4).forEach(tx::free));
    }

    @ParameterizedTest
    @ValueSource(longs = {20261121})
    void recoveryFindsATransactionBoundary(long seed) {
        CrashSimulation machine = SimulatedPool.formatted(12 << 20);
        ObjectPool pool = SimulatedPool.open(machine);
        CrashEnumeration enumeration = new CrashEnumeration(machine, seed, 1);

        workload().forEach((name, step) -> enumeration.step(pool, name, step));

        assertThat(enumeration.crashes()).as("crashes tried").isGreaterThan(500);
    }

    @Test
    void aLostAnswerIsRolledBackToTheBoundaryBefore() {
        RecordingSink sink = new RecordingSink();
        CrashSimulation machine = SimulatedPool.formatted(12 << 20);
        ObjectPool pool = SimulatedPool.open(machine, sink);
        List<String> names = List.of("make the root", "allocate and link");
        for (String name : names) {
            run(workload().get(name), pool);
        }
        sink.losesAnswers = true;
        CrashEnumeration enumeration = new CrashEnumeration(machine, 5, 2);
        PoolState before = PoolState.of(pool);

        enumeration.step(
                pool,
                "everything at once, no answer",
                p ->
                        assertThatThrownBy(() -> everythingAtOnce(p))
                                .isInstanceOf(CommitUnknownException.class));

        assertThat(PoolState.of(pool)).isEqualTo(before);
    }

    @Test
    void everyPrefixOfTheRecordsIsATransactionBoundary() {
        RecordingSink sink = new RecordingSink();
        CrashSimulation machine = SimulatedPool.formatted(12 << 20);
        ObjectPool pool = SimulatedPool.open(machine, sink);
        List<PoolState> boundaries = new ArrayList<>();
        List<Integer> recordsAt = new ArrayList<>();
        boundaries.add(PoolState.of(pool));
        recordsAt.add(0);
        for (Step step : workload().values()) {
            run(step, pool);
            boundaries.add(PoolState.of(pool));
            recordsAt.add(sink.records.size());
        }
        pool.close();

        int at = 0;
        for (int count = 0; count <= sink.records.size(); count++) {
            while (at + 1 < recordsAt.size() && recordsAt.get(at + 1) <= count) {
                at++;
            }
            CrashSimulation replica =
                    sink.replica(SimulatedPool.formatted(12 << 20).memory().image(), count);
            ObjectPool promoted = SimulatedPool.open(replica, new RecordingSink());
            String where = count + " of " + sink.records.size() + " records";
            PoolState.assertHeapIsSound(replica.memory(), where);
            assertThat(PoolState.of(promoted)).as(where).isEqualTo(boundaries.get(at));
        }
    }

    private static void run(Step step, ObjectPool pool) {
        try {
            step.run(pool);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
