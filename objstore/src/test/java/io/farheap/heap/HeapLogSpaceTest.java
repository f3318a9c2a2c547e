package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.Checksum;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import io.farheap.ulog.Lane;
import io.farheap.ulog.LaneArea;
import io.farheap.ulog.LaneRecovery;
import io.farheap.ulog.RedoOperations;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The logs' extensions come out of the heap, and go back to it, at every crash point. */
class HeapLogSpaceTest {
    private static final int SIZE = 5 << 20;

    private final Random random = new Random(5);

    @Test
    void anExtensionIsAnInternalObjectUntilItIsReleased() {
        CrashSimulation machine = pool();
        Heap heap = boot(machine.memory());
        HeapLogSpace space = new HeapLogSpace(heap);
        Lane lane = new LaneArea(machine.memory()).lane(0, space);
        long data = allocate(machine.memory(), heap);
        lane.undo().append(data, 5000);
        lane.undo().persist();
        long extension = heap.firstInternal();
        assertThat(extension).isNotEqualTo(Heap.NONE);
        assertThat(heap.usableSize(extension)).isGreaterThanOrEqualTo(32_960);
        lane.undo().rollBack();
        new LaneRecovery(new LaneArea(machine.memory())).releaseExtensions(space);
        assertThat(heap.firstInternal()).isEqualTo(Heap.NONE);
        assertThat(heap.isAllocated(extension)).isFalse();
        assertThat(heap.first()).isEqualTo(data);
    }

    @Test
    void whateverTheCrashTheExtensionsAreFreeAfterRecovery() {
        CrashSimulation machine = pool();
        PoolMemory memory = machine.memory();
        Heap heap = boot(memory);
        long data = allocate(memory, heap);
        int[] crashes = {0};
        machine.beforeEachStep(
                () -> {
                    crashes[0]++;
                    assertRecovers(machine.crash(Loss.ALL, random), data);
                    assertRecovers(machine.crash(Loss.RANDOM, random), data);
                });
        Lane lane = new LaneArea(memory).lane(0, new HeapLogSpace(heap));
        lane.undo().append(data, 5000);
        lane.undo().persist();
        lane.undo().rollBack();
        machine.beforeEachStep(() -> {});
        assertThat(crashes[0]).isGreaterThan(20);
    }

    private static void assertRecovers(CrashSimulation restarted, long data) {
        LaneRecovery recovery = new LaneRecovery(new LaneArea(restarted.memory()));
        recovery.recoverRedo();
        HeapLogSpace space = new HeapLogSpace(boot(restarted.memory()));
        recovery.recoverUndo(space);
        recovery.releaseExtensions(space);
        WalkResult walk =
                WalkResult.of(
                        restarted.memory().image(),
                        Descriptor.DEFAULT_HEAP_OFFSET,
                        SIZE - Descriptor.DEFAULT_HEAP_OFFSET);
        assertThat(walk.inconsistencies()).isEmpty();
        assertThat(walk.objects())
                .extracting(HeapWalk.HeapObject::userOffset)
                .containsExactly(data);
    }

    /** Other copies have lanes of their own: to them the extensions are free memory. */
    @ParameterizedTest
    @ValueSource(ints = {5000, 400_000})
    void aCopyOfTheImageHasNoExtensions(int logged) {
        CrashSimulation machine = pool();
        PoolMemory memory = machine.memory();
        Heap heap = boot(memory);
        HeapLogSpace space = new HeapLogSpace(heap);
        Reservation reservation = new Reservation();
        heap.reserve(500_000, 0, 0, reservation);
        RedoOperations words = new RedoOperations();
        reservation.addTo(words);
        memory.persistLong(words.offset(0), words.value(0));
        heap.published(reservation);
        Lane lane = new LaneArea(memory).lane(0, space);
        lane.undo().append(reservation.userOffset(), logged);
        lane.undo().persist();
        assertThat(heap.firstInternal()).isNotEqualTo(Heap.NONE);

        MemorySegment copy = Arena.ofAuto().allocate(memory.size(), 64);
        copy.copyFrom(memory.image());
        List<Long> told = new ArrayList<>();
        space.onReleased(
                word -> {
                    told.add(word);
                    MemorySegment again = Arena.ofAuto().allocate(memory.size(), 64);
                    again.copyFrom(memory.image());
                    space.layOver(0, again, again.byteSize());
                    assertThat(objects(again)).containsExactly(reservation.userOffset());
                });
        assertThat(objects(copy)).hasSizeGreaterThan(1);
        space.layOver(0, copy, copy.byteSize());
        assertThat(objects(copy)).containsExactly(reservation.userOffset());

        lane.undo().rollBack();
        lane.releaseExtensions();
        assertThat(told).isNotEmpty();
        assertThat(objects(memory.image())).containsExactly(reservation.userOffset());
    }

