package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.Ref;
import io.farheap.testing.CrashSimulation;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What each operation costs. A change here is a change of the product's speed. */
class FenceCountTest {
    private static final long TYPE = 7;

    private final CrashSimulation machine = SimulatedPool.formatted();
    private final RecordingSink sink = new RecordingSink();
    private ObjectPool pool;
    private Ref object;

    @BeforeEach
    void openAndWarmUp() {
        pool = SimulatedPool.open(machine);
        object = pool.compute(tx -> tx.allocateZeroed(8192, TYPE));
        // The lane keeps its first undo extension; link it now.
        ranges(pool, 17);
    }

    private void ranges(ObjectPool of, int count) {
        byte[] value = new byte[64];
        of.transaction(
                tx -> {
                    for (int i = 0; i < count; i++) {
                        tx.writeBytes(object, 128L * i, value);
                    }
                });
    }

    private long fencesOf(Runnable call) {
        long before = pool.counters().fences();
        call.run();
        return pool.counters().fences() - before;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 16})
    void upToSixteenRangesOf64BytesTakeThreeFences(int count) {
        assertThat(fencesOf(() -> ranges(pool, count))).isEqualTo(3);
    }

    @Test
    void theSeventeenthRangeGoesIntoTheExtensionThatStaysLinked() {
        assertThat(fencesOf(() -> ranges(pool, 17))).isEqualTo(3);
    }

    @Test
    void theFirstExtensionOfALaneCostsItsAllocation() {
        pool.close();
        CrashSimulation fresh = SimulatedPool.formatted();
        pool = SimulatedPool.open(fresh);
        object = pool.compute(tx -> tx.allocateZeroed(8192, TYPE));
        long first = fencesOf(() -> ranges(pool, 17));
        assertThat(first).as("3, 2 of the block it lies in, 4 of the link").isEqualTo(9);
    }

    @Test
    void oneRangeOf4KiBTakesThreeFences() {
        byte[] value = new byte[4096];
        assertThat(fencesOf(() -> pool.writeBytes(object, 0, value))).isEqualTo(3);
    }

    @Test
    void aReplicaAddsOneWaitAndNoFence() {
        pool.close();
        pool = SimulatedPool.open(machine, sink);
        ranges(pool, 1);
        PoolCounters before = pool.counters();

        assertThat(fencesOf(() -> ranges(pool, 16))).isEqualTo(3);

        assertThat(pool.counters().records() - before.records()).isEqualTo(1);
        assertThat(pool.counters().durabilityWaits() - before.durabilityWaits()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 16})
    void aLocalReplicaAddsNoFenceToWaitForOneAfterAnother(int count, @TempDir Path directory)
            throws IOException {
        Path set = directory.resolve("mirrored.set");
        Files.writeString(
                set,
                "PMEMPOOLSET\n8M %1$s/master.part\nREPLICA\n8M %1$s/mirror.part\n"
                        .formatted(directory));
        pool.close();
        pool = ObjectPool.create(set, "counted");
        object = pool.compute(tx -> tx.allocateZeroed(8192, TYPE));
        ranges(pool, 17);

        assertThat(fencesOf(() -> ranges(pool, count))).isEqualTo(3);
        assertThat(fencesOf(() -> ranges(pool, 17))).isEqualTo(3);
        assertThat(fencesOf(() -> pool.writeBytes(object, 0, new byte[4096]))).isEqualTo(3);
        Ref unused = pool.compute(tx -> tx.allocate(64, TYPE));
        assertThat(fencesOf(() -> pool.transaction(tx -> tx.allocate(64, TYPE)))).isEqualTo(2);
        pool.close();
    }

    @Test
    void aReplicaAddsOneWaitToAnAllocationToo() {
        pool.close();
        pool = SimulatedPool.open(machine, sink);
        Ref unused = pool.compute(tx -> tx.allocate(64, TYPE));
        ranges(pool, 1);
        PoolCounters before = pool.counters();

        long fences =
                fencesOf(() -> pool.transaction(tx -> tx.setRef(object, 0, tx.allocate(64, TYPE))));

        assertThat(fences).isEqualTo(5);
        assertThat(pool.counters().records() - before.records()).isEqualTo(1);
        assertThat(pool.counters().durabilityWaits() - before.durabilityWaits()).isEqualTo(1);
    }

    @Test
    void anAllocationInAnExistingRunTakesTwo() {
        Ref unused = pool.compute(tx -> tx.allocate(64, TYPE));
        assertThat(fencesOf(() -> pool.transaction(tx -> tx.allocate(64, TYPE))))
                .as("content, then the single bitmap word")
                .isEqualTo(2);
    }

    @Test
    void anAllocationLinkedFromAnObjectTakesTwoMoreThanTheWriteAlone() {
        Ref unused = pool.compute(tx -> tx.allocate(64, TYPE));
        assertThat(
                        fencesOf(
                                () ->
                                        pool.transaction(
                                                tx -> {
                                                    Ref fresh = tx.allocate(64, TYPE);
                                                    tx.setRef(object, 0, fresh);
                                                })))
                .isEqualTo(5);
    }

    @Test
    void aFreeTakesOne() {
        Ref gone = pool.compute(tx -> tx.allocate(64, TYPE));
        assertThat(fencesOf(() -> pool.transaction(tx -> tx.free(gone)))).isEqualTo(1);
    }

    @Test
    void inPlaceEachSnapshotTakesOneAndTheCommitTwo() {
        assertThat(
                        fencesOf(
                                () ->
                                        pool.transaction(
                                                tx -> {
                                                    for (int i = 0; i < 4; i++) {
                                                        MemorySegment range =
                                                                tx.snapshot(object, 128L * i, 64);
                                                        range.set(ValueLayout.JAVA_LONG, 0, i);
                                                    }
                                                })))
                .isEqualTo(4 + 2);
    }

    @Test
    void readingTakesNone() {
        assertThat(fencesOf(() -> pool.transaction(tx -> tx.getLong(object, 0)))).isZero();
    }
}
