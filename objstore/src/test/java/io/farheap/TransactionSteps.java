package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.CrashEnumeration.Step;
import io.farheap.base.Errno;
import io.farheap.base.FailureBehavior;
import io.farheap.base.FarheapException;
import io.farheap.base.LogType;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.base.TransactionStage;
import io.farheap.pmemobj.SnapshotOption;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;

/** Transactions by hand and with every flag, for tests that cut the power in each. */
final class TransactionSteps {
    private static final long TYPE = 4701;
    private static final TransactionOptions GOES_ON =
            TransactionOptions.DEFAULT.onFailure(FailureBehavior.RETURN);

    private TransactionSteps() {}

    static Map<String, Step> steps() {
        Map<String, Step> steps = new LinkedHashMap<>();
        steps.put("tx: by hand, nested", TransactionSteps::byHand);
        steps.put("tx: by hand, aborted inside", TransactionSteps::abortedInside);
        steps.put("tx: a word without a snapshot", TransactionSteps::withoutSnapshot);
        steps.put("tx: flushed after all", TransactionSteps::flushedAfterAll);
        steps.put("tx: overlapping snapshots given up", TransactionSteps::overlappingGivenUp);
        steps.put("tx: fill and duplicate", TransactionSteps::fillAndDuplicate);
        steps.put("tx: calls fail, the rest commits", TransactionSteps::callsFail);
        steps.put("tx: no room in the log at the commit", TransactionSteps::noRoomAtCommit);
        steps.put("tx: many small log extensions", TransactionSteps::manyExtensions);
        steps.put("tx: long ranges", TransactionSteps::longRanges);
        steps.put("tx: short ranges after long ones", TransactionSteps::shortRanges);
        steps.put("tx: long ranges given up", TransactionSteps::longRangesGivenUp);
        steps.put("tx: ranges of other lengths", TransactionSteps::otherLengths);
        steps.put("tx: free what was duplicated", TransactionSteps::freeAll);
        return steps;
    }

    private static void byHand(ObjectPool pool) {
        try (ManualTransaction outer = pool.begin()) {
            outer.transaction().snapshot(pool.root(), 8, 8).fill((byte) 1);
            try (ManualTransaction inner = pool.begin()) {
                Ref made = inner.transaction().allocateZeroed(100, TYPE);
                inner.transaction().setLong(made, 0, 2);
                inner.commit();
            }
            outer.transaction().snapshot(pool.root(), 304, 40).fill((byte) 3);
            outer.commit();
        }
    }

    private static void abortedInside(ObjectPool pool) {
        try (ManualTransaction outer = pool.begin()) {
            outer.transaction().snapshot(pool.root(), 304, 40).fill((byte) 4);
            try (ManualTransaction inner = pool.begin()) {
                Ref unused = inner.transaction().allocateZeroed(100, TYPE);
                inner.abort(5);
            }
            assertThat(outer.stage()).isEqualTo(TransactionStage.ONABORT);
        }
    }

    /** One word, and nothing else: old or new is all it can be. */
    private static void withoutSnapshot(ObjectPool pool) {
        pool.transaction(
                tx ->
                        tx.snapshot(tx.root(), 304, 8, SnapshotOption.NO_SNAPSHOT)
                                .set(ValueLayout.JAVA_LONG, 0, 6));
    }

    private static void flushedAfterAll(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    tx.snapshot(tx.root(), 304, 24, SnapshotOption.NO_FLUSH).fill((byte) 7);
                    tx.snapshot(tx.root(), 312, 24).fill((byte) 8);
                    MemorySegment unused = tx.snapshot(tx.root(), 304, 8);
                });
    }

    private static void overlappingGivenUp(ObjectPool pool) {
        try (ManualTransaction manual = pool.begin()) {
            Transaction tx = manual.transaction();
            tx.snapshot(tx.root(), 300, 100, SnapshotOption.NO_FLUSH).fill((byte) 8);
            tx.snapshot(tx.root(), 250, 100).fill((byte) 9);
            tx.snapshot(tx.root(), 350, 200, SnapshotOption.NO_FLUSH).fill((byte) 10);
            tx.snapshot(tx.root(), 200, 500).fill((byte) 11);
        }
    }

    private static void fillAndDuplicate(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    tx.fill(tx.root(), 301, 333, (byte) 12);
                    Ref name = tx.duplicate("Ada", TYPE);
                    tx.setRef(tx.root(), 640, name);
                    Ref unused = tx.duplicateWide("Grace", TYPE);
                });
    }

    private static void callsFail(ObjectPool pool) {
        pool.transaction(
                GOES_ON,
                tx -> {
                    tx.setLogAutoAllocation(LogType.SNAPSHOT, false);
                    tx.setLong(tx.root(), 8, 13);
                    Ref kept = tx.allocateZeroed(200, TYPE);
                    assertThatThrownBy(() -> tx.allocate(1L << 40, TYPE))
                            .isInstanceOf(FarheapException.class);
                    assertThatThrownBy(() -> tx.free(new Ref(kept.poolId(), kept.offset() + 8)))
                            .isInstanceOf(FarheapException.class);
                    tx.setLong(kept, 8, 14);
                });
    }

    private static void noRoomAtCommit(ObjectPool pool) {
        try (ManualTransaction manual = pool.begin()) {
            Transaction tx = manual.transaction();
            tx.setLogAutoAllocation(LogType.INTENT, false);
            assertThatThrownBy(
                            () -> {
                                for (int i = 0; i < 60; i++) {
                                    Ref unused = tx.allocateZeroed(60, TYPE);
                                }
                            })
                    .hasMessageContaining("does not let it grow");
            assertThat(manual.errorCode()).isEqualTo(Errno.ENOMEM);
        }
    }

    private static void manyExtensions(ObjectPool pool) {
        long before = pool.transactions().cacheSize();
        pool.transactions().setCacheSize(0);
        pool.transaction(
                tx -> {
                    for (int i = 0; i < 8; i++) {
                        tx.snapshot(tx.root(), 200 + 320 * i, 300).fill((byte) (15 + i));
                    }
                });
        pool.transactions().setCacheSize(before);
    }

    /** Entries of many lines: their data lies where the next steps have entries. */
    private static void longRanges(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    tx.snapshot(tx.root(), 1000, 900).fill((byte) 0xC0);
                    tx.snapshot(tx.root(), 1900, 700).fill((byte) 0xC0);
                });
    }

    private static void shortRanges(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    for (int i = 0; i < 9; i++) {
                        tx.snapshot(tx.root(), 1000 + 64 * i, 60).fill((byte) i);
                    }
                });
    }

    private static void longRangesGivenUp(ObjectPool pool) {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.snapshot(tx.root(), 900, 2090).fill((byte) 1);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);
    }

    private static void otherLengths(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    tx.snapshot(tx.root(), 1000, 600).fill((byte) 17);
                    tx.snapshot(tx.root(), 1601, 40).fill((byte) 18);
                    tx.snapshot(tx.root(), 1700, 1290).fill((byte) 19);
                });
    }

    private static void freeAll(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    tx.setRef(tx.root(), 640, Ref.NULL);
                    for (Ref object : tx.objects(TYPE)) {
                        tx.free(object, FailureBehavior.RETURN);
                    }
                });
    }
}
