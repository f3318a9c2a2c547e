package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.base.HeapSpace;
import io.farheap.memory.PoolMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a heap says of its space is what its bytes say to who walks them. */
class SpaceCountTest {
    private static final long CHUNK = HeapLayout.CHUNK_BYTES;

    private final Arena arena = Arena.ofShared();
    @TempDir private Path directory;

    @AfterEach
    void unmap() {
        arena.close();
    }

    private PoolMemory memory(long size) throws IOException {
        try (FileChannel file =
                FileChannel.open(
                        directory.resolve("heap"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.SPARSE)) {
            return new PoolMemory(
                    file.map(FileChannel.MapMode.READ_WRITE, 0, size, arena), new NothingIsLost());
        }
    }

    private static void requireAsWalked(TestHeap test) {
        WalkResult walk = test.walk();
        long all = 0;
        long free = 0;
        for (HeapWalk.Zone zone : walk.zones()) {
            all += zone.possibleChunks() * CHUNK;
            free += (zone.possibleChunks() - zone.chunks()) * CHUNK;
        }
        for (HeapWalk.Block block : walk.blocks()) {
            if (block.run() != null) {
                free += (block.run().units() - block.run().usedUnits()) * block.run().unitSize();
            } else if (block.type() == HeapWalk.BlockType.FREE) {
                free += block.chunks() * CHUNK;
            }
        }
        HeapSpace space = test.heap.space();
        assertThat(space.freeBytes()).isEqualTo(free);
        assertThat(space.usedBytes()).isEqualTo(all - free);
        assertThat(space.largestFreeBytes()).isBetween(0L, free);
    }

    @Test
    void itIsWhatAWalkFindsWhateverWasAllocatedAndFreed() throws IOException {
        TestHeap test = TestHeap.create(memory(TestHeap.imageSize(200)));
        requireAsWalked(test);
        Random random = new Random(3);
        List<Long> objects = new ArrayList<>();
        for (int i = 0; i < 1500; i++) {
            if (random.nextInt(3) == 0 && !objects.isEmpty()) {
                test.free(objects.remove(random.nextInt(objects.size())));
            } else {
                long size = random.nextInt(20) == 0 ? 300_000 : 1 + random.nextInt(20_000);
                objects.add(test.allocate(size, i + 1));
            }
            if (i % 100 == 0) {
                requireAsWalked(test);
            }
        }
        requireAsWalked(test);
        HeapSpace before = test.heap.space();
        test.reboot();
        assertThat(test.heap.space()).isEqualTo(before);
    }

    @Test
    void theLargestObjectThatFitsIsAsLargeAsTheLargestFreeBlock() throws IOException {
        TestHeap test = TestHeap.create(memory(TestHeap.imageSize(40)));
        List<Long> objects = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            objects.add(test.allocate(10 * CHUNK - ObjectHeader.COMPACT_BYTES, i + 1));
        }
        assertThat(test.heap.space()).isEqualTo(new HeapSpace(40 * CHUNK, 0, 0));
        test.free(objects.get(0));
        test.free(objects.get(2));
        assertThat(test.heap.space()).isEqualTo(new HeapSpace(20 * CHUNK, 20 * CHUNK, 10 * CHUNK));
        test.free(objects.get(1));
        assertThat(test.heap.space()).isEqualTo(new HeapSpace(10 * CHUNK, 30 * CHUNK, 30 * CHUNK));
        test.allocate(test.heap.space().largestFreeBytes() - ObjectHeader.COMPACT_BYTES, 9);
        assertThat(test.heap.space().largestFreeBytes()).isZero();
    }

    @Test
    void whatIsKeptForLogsIsNoFreeBlock() throws IOException {
        TestHeap test = TestHeap.create(memory(TestHeap.imageSize(40)));
        test.heap.keepForLogs();
        long largest = test.heap.space().largestFreeBytes();
        assertThat(largest).isEqualTo(39 * CHUNK);
        test.allocate(largest - ObjectHeader.COMPACT_BYTES, 1);
        assertThat(test.heap.space()).isEqualTo(new HeapSpace(39 * CHUNK, CHUNK, 0));
    }

