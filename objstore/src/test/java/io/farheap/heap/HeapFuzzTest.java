package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import io.farheap.ulog.RedoOperations;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Heaps with damaged metadata: whatever is done with them, nothing but an exception of ours comes
 * out, and not a byte outside the heap is changed.
 */
@Tag("enumerated")
class HeapFuzzTest {
    private static final int CHUNKS = 10;
    private static final int ROUNDS = 1500;
    private static final long SEED = 42;

    /** Nothing of ours lies there, before or behind the heap. */
    private static final int GUARD = 4096;

    private final MemorySegment image =
            Arena.ofAuto().allocate(TestHeap.imageSize(CHUNKS) + GUARD, 64);
    private final PoolMemory memory = new PoolMemory(image, new NothingIsLost());
    private final long heapSize = image.byteSize() - TestHeap.HEAP_OFFSET - GUARD;

    /** Offsets of metadata words. */
    private final List<Long> words = new ArrayList<>();

    @Test
    @Timeout(120)
    void damagedMetadataLeadsNowhere() {
        prepare();
        MemorySegment intact = Arena.ofAuto().allocate(image.byteSize(), 64).copyFrom(image);
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            image.copyFrom(intact);
            long seed = SEED + round;
            Random random = new Random(seed);
            for (int i = random.nextInt(3); i >= 0; i--) {
                damage(random);
            }
            try {
                refused += use(random);
            } catch (RuntimeException e) {
                fail("seed " + seed, e);
            }
            assertGuarded(seed);
        }
        assertThat(refused).as("damages noticed").isGreaterThan(ROUNDS / 4);
    }

    private void prepare() {
        image.fill((byte) 0x5A);
        HeapFormat.format(memory, TestHeap.HEAP_OFFSET, heapSize);
        Heap heap = Heap.boot(memory, TestHeap.HEAP_OFFSET, heapSize, HeapStores.local(memory));
        for (long size : new long[] {50, 100, 200, 700, 1456, 2000, 262_128, 60, 524_272}) {
            Reservation reservation = new Reservation();
            heap.reserve(size, size, 0, reservation);
            RedoOperations operations = new RedoOperations();
            reservation.addTo(operations);
            long word = operations.offset(0);
            boolean or = operations.kind(0) == RedoOperations.Kind.OR;
            memory.putLong(word, operations.value(0) | (or ? memory.getLong(word) : 0));
            heap.published(reservation);
            words.add(word);
            words.add(reservation.realOffset());
            words.add(reservation.realOffset() + 8);
        }
        long zone = HeapLayout.zone(TestHeap.HEAP_OFFSET, 0);
        words.add(zone);
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
            words.add(HeapLayout.chunkHeader(zone, chunk));
            words.add(HeapLayout.chunkHeader(zone, chunk));
            words.add(HeapLayout.chunk(zone, chunk));
            words.add(HeapLayout.chunk(zone, chunk) + 8);
            words.add(HeapLayout.chunk(zone, chunk) + 16);
        }
    }

    private void damage(Random random) {
        long offset = words.get(random.nextInt(words.size()));
        long old = memory.getLong(offset);
        long value =
                switch (random.nextInt(6)) {
                    case 0 -> 0;
                    case 1 -> random.nextLong();
                    case 2 -> old ^ 1L << random.nextInt(64);
                    case 3 -> old + (random.nextInt(9) - 4L) * (1L << 32);
                    case 4 -> memory.getLong(words.get(random.nextInt(words.size())));
                    default -> old ^ random.nextInt(16) | (long) random.nextInt(16) << 16;
                };
        memory.putLong(offset, value);
    }

    /** Does everything that can be done; how often that was refused as bad data. */
    private int use(Random random) {
        WalkResult walk = WalkResult.of(image.asReadOnly(), TestHeap.HEAP_OFFSET, heapSize);
        for (HeapWalk.HeapObject object : walk.objects()) {
            long end = object.userOffset() + object.usableSize();
            assertThat(object.userOffset()).isGreaterThan(TestHeap.HEAP_OFFSET);
            assertThat(end).isLessThanOrEqualTo(TestHeap.HEAP_OFFSET + heapSize);
        }
        int[] refused = {0};
        Heap[] heap = {null};
        attempt(
                refused,
                () ->
                        heap[0] =
                                Heap.boot(
                                        memory,
                                        TestHeap.HEAP_OFFSET,
                                        heapSize,
                                        HeapStores.local(memory)));
        if (heap[0] != null) {
            attempt(refused, () -> iterate(heap[0]));
            for (HeapWalk.HeapObject object : walk.objects()) {
                attempt(refused, () -> heap[0].usableSize(object.userOffset()));
                attempt(refused, () -> free(heap[0], object.userOffset()));
            }
            for (int i = 0; i < 20; i++) {
                attempt(refused, () -> reserve(heap[0], random));
                long offset = random.nextLong(image.byteSize()) & -8L;
                attempt(refused, () -> heap[0].usableSize(offset));
            }
        }
        return refused[0] > 0 || !walk.inconsistencies().isEmpty() ? 1 : 0;
    }

    private static void attempt(int[] refused, Runnable action) {
        try {
            action.run();
        } catch (FarheapException e) {
            if (e.category() == FarheapException.Category.BAD_DATA) {
                assertThat(e).hasMessageContaining("at offset ");
                refused[0]++;
            }
        }
    }

    private static void iterate(Heap heap) {
        long last = 0;
        for (long o = heap.first(); o != Heap.NONE; o = heap.next(o)) {
            assertThat(o).isGreaterThan(last);
            last = o;
        }
    }

    private void reserve(Heap heap, Random random) {
        Reservation reservation = new Reservation();
        heap.reserve(1 + random.nextInt(300_000), 1, 0, reservation);
        assertThat(reservation.userOffset() + reservation.usableSize())
                .isLessThanOrEqualTo(TestHeap.HEAP_OFFSET + heapSize);
        memory.fill(reservation.userOffset(), reservation.usableSize(), (byte) 0x77);
    }

    private static void free(Heap heap, long offset) {
        Freeing freeing = new Freeing();
        heap.prepareFree(offset, freeing);
        assertThat(freeing.realSize()).isPositive();
        heap.cancelFree(freeing);
    }

    private void assertGuarded(long seed) {
        MemorySegment untouched = MemorySegment.ofArray(new byte[GUARD]).fill((byte) 0x5A);
        for (long start : new long[] {0, image.byteSize() - GUARD}) {
            assertThat(image.asSlice(start, GUARD).mismatch(untouched))
                    .as("guard at %d, seed %d", start, seed)
                    .isEqualTo(-1);
        }
    }
}
