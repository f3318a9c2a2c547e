package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.AllocationClassDescriptor;
import io.farheap.base.AllocationClassDescriptor.HeaderType;
import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random allocations, frees and cancellations against a model: after each step the medium holds
 * exactly the model's objects, none overlaps another, and their contents are untouched.
 */
class HeapModelTest {
    private static final int SEEDS = Boolean.getBoolean("test.deep") ? 3 : 1;
    private static final int CHUNKS = 40;
    private static final int STEPS = 1500;
    private static final int ARENAS = 3;
    private static final int REBOOT_EVERY = 100;

    private record Fresh(Reservation reservation, long type) {}

    private final Map<Long, Byte> contents = new HashMap<>();
    private final List<Fresh> reserved = new ArrayList<>();
    private final List<Freeing> freeing = new ArrayList<>();
    private long nextType = 1;
    private int refusals;

    /** Classes of the program's, made again after each reboot; -1 where there are none. */
    private int firstClass = -1;

    static LongStream seeds() {
        return LongStream.of(1, 2, 3).limit(SEEDS);
    }

    static LongStream otherSeeds() {
        return LongStream.of(4, 5, 6).limit(SEEDS);
    }

    @ParameterizedTest
    @Tag("sliced")
    @MethodSource("seeds")
    void whatIsAllocatedStaysAndNothingElse(long seed) {
        run(seed);
    }

    @ParameterizedTest
    @Tag("sliced")
    @MethodSource("otherSeeds")
    void theSameWithClassesOfTheProgramAndSeveralArenas(long seed) {
        firstClass = 54;
        run(seed);
    }

    private void run(long seed) {
        Random random = new Random(seed);
        PoolMemory memory = new CrashSimulation(TestHeap.imageSize(CHUNKS)).memory();
        memory.image().fill((byte) 0xA5);
        TestHeap heap = TestHeap.create(memory, new HeapSettings(ARENAS, false));
        makeClasses(heap);
        for (int step = 0; step < STEPS; step++) {
            step(heap, random);
            heap.check();
            if (step % REBOOT_EVERY == REBOOT_EVERY - 1) {
                settle(heap);
                heap.reboot();
                heap.checkQueries();
                makeClasses(heap);
                checkContents(heap);
            }
        }
        assertThat(refusals).as("the pool was full at times, seed %d", seed).isPositive();
        emptyIt(heap);
    }

    private void step(TestHeap heap, Random random) {
        int what = random.nextInt(100);
        if (what < 45) {
            reserve(heap, random);
        } else if (what < 65 && !reserved.isEmpty()) {
            Fresh fresh = reserved.remove(random.nextInt(reserved.size()));
            if (random.nextInt(4) == 0) {
                heap.heap.cancel(fresh.reservation());
            } else {
                publish(heap, fresh, random);
            }
        } else if (what < 90 && !heap.model.isEmpty()) {
            Long offset = pick(heap, random);
            contents.remove(offset);
            if (random.nextBoolean()) {
                heap.free(offset);
            } else {
                freeing.add(heap.commitFree(offset));
            }
        } else if (!freeing.isEmpty()) {
            heap.heap.freed(freeing.remove(random.nextInt(freeing.size())));
        }
    }

    private void reserve(TestHeap heap, Random random) {
        long type = nextType++;
        try {
            if (firstClass > 0 && random.nextInt(3) > 0) {
                reserved.add(reserveOfClass(heap, random, type));
            } else {
                reserved.add(new Fresh(heap.reserve(randomSize(random), type), type));
            }
        } catch (FarheapException e) {
            assertThat(e.category()).isEqualTo(FarheapException.Category.ENVIRONMENT);
            refusals++;
            if (!heap.model.isEmpty()) {
                Long offset = pick(heap, random);
                contents.remove(offset);
                heap.free(offset);
            }
        }
    }

    private void makeClasses(TestHeap heap) {
        if (firstClass > 0) {
            heap.heap.newAllocationClass(54, 96, 0, 500, HeaderType.NONE);
            heap.heap.newAllocationClass(55, 200, 0, 1000, HeaderType.LEGACY);
            heap.heap.newAllocationClass(56, 512, 512, 500, HeaderType.COMPACT);
            heap.heap.newAllocationClass(57, 4048, 0, 60, HeaderType.COMPACT);
            heap.heap.newAllocationClass(58, 8192, 4096, 40, HeaderType.LEGACY);
            heap.heap.newAllocationClass(59, 50, 0, 3000, HeaderType.COMPACT);
        }
    }

    private static Fresh reserveOfClass(TestHeap heap, Random random, long type) {
        AllocationClassDescriptor chosen =
                heap.heap.allocationClass(54 + random.nextInt(6)).orElseThrow();
        boolean none = chosen.headerType() == HeaderType.NONE;
        long units = none || random.nextInt(3) > 0 ? 1 : 1 + random.nextInt(12);
        long size = Math.max(1, units * chosen.unitSize() - chosen.headerType().bytes());
        Reservation reservation = new Reservation();
        int arena = random.nextInt(ARENAS + 1);
        heap.heap.reserve(size, type, 0, chosen.id(), arena, reservation);
        if (chosen.alignment() > 0) {
            assertThat(reservation.userOffset() % chosen.alignment()).isZero();
        }
        return new Fresh(reservation, none ? 0 : type);
    }

    private static long randomSize(Random random) {
        int most = 1 << 4 + random.nextInt(18);
        long size = 1L + random.nextInt(most);
        // Whole chunks less a header: blocks of their own.
        return random.nextInt(4) == 0 ? (1 + random.nextInt(6)) * 262_144L - 16 : size;
    }

    private void publish(TestHeap heap, Fresh fresh, Random random) {
        Reservation reservation = fresh.reservation();
        byte fill = (byte) random.nextInt();
        heap.memory().fill(reservation.userOffset(), reservation.usableSize(), fill);
        contents.put(reservation.userOffset(), fill);
        heap.publish(reservation, fresh.type());
    }

    private static Long pick(TestHeap heap, Random random) {
        List<Long> offsets = List.copyOf(heap.model.keySet());
        return offsets.get(random.nextInt(offsets.size()));
    }

    /** Ends everything that a reboot would forget. */
    private void settle(TestHeap heap) {
        reserved.forEach(fresh -> heap.heap.cancel(fresh.reservation()));
        reserved.clear();
        freeing.forEach(heap.heap::freed);
        freeing.clear();
    }

    private void checkContents(TestHeap heap) {
        contents.forEach(
                (offset, fill) -> {
                    MemorySegment bytes =
                            heap.memory().image().asSlice(offset, heap.heap.usableSize(offset));
                    MemorySegment expected =
                            MemorySegment.ofArray(new byte[(int) bytes.byteSize()]).fill(fill);
                    assertThat(bytes.mismatch(expected)).as("object at %d", offset).isEqualTo(-1);
                });
    }

    /** With nothing left in it, all of the heap can be one object again. */
    private void emptyIt(TestHeap heap) {
        settle(heap);
        List.copyOf(heap.model.keySet()).forEach(heap::free);
        heap.check();
        long all = CHUNKS * HeapLayout.CHUNK_BYTES - ObjectHeader.COMPACT_BYTES;
        heap.allocate(all, nextType++);
        assertThat(heap.check().blocks()).hasSize(1);
    }
}
