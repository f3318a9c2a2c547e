package io.farheap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.AllocationOptions;
import io.farheap.base.CommitUnknownException;
import io.farheap.base.Ref;
import io.farheap.base.TransactionAbortedException;
import io.farheap.pmemobj.MemoryOperations;
import io.farheap.pmemobj.MemoryOption;
import io.farheap.pmemobj.PoolLimits;
import io.farheap.pmemobj.RawMemory;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Copy, move, fill, persist: small transactions of their own. */
class MemoryOperationsTest extends TransactionFixture {
    private Ref root;
    private MemoryOperations memory;

    @BeforeEach
    void makeRoot() {
        root = pool.root(4096);
        memory = pool.memory();
    }

    private ObjectPool afterPowerLoss() {
        return SimulatedPool.open(machine.crash(Loss.ALL, new Random(1)));
    }

    private long fencesOf(Runnable call) {
        long before = pool.counters().fences();
        call.run();
        return pool.counters().fences() - before;
    }

    private static MemorySegment bytes(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return MemorySegment.ofArray(bytes);
    }

    @ParameterizedTest
    @EnumSource(MemoryOption.class)
    void whateverTheHintAllIsDurableOnReturn(MemoryOption option) {
        memory.fill(root, 3, 100, (byte) 7, option);
        memory.copy(root, 3, root, 300, 100, option);
        memory.move(root, 300, root, 350, 100, option);
        memory.copy(bytes(50, 9), 10, root, 1000, 40, option);

        ObjectPool recovered = afterPowerLoss();
        assertThat(recovered.readBytes(root, 3, 100)).containsOnly(7);
        assertThat(recovered.readBytes(root, 300, 150)).containsOnly(7);
        assertThat(recovered.getByte(root, 450)).isZero();
        assertThat(recovered.readBytes(root, 1000, 40)).containsOnly(9);
        assertThat(recovered.getByte(root, 1040)).isZero();
        assertThat(recovered.getByte(root, 999)).isZero();
    }

    @Test
    void rangesMayOverlap() {
        byte[] ascending = new byte[100];
        for (int i = 0; i < 100; i++) {
            ascending[i] = (byte) i;
        }
        pool.writeBytes(root, 0, ascending);
        memory.move(root, 0, root, 10, 100);
        assertThat(pool.readBytes(root, 10, 100)).isEqualTo(ascending);
        memory.move(root, 10, root, 5, 100, MemoryOption.NOT_ATOMIC);
        assertThat(pool.readBytes(root, 5, 100)).isEqualTo(ascending);
    }

    @Test
    void wordsCostOneFenceAndMoreThree() {
        memory.fill(root, 0, 3000, (byte) 1);
        long at = root.offset();
        assertThat(fencesOf(() -> memory.raw().setLong(at, 8, 1))).isEqualTo(1);
        assertThat(fencesOf(() -> pool.setLong(root, 8, 2))).isEqualTo(1);
        assertThat(fencesOf(() -> memory.fill(root, 16, 8, (byte) 1))).isEqualTo(1);
        assertThat(fencesOf(() -> memory.raw().setLong(at, 9, 1))).isEqualTo(3);
        assertThat(fencesOf(() -> memory.raw().writeBytes(at, 0, bytes(64, 2), 0, 64)))
                .isEqualTo(3);
        RawMemory raw = memory.raw();
        assertThat(fencesOf(() -> raw.persistBytes(at, 0, bytes(64, 2), 0, 64))).isEqualTo(1);
        assertThat(fencesOf(() -> raw.persistBytes(at, 0, bytes(3000, 2), 0, 3000))).isEqualTo(1);
        assertThat(fencesOf(() -> memory.persist(root, 0, 64))).isEqualTo(1);
        assertThat(fencesOf(() -> memory.flush(root, 0, 64))).isZero();
        assertThat(fencesOf(memory::drain)).isEqualTo(1);
        assertThat(afterPowerLoss().readBytes(root, 0, 3000)).containsOnly(2);
    }

    @Test
    void insideATransactionTheyArePartOfIt() {
        assertThatThrownBy(
                        () ->
                                pool.transaction(
                                        tx -> {
                                            tx.setLong(root, 0, 1);
                                            memory.raw().setLong(root.offset(), 8, 2);
                                            memory.fill(root, 16, 8, (byte) 3);
                                            memory.copy(root, 8, root, 32, 8);
                                            memory.copy(
                                                    bytes(16, 4),
                                                    0,
                                                    root,
                                                    64,
                                                    16,
                                                    MemoryOption.NOT_ATOMIC);
                                            assertThat(tx.getLong(root, 32)).isEqualTo(2);
                                            assertThat(pool.readBytes(root, 0, 200))
                                                    .containsOnly(0);
                                            tx.abort();
                                        }))
                .isInstanceOf(TransactionAbortedException.class);

        assertThat(pool.readBytes(root, 0, 200)).containsOnly(0);
    }

