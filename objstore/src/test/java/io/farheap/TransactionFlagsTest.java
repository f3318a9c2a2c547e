package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.AllocationOptions;
import io.farheap.base.Errno;
import io.farheap.base.FailureBehavior;
import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.base.LogType;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.base.TransactionStage;
import io.farheap.pmemobj.SnapshotOption;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The flags of snapshots and allocations, strings, and logs that may not grow. */
class TransactionFlagsTest extends TransactionFixture {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final TransactionOptions GOES_ON =
            TransactionOptions.DEFAULT.onFailure(FailureBehavior.RETURN);

    private Ref block(int bytes) {
        return pool.compute(tx -> tx.allocateZeroed(bytes, TYPE));
    }

    /** What the first word of an object is after a power loss that spares only what was fenced. */
    private long afterPowerLoss(Ref object) {
        CrashSimulation restarted = machine.crash(Loss.ALL, new Random(1));
        return SimulatedPool.open(restarted).getLong(object, 0);
    }

    // ---- snapshots ----

    @Test
    void withoutASnapshotTheCommitMakesItDurable() {
        Ref object = block(64);
        long fences = pool.counters().fences();
        pool.transaction(
                tx -> tx.snapshot(object, 0, 8, SnapshotOption.NO_SNAPSHOT).set(LONG, 0, 1));
        assertThat(pool.counters().fences() - fences).as("nothing to undo").isEqualTo(1);
        assertThat(afterPowerLoss(object)).isEqualTo(1);
    }

    @Test
    void withoutASnapshotAnAbortLeavesWhatWasStored() {
        Ref object = block(64);
        try (ManualTransaction manual = pool.begin()) {
            MemorySegment range =
                    manual.transaction().snapshot(object, 0, 16, SnapshotOption.NO_SNAPSHOT);
            range.set(LONG, 0, 2);
            range.set(LONG, 8, 2);
            manual.transaction().snapshot(object, 8, 8).set(LONG, 0, 3);
        }
        assertThat(pool.getLong(object, 0)).isEqualTo(2);
        assertThat(pool.getLong(object, 8)).as("saved when it was 2").isEqualTo(2);
    }

    @Test
    void withoutAFlushACrashAfterTheCommitMayLoseIt() {
        Ref object = block(64);
        pool.transaction(tx -> tx.snapshot(object, 0, 8, SnapshotOption.NO_FLUSH).set(LONG, 0, 1));
        assertThat(pool.getLong(object, 0)).isEqualTo(1);
        assertThat(afterPowerLoss(object)).isZero();
        pool.transaction(
                tx -> {
                    tx.snapshot(object, 0, 8, SnapshotOption.NO_FLUSH).set(LONG, 0, 2);
                    MemorySegment unused = tx.snapshot(object, 0, 8);
                });
        assertThat(afterPowerLoss(object)).as("flushed by the second call").isEqualTo(2);
    }

    @Test
    void withoutAFlushAnAbortPutsItBack() {
        Ref object = account(100);
        try (ManualTransaction manual = pool.begin()) {
            manual.transaction().snapshot(object, 0, 8, SnapshotOption.NO_FLUSH).set(LONG, 0, 1);
        }
        assertThat(pool.getLong(object, 0)).isEqualTo(100);
    }

    @Test
    void assumingItInitialisedChangesNothing() {
        Ref object = account(100);
        try (ManualTransaction manual = pool.begin()) {
            manual.transaction()
                    .snapshot(object, 0, 8, SnapshotOption.ASSUME_INITIALIZED)
                    .set(LONG, 0, 1);
        }
        assertThat(pool.getLong(object, 0)).isEqualTo(100);
    }

