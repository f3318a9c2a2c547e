package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class HeapTest {
    private static final long CHUNK = HeapLayout.CHUNK_BYTES;

    private final PoolMemory memory = new CrashSimulation(TestHeap.imageSize(20)).memory();
    private boolean replicaLost;
    private int submissions;
    private final HeapStores stores =
            list -> {
                submissions++;
                if (replicaLost) {
                    throw new FarheapException(Category.REPLICA, "no replica");
                }
                list.applyTo(memory);
            };
    private final TestHeap test = TestHeap.create(memory, stores);
    private final Heap heap = test.heap;

    @Test
    void aNewHeapHasNoObjectsAndTakesNoMemory() {
        assertThat(heap.first()).isEqualTo(Heap.NONE);
        assertThat(test.check().blocks()).isEmpty();
        assertThat(submissions).isZero();
    }

    @Test
    void anObjectIsThereWhenItsWordIsStored() {
        Reservation reservation = test.reserve(100, 7);
        assertThat(heap.isAllocated(reservation.userOffset())).isTrue();
        assertThat(heap.first()).as("not published yet").isEqualTo(Heap.NONE);
        assertThat(test.walk().objects()).isEmpty();
        test.publish(reservation, 7);
        assertThat(heap.first()).isEqualTo(reservation.userOffset());
        assertThat(heap.usableSize(heap.first())).isEqualTo(112);
        assertThat(heap.typeNumber(heap.first())).isEqualTo(7);
        test.check();
    }

    @Test
    void aCancelledReservationLeavesNothing() {
        Reservation reservation = test.reserve(100, 7);
        long offset = reservation.userOffset();
        heap.cancel(reservation);
        assertThat(heap.isAllocated(offset)).isFalse();
        assertThat(test.reserve(100, 8).userOffset()).isEqualTo(offset);
        test.check();
    }

    @Test
    void freedUnitsAreUsedAgainOnlyAfterTheFreeIsAcknowledged() {
        long offset = test.allocate(100, 1);
        Freeing freeing = test.commitFree(offset);
        for (int i = 0; i < 3000; i++) {
            assertThat(test.reserve(100, 2).userOffset()).isNotEqualTo(offset);
        }
        heap.freed(freeing);
        assertThat(test.reserve(100, 3).userOffset()).isEqualTo(offset);
    }

    @Test
    void freedChunksAreUsedAgainOnlyAfterTheFreeIsAcknowledged() {
        long offset = test.allocate(20 * CHUNK - 16, 1);
        Freeing freeing = test.commitFree(offset);
        assertRefused(Category.ENVIRONMENT, () -> test.reserve(CHUNK - 16, 2));
        heap.freed(freeing);
        assertThat(test.reserve(CHUNK - 16, 2).userOffset()).isEqualTo(offset);
    }

    @Test
    void anObjectIsFreedOnlyOnce() {
        for (long size : List.of(100L, 2 * CHUNK - 16)) {
            long offset = test.allocate(size, 1);
            Freeing first = new Freeing();
            heap.prepareFree(offset, first);
            assertThat(heap.isAllocated(offset)).isFalse();
            assertRefused(Category.WRONG_USE, () -> heap.prepareFree(offset, new Freeing()));
            heap.cancelFree(first);
            assertThat(heap.isAllocated(offset)).isTrue();
            test.free(offset);
            assertRefused(Category.WRONG_USE, () -> heap.prepareFree(offset, new Freeing()));
        }
    }

    @Test
    void onlyAPublishedObjectCanBeFreed() {
        Reservation small = test.reserve(100, 1);
        Reservation large = test.reserve(2 * CHUNK - 16, 1);
        assertRefused(
                Category.WRONG_USE, () -> heap.prepareFree(small.userOffset(), new Freeing()));
        assertRefused(
                Category.WRONG_USE, () -> heap.prepareFree(large.userOffset(), new Freeing()));
    }

    @Test
    void noOtherOffsetIsAnObjects() {
        Set<Long> objects = new HashSet<>();
        objects.add(test.allocate(100, 1));
        objects.add(test.allocate(700, 2));
        objects.add(test.allocate(2 * CHUNK - 16, 3));
        Set<Long> found = new HashSet<>();
        for (long offset = -64; offset < memory.size() + 64; offset += 8) {
            if (heap.isAllocated(offset)) {
                found.add(offset);
            }
        }
        assertThat(found).isEqualTo(objects);
        long far = 3 * HeapLayout.ZONE_BYTES;
        for (long offset : List.of(Long.MIN_VALUE, -1L, 0L, far, Long.MAX_VALUE - 7)) {
            assertThat(heap.isAllocated(offset)).isFalse();
            assertRefused(Category.WRONG_USE, () -> heap.usableSize(offset));
            assertRefused(Category.WRONG_USE, () -> heap.typeNumber(offset));
            assertThat(heap.isInternal(offset)).isFalse();
            assertThat(heap.isOfType(offset, 0)).isFalse();
            assertRefused(Category.WRONG_USE, () -> heap.prepareFree(offset, new Freeing()));
        }
    }

    @Test
    void anObjectWhoseFreeHasBegunIsOfNoType() {
        for (long size : List.of(100L, 2 * CHUNK - 16)) {
            long object = test.allocate(size, 3);
            assertThat(heap.isOfType(object, 3)).isTrue();
            assertThat(heap.isOfType(object, 4)).isFalse();
            Freeing freeing = new Freeing();
            heap.prepareFree(object, freeing);
            assertThat(heap.isOfType(object, 3)).isFalse();
            heap.cancelFree(freeing);
            assertThat(heap.isOfType(object, 3)).isTrue();
        }
    }

    @Test
    void internalObjectsAreIteratedByThemselves() {
        Reservation root = new Reservation();
        heap.reserve(64, 0, Heap.INTERNAL, root);
        test.publish(root, 0);
        long object = test.allocate(64, 5);
        assertThat(heap.first()).isEqualTo(object);
        assertThat(heap.next(object)).isEqualTo(Heap.NONE);
        assertThat(heap.firstInternal()).isEqualTo(root.userOffset());
        assertThat(heap.nextInternal(root.userOffset())).isEqualTo(Heap.NONE);
        assertThat(heap.isInternal(root.userOffset())).isTrue();
        assertThat(heap.isInternal(object)).isFalse();
    }

    @Test
    void iterationGoesOnBehindAnObjectThatWasFreed() {
        long a = test.allocate(100, 1);
        long b = test.allocate(2 * CHUNK - 16, 2);
        long c = test.allocate(CHUNK - 16, 3);
        test.free(a);
        assertThat(heap.next(a)).isEqualTo(b);
        test.free(b);
        assertThat(heap.next(b)).isEqualTo(c);
        assertThat(heap.first()).isEqualTo(c);
    }

    @Test
    void aSizeThatNoPoolCanHoldIsRefused() {
        for (long size : List.of(Long.MIN_VALUE, -1L, 0L, Heap.MAX_REQUEST + 1, Long.MAX_VALUE)) {
            assertRefused(Category.WRONG_USE, () -> heap.reserve(size, 1, 0, new Reservation()));
        }
        assertRefused(
                Category.ENVIRONMENT,
                () -> heap.reserve(Heap.MAX_REQUEST, 1, 0, new Reservation()));
    }

    @Test
    void whenMemoryIsExhaustedTheMessageSaysWhatIsLeft() {
        test.allocate(15 * CHUNK - 16, 1);
        long run = test.allocate(100, 2);
        assertThatThrownBy(() -> test.reserve(6 * CHUNK - 16, 3))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("an object of " + (6 * CHUNK - 16) + " bytes")
                .hasMessageContaining("largest free block takes " + (4 * CHUNK - 16) + " bytes")
                .hasMessageContaining(4 * CHUNK + 2044 * 128 + " of " + 20 * CHUNK + " bytes");
        test.free(run);
        test.allocate(5 * CHUNK - 16, 3);
        test.check();
    }

    @Test
    void anObjectTooLargeForTheRunsThatFitGetsChunksOfItsOwn() {
        test.allocate(10 * CHUNK - 16, 1);
        long offset = test.allocate(300_000, 2); // its class has runs of 16 chunks
        assertThat(heap.usableSize(offset)).isEqualTo(2 * CHUNK - 16);
        long smaller = test.allocate(25_000, 3);
        assertThat(heap.usableSize(smaller)).isEqualTo(CHUNK - 16);
        assertRefused(Category.ENVIRONMENT, () -> test.reserve(14_272 - 16, 4));
        test.check();
    }

    @Test
    void emptyRunsAreDissolvedAndMergedWhenMemoryIsWanted() {
        long first = test.allocate(100, 1);
        long second = test.allocate(4000, 2);
        long third = test.allocate(30_000, 3);
        assertThat(first).isLessThan(second);
        assertThat(test.check().blocks()).hasSize(4);
        int before = submissions;
        List.of(first, second, third).forEach(test::free);
        assertThat(submissions).as("a free makes no store but its word").isEqualTo(before);
        test.allocate(20 * CHUNK - 16, 4);
        assertThat(test.check().blocks()).hasSize(1);
    }

    @Test
    void aRunWithAReservationOrAnUnfinishedFreeIsNotDissolved() {
        Reservation reservation = test.reserve(100, 1);
        assertRefused(Category.ENVIRONMENT, () -> test.reserve(20 * CHUNK - 16, 2));
        test.publish(reservation, 1);
        Freeing freeing = test.commitFree(reservation.userOffset());
        assertRefused(Category.ENVIRONMENT, () -> test.reserve(20 * CHUNK - 16, 2));
        heap.freed(freeing);
        test.allocate(20 * CHUNK - 16, 2);
        test.check();
    }

    @Test
    void aFreeBlockOfTheRightSizeIsUsedWithoutAnyStore() {
        long offset = test.allocate(3 * CHUNK - 16, 1);
        test.allocate(CHUNK - 16, 2);
        test.free(offset);
        int before = submissions;
        assertThat(test.allocate(3 * CHUNK - 16, 3)).isEqualTo(offset);
        assertThat(submissions).isEqualTo(before);
    }

    @Test
    void theSmallestBlockThatFitsIsTaken() {
        long five = test.allocate(5 * CHUNK - 16, 1);
        test.allocate(CHUNK - 16, 2);
        long three = test.allocate(3 * CHUNK - 16, 3);
        test.allocate(CHUNK - 16, 4);
        test.free(five);
        test.free(three);
        assertThat(test.allocate(3 * CHUNK - 16, 5)).isEqualTo(three);
        assertThat(test.allocate(3 * CHUNK - 16, 6)).isEqualTo(five);
        assertThat(TestHeap.freeBlocks(test.check())).containsExactly(2, 10);
    }

    @Test
    void whenStoresCannotBeMadeTheHeapIsAsBefore() {
        test.allocate(100, 1);
        long block = test.allocate(CHUNK - 16, 2);
        replicaLost = true;
        assertRefused(Category.REPLICA, () -> test.reserve(5 * CHUNK - 16, 3));
        assertRefused(Category.REPLICA, () -> test.reserve(2000, 3));
        test.free(test.allocate(100, 4)); // needs no such store
        test.free(heap.first());
        assertRefused(Category.REPLICA, () -> test.reserve(19 * CHUNK - 16, 3));
        test.check();
        replicaLost = false;
        test.allocate(100, 5);
        test.free(block);
        test.allocate(19 * CHUNK - 16, 6);
        test.check();
    }

    @Test
    void whenTheFirstZoneCannotBeMadeTheHeapIsAsBefore() {
        replicaLost = true;
        assertRefused(Category.REPLICA, () -> test.reserve(100, 1));
        assertThat(test.check().blocks()).isEmpty();
        replicaLost = false;
        test.allocate(20 * CHUNK - 16, 1);
        test.check();
    }

    @Test
    void aReservationOrFreeIsEndedOnce() {
        Reservation reservation = test.reserve(100, 1);
        assertRefused(Category.WRONG_USE, () -> heap.reserve(100, 1, 0, reservation));
        test.publish(reservation, 1);
        assertRefused(Category.WRONG_USE, () -> heap.cancel(reservation));
        assertRefused(Category.WRONG_USE, () -> heap.published(reservation));
        Freeing freeing = new Freeing();
        heap.prepareFree(heap.first(), freeing);
        assertRefused(Category.WRONG_USE, () -> heap.prepareFree(heap.first(), freeing));
        heap.cancelFree(freeing);
        assertRefused(Category.WRONG_USE, () -> heap.cancelFree(freeing));
        assertRefused(Category.WRONG_USE, () -> heap.freed(freeing));
    }

    @Test
    void aReservationOutOfARunFlushesNothingAndFencesNothing() {
        test.allocate(100, 1);
        long flushes = memory.flushCount();
        long fences = memory.fenceCount();
        Reservation reservation = test.reserve(100, 2);
        heap.cancel(reservation);
        Freeing freeing = new Freeing();
        heap.prepareFree(heap.first(), freeing);
        heap.cancelFree(freeing);
        assertThat(memory.flushCount() - flushes).isZero();
        assertThat(memory.fenceCount() - fences).isZero();
    }

    private static void assertRefused(Category category, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        FarheapException.class, e -> assertThat(e.category()).isEqualTo(category));
    }
}
