package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.CrashSimulation.Loss;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Power is lost before every flush and fence of a workload that makes every kind of store that no
 * log covers. What is left is a valid heap that holds exactly what was committed, and can be used.
 */
class HeapCrashTest {
    private static final int CHUNKS = 8;
    private static final int NONE = -1;
    private static final long CHUNK = HeapLayout.CHUNK_BYTES;

    private final Random random = new Random(20_261_121);
    private final CrashSimulation restarted = new CrashSimulation(TestHeap.imageSize(CHUNKS));

    private int crashes;

    /** One in so many fences is ignored. */
    private static final int STRIDE = Boolean.getBoolean("test.deep") ? 1 : 4;

    @Test
    void everyCrashPointLeavesAValidHeapWithWhatWasCommitted() {
        enumerate(NONE);
        assertThat(crashes).as("crashes looked at").isGreaterThan(500);
    }

    @Test
    @Tag("sliced")
    void everyFenceBetweenTwoGroupsOfStoresIsNeeded() {
        List<Integer> fences = orderingFences();
        assertThat(fences).hasSizeGreaterThan(8);
        for (int i = 0; i < fences.size(); i += STRIDE) {
            int fence = fences.get(i);
            assertThatThrownBy(() -> enumerate(fence))
                    .as("without fence %d", fence)
                    .isInstanceOf(AssertionError.class);
        }
    }

    /** Crashes everywhere; or, if a fence is ignored, while that can make a difference. */
    private void enumerate(int ignoredFence) {
        CrashSimulation machine = machine();
        HeapStores local = HeapStores.local(machine.memory());
        TestHeap heap =
                TestHeap.create(
                        machine.memory(),
                        stores -> {
                            soilFreeBlocks(machine.memory());
                            local.submit(stores);
                        });
        machine.dropFence(ignoredFence);
        machine.beforeEachStep(
                () -> {
                    int since = machine.fences() - ignoredFence;
                    if (ignoredFence < 0) {
                        crashHere(machine, heap, 2);
                    } else if (since == 1) {
                        crashHere(machine, heap, 20);
                    } else if (since > 1) {
                        throw new CancellationException("the ignored fence did no harm");
                    }
                });
        workload(heap);
        machine.beforeEachStep(() -> {});
        heap.check();
    }

    /** The numbers of the fences in the workload that stand between two groups of stores. */
    private List<Integer> orderingFences() {
        CrashSimulation machine = machine();
        HeapStores local = HeapStores.local(machine.memory());
        List<Integer> fences = new ArrayList<>();
        HeapStores counting =
                stores -> {
                    soilFreeBlocks(machine.memory());
                    int first = machine.fences();
                    local.submit(stores);
                    for (int i = first; i < machine.fences() - 1; i++) {
                        fences.add(i);
                    }
                };
        workload(TestHeap.create(machine.memory(), counting));
        return fences;
    }

    /**
     * Chunk headers inside a free block, but for its footer, may be anything; old ones may fit by
     * chance.
     */
    private static void soilFreeBlocks(PoolMemory memory) {
        long zone = HeapLayout.zone(TestHeap.HEAP_OFFSET, 0);
        WalkResult walk =
                WalkResult.of(
                        memory.image(), TestHeap.HEAP_OFFSET, memory.size() - TestHeap.HEAP_OFFSET);
        for (HeapWalk.Block block : walk.blocks()) {
            if (block.type() == HeapWalk.BlockType.FREE && block.chunks() > 2) {
                long inside = HeapLayout.chunkHeader(zone, block.chunk() + 1);
                long length = 8L * (block.chunks() - 2);
                memory.fill(inside, length, (byte) 0xA5);
                memory.persist(inside, length);
            }
        }
    }

    /** What a heap finds in memory that it never wrote is undefined. */
    private static CrashSimulation machine() {
        CrashSimulation machine = new CrashSimulation(TestHeap.imageSize(CHUNKS));
        machine.memory().image().fill((byte) 0xA5);
        machine.memory().persist(0, machine.memory().size());
        return machine;
    }

    /** 8 chunks. Each line leaves the heap as its comment says: used (U), run (R), free (.). */
    private void workload(TestHeap heap) {
        long type = 1;
        Reservation left = heap.reserve(2 * CHUNK - 16, type++); // zone made; split: UU......
        Reservation right = heap.reserve(2 * CHUNK - 16, type++); // UUUU....
        heap.publish(right, 2); // the left one is not committed yet
        heap.publish(left, 1);
        long a = left.userOffset();
        long b = right.userOffset();
        long c = heap.allocate(1472 - 16, type++); // a run of two chunks: UUUURR..
        long d = heap.allocate(CHUNK - 16, type++); // UUUURRU.
        heap.free(a);
        heap.free(b); // ....RRU., the first four in two blocks
        long e = heap.allocate(3 * CHUNK - 16, type++); // out of both: UUU.RRU.
        heap.free(e);
        long f = heap.allocate(100, type++); // ....RRUR
        heap.free(f);
        heap.free(c); // two empty runs
        long g = heap.allocate(6 * CHUNK - 16, type++); // both dissolved: UUUUUUU.
        heap.free(g);
        heap.free(d);
        for (int i = 0; i < 4; i++) {
            heap.allocate(CHUNK - 16, type++); // UUUU....
        }
        for (long o : List.copyOf(heap.model.keySet())) {
            heap.free(o); // four blocks of one chunk and one of four
        }
        heap.allocate(3700, type++); // a run of three chunks over three blocks
        heap.allocate(5 * CHUNK - 16, type);
    }

    private void crashHere(CrashSimulation machine, TestHeap heap, int times) {
        check(machine, Loss.ALL, heap);
        check(machine, Loss.NONE, heap);
        for (int i = 0; i < times; i++) {
            check(machine, Loss.RANDOM, heap);
        }
    }

    private void check(CrashSimulation machine, Loss loss, TestHeap crashed) {
        crashes++;
        restarted.becomeCrashed(machine, loss, random);
        PoolMemory memory = restarted.memory();
        WalkResult walk =
                WalkResult.of(
                        memory.image().asReadOnly(),
                        TestHeap.HEAP_OFFSET,
                        memory.size() - TestHeap.HEAP_OFFSET);
        assertThat(walk.inconsistencies()).isEmpty();
        CoalescingInC.check(memory, TestHeap.HEAP_OFFSET, memory.size() - TestHeap.HEAP_OFFSET);
        Map<Long, Long> found = TestHeap.objects(walk);
        assertThat(found).isIn(crashed.model, crashed.next);
        TestHeap heap = TestHeap.open(memory, HeapStores.local(memory));
        heap.model.putAll(found);
        heap.checkQueries();
        if (crashes % 8 == 0) {
            goOn(heap);
        }
    }

    private static void goOn(TestHeap heap) {
        List.copyOf(heap.model.keySet()).forEach(heap::free);
        heap.allocate(50, 1000);
        heap.check();
        List.copyOf(heap.model.keySet()).forEach(heap::free);
        heap.allocate(CHUNKS * CHUNK - 16, 1001);
        heap.check();
    }
}