    @Test
    void mixturesAreSavedOnceAndPutBack() {
        Ref object = block(512);
        long seed = 20261122;
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            byte[] before = pool.readBytes(object, 0, 512);
            boolean commits = random.nextBoolean();
            byte[] expected = before.clone();
            try (ManualTransaction manual = pool.begin()) {
                for (int i = 0; i < 6; i++) {
                    int from = random.nextInt(500);
                    int length = 1 + random.nextInt(512 - from);
                    byte value = (byte) random.nextInt(256);
                    Transaction tx = manual.transaction();
                    MemorySegment range =
                            random.nextBoolean()
                                    ? tx.snapshot(object, from, length)
                                    : tx.snapshot(object, from, length, SnapshotOption.NO_FLUSH);
                    range.fill(value);
                    Arrays.fill(expected, from, from + length, value);
                }
                if (commits) {
                    manual.commit();
                }
            }
            assertThat(pool.readBytes(object, 0, 512))
                    .as("round %d, seed %d", round, seed)
                    .isEqualTo(commits ? expected : before);
        }
    }

    @Test
    void aFailureAbortsUnlessTheFlagSaysNot() {
        Ref object = account(100);
        pool.transaction(
                tx -> {
                    tx.setLong(object, 8, 1);
                    assertWrongUse(
                            () -> tx.snapshot(object, 0, 1 << 20, SnapshotOption.NO_ABORT),
                            "outside the object");
                });
        assertThat(pool.getLong(object, 8)).isEqualTo(1);
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx ->
                                                assertWrongUse(
                                                        () ->
                                                                tx.snapshot(
                                                                        object,
                                                                        0,
                                                                        1 << 20,
                                                                        SnapshotOption.NO_FLUSH))))
                .isInstanceOf(TransactionAbortedException.class);
    }

    // ---- replicas ----

    @Test
    void aPoolWithAReplicaSavesAndSendsAllTheSame() {
        pool.close();
        RecordingSink sink = new RecordingSink();
        MemorySegment base = SimulatedPool.formatted().memory().image();
        CrashSimulation here = SimulatedPool.formatted();
        pool = SimulatedPool.open(here, sink);
        Ref object = block(64);
        SnapshotOption[] both = {SnapshotOption.NO_SNAPSHOT, SnapshotOption.NO_FLUSH};

        pool.transaction(tx -> tx.snapshot(object, 0, 8, both).set(LONG, 0, 1));
        CrashSimulation restarted = here.crash(Loss.ALL, new Random(1));
        assertThat(SimulatedPool.open(restarted, new RecordingSink()).getLong(object, 0))
                .isEqualTo(1);
        CrashSimulation replica = sink.replica(base, sink.records.size());
        assertThat(SimulatedPool.open(replica).getLong(object, 0)).isEqualTo(1);

        try (ManualTransaction manual = pool.begin()) {
            manual.transaction().snapshot(object, 0, 8, both).set(LONG, 0, 2);
        }
        assertThat(pool.getLong(object, 0)).as("no replica heard of 2").isEqualTo(1);

        AllocationOptions options = AllocationOptions.DEFAULT.withoutFlush();
        Ref made =
                pool.compute(
                        tx -> {
                            Ref fresh = tx.allocate(64, TYPE, options);
                            tx.setLong(fresh, 0, 3);
                            return fresh;
                        });
        restarted = here.crash(Loss.ALL, new Random(1));
        assertThat(SimulatedPool.open(restarted, new RecordingSink()).getLong(made, 0))
                .as("as the replica has it")
                .isEqualTo(3);
    }

    // ---- allocations ----

    @Test
    void anAllocationWithoutAFlushExistsWithContentThatACrashMayLose() {
        AllocationOptions options = AllocationOptions.DEFAULT.withoutFlush();
        Ref made =
                pool.compute(
                        tx -> {
                            Ref fresh = tx.allocate(64, TYPE, options);
                            tx.setLong(fresh, 0, 3);
                            return fresh;
                        });
        assertThat(pool.getLong(made, 0)).isEqualTo(3);
        assertThat(afterPowerLoss(made)).isZero();
    }

    @Test
    void failingAllocationsAndFreesAbortUnlessToldNotTo() {
        Ref object = account(100);
        AllocationOptions goesOn = AllocationOptions.DEFAULT.withoutAbort();
        pool.transaction(
                tx -> {
                    tx.setLong(object, 8, 1);
                    assertWrongUse(() -> tx.allocate(0, TYPE, goesOn));
                    assertWrongUse(() -> tx.duplicate(null, TYPE, goesOn));
                    assertWrongUse(() -> tx.duplicateWide(null, TYPE, goesOn));
                    assertWrongUse(() -> tx.free(new Ref(5, 64), FailureBehavior.RETURN));
                    assertThat(tx.failureBehavior()).isEqualTo(FailureBehavior.ABORT);
                });
        assertThat(pool.getLong(object, 8)).isEqualTo(1);
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        GOES_ON,
                                        tx ->
                                                assertWrongUse(
                                                        () ->
                                                                tx.free(
                                                                        new Ref(5, 64),
                                                                        FailureBehavior.ABORT))))
                .isInstanceOf(TransactionAbortedException.class);
    }

    @Test
    void whatWasAllocatedAndFreedInsideIsGivenBackAtOnce() {
        Ref probe = block(100);
        pool.transaction(tx -> tx.free(probe));
        for (int i = 0; i < 60; i++) {
            pool.transaction(
                    tx -> {
                        // Not even a place in the log is kept: it would be full long before.
                        tx.setLogAutoAllocation(LogType.INTENT, false);
                        Ref fresh = tx.allocate(100, TYPE);
                        assertThat(fresh).isEqualTo(probe);
                        tx.free(fresh);
                        assertThat(tx.objects()).isEmpty();
                    });
        }
    }

    // ---- strings and fills ----

    @Test
    void stringsAreDuplicatedAsCKeepsThem() {
        String text = "Zoë 😀";
        Ref[] made = new Ref[3];
        pool.transaction(
                tx -> {
                    made[0] = tx.duplicate(text, TYPE);
                    made[1] = tx.duplicateWide(text, TYPE + 1);
                    made[2] = tx.duplicate("", TYPE);
                });
        byte[] narrow = (text + "\0").getBytes(StandardCharsets.UTF_8);
        byte[] wide = (text + "\0").getBytes(Charset.forName("UTF-32LE"));
        assertThat(pool.readBytes(made[0], 0, narrow.length)).isEqualTo(narrow);
        assertThat(pool.readBytes(made[1], 0, wide.length)).isEqualTo(wide);
        assertThat(pool.getByte(made[2], 0)).isZero();
        assertThat(pool.typeNumber(made[1])).isEqualTo(TYPE + 1);
    }

    @Test
    void noStringIsWrongUseAndAborts() {
        for (String bad : new String[] {null, "a\0b"}) {
            try (ManualTransaction manual = pool.begin()) {
                assertWrongUse(() -> manual.transaction().duplicate(bad, TYPE));
                assertThat(manual.end()).isEqualTo(Errno.EINVAL);
            }
        }
    }

    @Test
    void aFillIsAWrite() {
        Ref object = block(100);
        pool.transaction(
                tx -> {
                    tx.fill(object, 10, 50, (byte) 7);
                    tx.fill(object, 20, 0, (byte) 9);
                    assertThat(tx.readBytes(object, 9, 3)).containsExactly(0, 7, 7);
                    assertThat(pool.getByte(object, 10)).as("not before the commit").isZero();
                    Ref fresh = tx.allocateZeroed(100, TYPE);
                    tx.fill(fresh, 0, 100, (byte) 8);
                    assertThat(tx.getByte(fresh, 99)).isEqualTo((byte) 8);
                });
        assertThat(pool.readBytes(object, 9, 52)).startsWith(0, 7).endsWith(7, 0);
        assertWrongUse(() -> pool.transaction(tx -> tx.fill(object, 90, 1000, (byte) 1)));
    }

    // ---- logs ----

    @Test
    void aLaneTakes32SnapshotsWhenItsLogMayNotGrow() {
        Ref object = block(8192);
        int taken =
                pool.compute(
                        GOES_ON,
                        tx -> {
                            tx.setLogAutoAllocation(LogType.SNAPSHOT, false);
                            return snapshotsUntilFull(tx, object);
                        });
        assertThat(taken).as("as in C").isEqualTo(32);
        taken = pool.compute(GOES_ON, tx -> snapshotsUntilFull(tx, object));
        assertThat(taken).as("grows again").isEqualTo(2000);
        taken =
                pool.compute(
                        GOES_ON,
                        tx -> {
                            tx.setLogAutoAllocation(LogType.SNAPSHOT, false);
                            return snapshotsUntilFull(tx, object);
                        });
        assertThat(taken).as("with the extension that stays, as in C").isBetween(32 + 512, 700);
    }

    private static int snapshotsUntilFull(Transaction tx, Ref object) {
        for (int i = 0; i < 2000; i++) {
            try {
                MemorySegment unused = tx.snapshot(object, 2L * i, 1);
            } catch (FarheapException full) {
                assertThat(full.category()).isEqualTo(Category.ENVIRONMENT);
                assertThat(full).hasMessageContaining("does not let it grow");
                return i;
            }
        }
        return 2000;
    }

    @Test
    void valuesThatDoNotFitTheLogFailAtTheCommit() {
        Ref object = block(8192);
        ManualTransaction manual = pool.begin();
        manual.transaction().setLogAutoAllocation(LogType.SNAPSHOT, false);
        manual.transaction().writeBytes(object, 0, new byte[] {1});
        manual.transaction().fill(object, 100, 2000, (byte) 1);
        assertThatThrownBy(manual::commit).hasMessageContaining("undo log");
        assertThat(manual.stage()).isEqualTo(TransactionStage.ONABORT);
        assertThat(manual.end()).isEqualTo(Errno.ENOMEM);
        assertThat(pool.readBytes(object, 0, 8192)).containsOnly(0);
    }

    @Test
    void anIntentLogThatMayNotGrowTakesWhatTheLaneHas() {
        int allocated =
                pool.compute(
                        GOES_ON,
                        tx -> {
                            tx.setLogAutoAllocation(LogType.INTENT, false);
                            for (int i = 0; i < 100; i++) {
                                try {
                                    Ref unused = tx.allocate(64, TYPE);
                                } catch (FarheapException full) {
                                    return i;
                                }
                            }
                            return 100;
                        });
        assertThat(allocated).as("one entry is kept for the undo log's end").isEqualTo(39);
        assertThat(list(pool.objects())).hasSize(39);
    }

    @Test
    void theSizeOfExtensionsIsASetting() {
        assertThat(pool.transactions().cacheSize()).isEqualTo(32768);
        Ref object = block(8192);
        pool.transactions().setCacheSize(64 * 10);
        int taken =
                pool.compute(
                        GOES_ON,
                        tx -> {
                            for (int i = 0; i < 33; i++) {
                                MemorySegment unused = tx.snapshot(object, 2L * i, 1);
                            }
                            tx.setLogAutoAllocation(LogType.SNAPSHOT, false);
                            return 33
                                    + snapshotsUntilFull(
                                            tx, new Ref(object.poolId(), object.offset()));
                        });
        assertThat(taken).isBetween(33 + 32 + 10, 33 + 32 + 60);
        assertWrongUse(() -> pool.transactions().setCacheSize(-1), "tx.cache.size");
        assertWrongUse(() -> pool.transactions().setCacheSize(0x3FFDFFFC0L + 1), "tx.cache.size");
        pool.transactions().setCacheSize(0x3FFDFFFC0L);
        pool.transactions().setCacheSize(0);
        pool.update(object, 0, 8192, range -> range.fill((byte) 1));
        assertThat(pool.getByte(object, 8191)).isEqualTo((byte) 1);
    }
}