    @Test
    void whatIsOutsideIsRefused() {
        Ref other = new Ref(SimulatedPool.POOL_ID + 1, root.offset());
        Ref gone = account(1);
        pool.atomic().free(gone);
        int size = (int) pool.usableSize(root);
        assertWrongUse(() -> memory.fill(root, size - 7, 8, (byte) 1), "outside");
        assertWrongUse(() -> memory.fill(root, -1, 8, (byte) 1), "outside");
        assertWrongUse(() -> memory.copy(root, 0, root, size - 7, 8), "outside");
        assertWrongUse(() -> memory.copy(root, size - 7, root, 0, 8), "outside");
        assertWrongUse(
                () -> memory.copy(bytes(8, 1), 1, root, 0, 8), "outside the memory to be copied");
        assertWrongUse(() -> memory.copy(bytes(8, 1), 0, root, 0, -1), "outside");
        assertWrongUse(
                () -> memory.copy(bytes(64, 1), 0, root, size - 63, 64, MemoryOption.NOT_ATOMIC));
        assertWrongUse(() -> memory.copy(other, 0, root, 0, 8), "pool");
        assertWrongUse(() -> memory.fill(Ref.NULL, 0, 8, (byte) 1), "null");
        assertWrongUse(() -> memory.fill(gone, 0, 8, (byte) 1));
        assertWrongUse(() -> memory.persist(root, size, 1), "outside");
        assertWrongUse(() -> memory.flush(root, 0, 8, MemoryOption.NO_DRAIN), "NO_DRAIN");
        assertWrongUse(() -> memory.fill(root, 0, 8, (byte) 1, (MemoryOption[]) null), "null");
        assertWrongUse(() -> memory.fill(root, 0, 8, (byte) 1, (MemoryOption) null), "null");
        assertThat(pool.readBytes(root, 0, size)).containsOnly(0);
    }