    private static List<Long> objects(MemorySegment image) {
        WalkResult walk =
                WalkResult.of(
                        image,
                        Descriptor.DEFAULT_HEAP_OFFSET,
                        SIZE - Descriptor.DEFAULT_HEAP_OFFSET);
        assertThat(walk.inconsistencies()).isEmpty();
        return walk.objects().stream().map(HeapWalk.HeapObject::userOffset).toList();
    }

    @Test
    void onlyInternalObjectsAreExtensions() {
        CrashSimulation machine = pool();
        Heap heap = boot(machine.memory());
        HeapLogSpace space = new HeapLogSpace(heap);
        long data = allocate(machine.memory(), heap);
        for (long offset : new long[] {data, data + 64, 0, -1, Long.MAX_VALUE}) {
            assertBadData(() -> space.usableSize(offset));
            assertBadData(() -> space.release(offset, new RedoOperations()));
        }
        assertThatThrownBy(() -> space.allocated(data))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("under way");
    }

    @Test
    void aCancelledExtensionIsFreeAgain() {
        CrashSimulation machine = pool();
        Heap heap = boot(machine.memory());
        HeapLogSpace space = new HeapLogSpace(heap);
        long offset = space.reserve(832, new RedoOperations());
        assertThat(space.usableSize(offset)).isGreaterThanOrEqualTo(832);
        space.cancelled(offset);
        assertBadData(() -> space.usableSize(offset));
        assertThat(space.reserve(832, new RedoOperations())).isEqualTo(offset);
    }

    /** Undo logs that recovery could not follow to their end, found without a store. */
    @Test
    void aCheckRefusesWhatWouldFailHalfWay() {
        PoolMemory memory = pool().memory();
        Heap heap = boot(memory);
        long data = allocate(memory, heap);
        Lane lane = new LaneArea(memory).lane(0, new HeapLogSpace(heap));
        lane.undo().append(data, 5000);
        lane.undo().persist();
        LaneRecovery recovery = new LaneRecovery(new LaneArea(memory));
        HeapLogSpace space = new HeapLogSpace(boot(memory));
        assertThat(recovery.isRedoStored()).isFalse();
        recovery.check(space);

        long link = undo(memory, 0) + LogLayout.NEXT;
        long extension = memory.getLong(link);
        memory.putLong(undo(memory, 1) + LogLayout.NEXT, extension);
        assertBadData(() -> recovery.check(space));
        memory.putLong(undo(memory, 1) + LogLayout.NEXT, 0);
        memory.putLong(
                LogLayout.extensionHeader(data) + LogLayout.CAPACITY, LogLayout.BUFFER_ALIGNMENT);
        memory.putLong(undo(memory, 2) + LogLayout.NEXT, data);
        assertBadData(() -> recovery.check(space));
        memory.putLong(undo(memory, 2) + LogLayout.NEXT, 0);
        recovery.check(space);
        forge(memory, undo(memory, 3), Descriptor.DEFAULT_HEAP_OFFSET + 64);
        assertBadData(() -> recovery.check(space));
    }

    private static long undo(PoolMemory memory, int lane) {
        return new Descriptor(memory).lanesOffset() + lane * LaneLayout.SIZE + LaneLayout.UNDO;
    }

    /** An undo log with one valid entry. */
    private static void forge(PoolMemory memory, long log, long target) {
        long entry = log + LogLayout.HEADER_SIZE;
        memory.putLong(entry, LogLayout.firstWord(LogLayout.BUFFER_COPY, target));
        memory.putLong(entry + LogLayout.BUFFER_SIZE, Long.BYTES);
        long sum = Checksum.continued(0, memory.image(), entry, LogLayout.BUFFER_ALIGNMENT);
        sum = Checksum.continued(sum, memory.getLong(log + LogLayout.GEN_NUM));
        memory.putLong(entry + LogLayout.BUFFER_CHECKSUM, sum);
    }

    private static void assertBadData(Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        FarheapException.class,
                        e -> assertThat(e.category()).isEqualTo(Category.BAD_DATA));
    }

    private static CrashSimulation pool() {
        CrashSimulation machine = new CrashSimulation(SIZE);
        PoolMemory memory = machine.memory();
        Descriptor descriptor = new Descriptor(memory);
        descriptor.format("logs");
        LaneLayout.format(memory);
        HeapFormat.format(memory, descriptor.heapOffset(), descriptor.heapSize());
        descriptor.seal();
        return machine;
    }

    private static Heap boot(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        return Heap.boot(
                memory, descriptor.heapOffset(), descriptor.heapSize(), HeapStores.local(memory));
    }

    private static long allocate(PoolMemory memory, Heap heap) {
        Reservation reservation = new Reservation();
        heap.reserve(5000, 1, 0, reservation);
        memory.persist(reservation.realOffset(), reservation.realSize());
        RedoOperations operations = new RedoOperations();
        reservation.addTo(operations);
        memory.orLong(operations.offset(0), operations.value(0));
        memory.persist(operations.offset(0), Long.BYTES);
        heap.published(reservation);
        return reservation.userOffset();
    }
}