    @Test
    void emptyRunsAreOneFreeBlockWithWhatIsFreeBesideThem() throws IOException {
        TestHeap test = TestHeap.create(memory(TestHeap.imageSize(40)));
        List<Long> small = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            small.add(test.allocate(1_000, i + 1));
        }
        for (long object : small) {
            test.free(object);
        }
        assertThat(test.heap.space().largestFreeBytes()).isEqualTo(40 * CHUNK);
        test.allocate(40 * CHUNK - ObjectHeader.COMPACT_BYTES, 1);
        assertThat(test.heap.space()).isEqualTo(new HeapSpace(40 * CHUNK, 0, 0));
    }

    @Test
    void aStretchInHandIsFreeUntilItIsAnObject() throws IOException {
        PoolMemory memory = memory(TestHeap.imageSize(40));
        List<HeapSpace> meanwhile = new ArrayList<>();
        TestHeap[] test = new TestHeap[1];
        HeapStores watched =
                stores -> {
                    stores.applyTo(memory);
                    if (test[0] != null) {
                        meanwhile.add(test[0].heap.space());
                    }
                };
        test[0] = TestHeap.create(memory, watched);
        meanwhile.clear();
        test[0].allocate(10 * CHUNK - ObjectHeader.COMPACT_BYTES, 1);
        assertThat(meanwhile).isNotEmpty().containsOnly(new HeapSpace(0, 40 * CHUNK, 40 * CHUNK));
        assertThat(test[0].heap.space())
                .isEqualTo(new HeapSpace(10 * CHUNK, 30 * CHUNK, 30 * CHUNK));
        meanwhile.clear();
        test[0].allocate(100, 2);
        assertThat(meanwhile)
                .isNotEmpty()
                .containsOnly(new HeapSpace(10 * CHUNK, 30 * CHUNK, 30 * CHUNK));
    }

    @Test
    void coldZonesAreReadWithoutTheHeapsLock() throws Exception {
        PoolMemory memory = memory(TestHeap.imageSize(200));
        TestHeap test = TestHeap.create(memory);
        for (int i = 0; i < 500; i++) {
            test.allocate(1 + 40 * i, i + 1);
        }
        test.allocate(40 * CHUNK, 501);
        long size = memory.size() - TestHeap.HEAP_OFFSET;
        HeapShape shape = HeapShape.of(memory, TestHeap.HEAP_OFFSET, size);
        HeapMap cold = new HeapMap(memory, shape, size, HeapSettings.defaults());
        FutureTask<HeapSpace> count =
                new FutureTask<>(
                        () ->
                                SpaceCount.of(
                                        cold,
                                        cut -> {
                                            throw cut;
                                        }));
        synchronized (cold.lock) {
            Thread unused = Thread.ofPlatform().start(count);
            await().ignoreExceptions().until(() -> hasHuge(cold.zones[0]));
        }
        assertThat(count.get()).isEqualTo(test.heap.space());
    }

    /** The last block that is read but for the free ones behind it. */
    private static boolean hasHuge(HeapZone zone) {
        for (int chunk = 0; chunk < zone.chunks(); chunk++) {
            if (zone.hugeAt(chunk) != 0) {
                return true;
            }
        }
        return false;
    }

    /** What is counted beside allocations is never more than there is, and never lost. */
    @Test
    void besideThreadsThatAllocateEveryChunkIsCountedOnce() throws Exception {
        TestHeap test = TestHeap.create(memory(TestHeap.imageSize(300)));
        AtomicBoolean ended = new AtomicBoolean();
        FutureTask<Integer> busy =
                new FutureTask<>(
                        () -> {
                            int rounds = 0;
                            for (; !ended.get(); rounds++) {
                                long large = test.allocate((1 + rounds % 90) * CHUNK, 1);
                                long small = test.allocate(1 + rounds % 3000, 2);
                                test.free(large);
                                test.free(small);
                            }
                            return rounds;
                        });
        Thread unused = Thread.ofPlatform().start(busy);
        for (int i = 0; i < 20_000; i++) {
            HeapSpace space = test.heap.space();
            assertThat(space.usedBytes() + space.freeBytes()).isEqualTo(300 * CHUNK);
            assertThat(space.usedBytes()).isBetween(0L, 150 * CHUNK);
            assertThat(space.largestFreeBytes()).isLessThanOrEqualTo(300 * CHUNK);
        }
        ended.set(true);
        assertThat(busy.get()).isPositive();
    }

    @Test
    void zonesThatNobodyUsedAreFree() throws IOException {
        TestHeap test =
                TestHeap.create(memory(TestHeap.imageSize(100) + 2 * HeapLayout.ZONE_BYTES));
        requireAsWalked(test);
        assertThat(test.heap.space().usedBytes()).isZero();
        assertThat(test.heap.space().largestFreeBytes()).isEqualTo(65_528 * CHUNK);
        test.allocate(100, 1);
        test.allocate(Heap.MAX_REQUEST, 2);
        requireAsWalked(test);
        test.reboot();
        requireAsWalked(test);
        test.checkQueries();
    }

    @Test
    void soIsWhatAHeapHasGrownBy() throws IOException {
        PoolMemory all = memory(TestHeap.imageSize(90));
        TestHeap small =
                TestHeap.create(
                        new PoolMemory(
                                all.image().asSlice(0, TestHeap.imageSize(40)),
                                new NothingIsLost()));
        small.allocate(30 * CHUNK - ObjectHeader.COMPACT_BYTES, 1);
        TestHeap test = TestHeap.open(all, HeapStores.local(all));
        requireAsWalked(test);
        assertThat(test.heap.space()).isEqualTo(new HeapSpace(30 * CHUNK, 60 * CHUNK, 60 * CHUNK));
    }
}