    @Test
    void persistMakesUnflushedContentDurable() {
        AllocationOptions options = AllocationOptions.DEFAULT.withoutFlush();
        Ref made = pool.atomic().allocate(512, TYPE, options, o -> o.fill(0, 512, (byte) 2));
        memory.persist(made, 0, 256, MemoryOption.RELAXED);
        assertThat(afterPowerLoss().readBytes(made, 0, 256)).containsOnly(2);
        assertThat(afterPowerLoss().readBytes(made, 320, 192)).doesNotContain(2);
        memory.flush(made, 256, 256);
        memory.drain();
        assertThat(afterPowerLoss().readBytes(made, 0, 512)).containsOnly(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {20261121, 5})
    void notAtomicEveryWordIsOldOrNew(long seed) {
        memory.fill(root, 0, 256, (byte) 1);
        Random random = new Random(seed);
        int[] found = new int[2];
        machine.beforeEachStep(
                () -> {
                    for (Loss loss : Loss.values()) {
                        CrashSimulation crashed = machine.crash(loss, random);
                        ObjectPool recovered = SimulatedPool.open(crashed);
                        for (int at = 0; at < 256; at += 8) {
                            byte[] word = recovered.readBytes(root, at, 8);
                            assertThat(word).as("at %d, seed %d", at, seed).containsOnly(word[0]);
                            found[word[0] - 1]++;
                        }
                        PoolState.assertHeapIsSound(crashed.memory(), "seed " + seed);
                    }
                });
        memory.fill(root, 0, 256, (byte) 2, MemoryOption.NOT_ATOMIC);
        machine.beforeEachStep(() -> {});

        assertThat(found[0]).isPositive();
        assertThat(found[1]).isPositive();
        assertThat(afterPowerLoss().readBytes(root, 0, 256)).containsOnly(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 64, 1024, 1025})
    void atomicEverythingIsOldOrNew(int length) {
        memory.fill(root, 3, length, (byte) 1);
        Random random = new Random(length);
        Set<Byte> found = new HashSet<>();
        machine.beforeEachStep(
                () -> {
                    for (Loss loss : Loss.values()) {
                        CrashSimulation crashed = machine.crash(loss, random);
                        byte[] bytes = SimulatedPool.open(crashed).readBytes(root, 3, length);
                        assertThat(bytes).as("%s", loss).containsOnly(bytes[0]);
                        found.add(bytes[0]);
                        PoolState.assertHeapIsSound(crashed.memory(), "a crash");
                    }
                });
        memory.fill(root, 3, length, (byte) 2);
        machine.beforeEachStep(() -> {});

        assertThat(found).containsExactlyInAnyOrder((byte) 1, (byte) 2);
        assertThat(afterPowerLoss().readBytes(root, 3, length)).containsOnly(2);
    }

    @Test
    void whatCantBeReadLeavesEverythingAsItWas() {
        MemorySegment gone;
        try (Arena arena = Arena.ofConfined()) {
            gone = arena.allocate(64);
        }
        memory.fill(root, 0, 64, (byte) 1);
        PoolCounters before = pool.counters();

        assertThatThrownBy(() -> memory.copy(gone, 0, root, 0, 64))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");

        assertThat(pool.counters().commits()).isEqualTo(before.commits());
        assertThat(pool.counters().aborts()).isEqualTo(before.aborts() + 1);
        memory.fill(root, 64, 64, (byte) 2);
        assertThat(afterPowerLoss().readBytes(root, 0, 64)).containsOnly(1);
        assertThat(afterPowerLoss().readBytes(root, 64, 64)).containsOnly(2);
    }

    @Test
    void replicasGetWhatIsNotAtomicFirst() {
        RecordingSink sink = new RecordingSink();
        sink.maxEntryBytes = 4096;
        CrashSimulation other = SimulatedPool.formatted();
        try (ObjectPool sending = SimulatedPool.open(other, sink)) {
            Ref object = sending.root(10_000);
            int before = sink.records.size();
            sink.whileWaiting =
                    () -> assertThat(sending.getByte(object, 9_999)).as("remote first").isZero();
            sending.memory().fill(object, 8, 100, (byte) 3, MemoryOption.NOT_ATOMIC);
            List<RecordingSink.Entry> record = sink.records.get(before);
            assertThat(record).hasSize(1);
            assertThat(record.get(0).offset()).isEqualTo(object.offset() + 8);
            assertThat(record.get(0).bytes()).hasSize(100).containsOnly(3);
            sending.memory().fill(object, 0, 10_000, (byte) 4, MemoryOption.NOT_ATOMIC);
            assertThat(sink.records).as("parts of a journal's size").hasSize(before + 1 + 3);
            sink.whileWaiting = () -> {};
            sink.losesAnswers = true;
            assertThatThrownBy(
                            () ->
                                    sending.memory()
                                            .fill(
                                                    object,
                                                    0,
                                                    100,
                                                    (byte) 5,
                                                    MemoryOption.NOT_ATOMIC))
                    .isInstanceOf(CommitUnknownException.class);
            assertThat(sink.calls).endsWith("rolledBack " + sink.records.size());
            assertThat(sending.readBytes(object, 0, 10_000)).containsOnly(4);
            sink.losesAnswers = false;

            int sent = sink.records.size() - 1;
            ObjectPool promoted =
                    SimulatedPool.open(
                            sink.replica(SimulatedPool.formatted().memory().image(), sent));
            assertThat(promoted.readBytes(object, 0, 10_000)).containsOnly(4);
        }
    }

    @Test
    void theRootsConstructorIsCalledWhenItIsMadeAndWhenItMoves() {
        assertWrongUse(() -> pool.root(-1, object -> {}), "negative");
        int[] calls = {0};
        Ref larger =
                pool.root(
                        9000,
                        object -> {
                            calls[0]++;
                            assertThat(object.usableSize()).isGreaterThanOrEqualTo(9000);
                            assertThat(pool.root()).isEqualTo(root);
                            object.setLong(8992, 42);
                        });
        assertThat(calls[0]).isEqualTo(1);
        assertThat(pool.root(9000, object -> calls[0]++)).isEqualTo(larger);
        assertThat(pool.root(10, object -> calls[0]++)).isEqualTo(larger);
        assertThat(calls[0]).isEqualTo(1);
        assertThat(afterPowerLoss().getLong(larger, 8992)).isEqualTo(42);
        assertThatThrownBy(
                        () ->
                                pool.root(
                                        20_000,
                                        object -> {
                                            object.setLong(0, 1);
                                            throw new IllegalStateException("no root");
                                        }))
                .hasMessage("no root");
        assertThat(pool.root()).isEqualTo(larger);
        assertThat(pool.rootSize()).isEqualTo(9000);
        assertThat(pool.getLong(larger, 0)).isZero();
    }

    @Test
    void usableSizeOfNothingIsZero() {
        assertThat(pool.usableSize(Ref.NULL)).isZero();
        assertThat(pool.usableSize(root)).isGreaterThanOrEqualTo(4096);
        assertWrongUse(() -> pool.segment(Ref.NULL), "null");
        assertWrongUse(() -> pool.read(Ref.NULL, bytes -> 1), "null");
        assertThat(pool.typeNumber(root)).isEqualTo(PoolLimits.ROOT_TYPE_NUMBER);
    }

    @Test
    void userDataLivesAsLongAsThePoolIsOpen() {
        assertThat(pool.userData()).isNull();
        pool.setUserData("mine");
        assertThat(pool.userData()).isEqualTo("mine");
        reopen();
        assertThat(pool.userData()).isNull();
    }
}
