package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Heaps of several zones and of a whole one, in a sparse file. */
class HeapZonesTest {
    private static final long CHUNK = HeapLayout.CHUNK_BYTES;
    private static final int LAST_ZONE_CHUNKS = 100;
    private static final long SIZE =
            TestHeap.imageSize(LAST_ZONE_CHUNKS) + 2 * HeapLayout.ZONE_BYTES;

    private final Arena arena = Arena.ofShared();
    private PoolMemory memory;

    @BeforeEach
    void map(@TempDir Path directory) throws IOException {
        try (FileChannel file =
                FileChannel.open(
                        directory.resolve("heap"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.SPARSE)) {
            memory =
                    new PoolMemory(
                            file.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena),
                            new NothingIsLost());
        }
    }

    @AfterEach
    void unmap() {
        arena.close();
    }

    @Test
    void zonesAreCountedAndDividedAsInLibpmemobj() {
        assertThat(HeapLayout.zones(HeapLayout.MIN_HEAP_BYTES - 1)).isZero();
        assertThat(HeapLayout.zones(HeapLayout.MIN_HEAP_BYTES)).isEqualTo(1);
        assertThat(HeapLayout.chunks(0, HeapLayout.MIN_HEAP_BYTES)).isEqualTo(1);
        long whole = HeapLayout.HEADER_BYTES + HeapLayout.ZONE_BYTES;
        assertThat(HeapLayout.zones(whole)).isEqualTo(1);
        assertThat(HeapLayout.chunks(0, whole)).isEqualTo(65_528);
        long more = HeapLayout.ZONE_META_BYTES + CHUNK;
        assertThat(HeapLayout.zones(whole + more - 1)).isEqualTo(1);
        assertThat(HeapLayout.chunks(0, whole + more - 1)).isEqualTo(65_528);
        assertThat(HeapLayout.zones(whole + more)).isEqualTo(2);
        assertThat(HeapLayout.chunks(0, whole + more)).isEqualTo(65_528);
        assertThat(HeapLayout.chunks(1, whole + more)).isEqualTo(1);
        // An 8 MiB pool: one zone of 17 chunks; 40 GiB: three zones.
        assertThat(HeapLayout.chunks(0, (8L << 20) - 3_153_920)).isEqualTo(17);
        assertThat(HeapLayout.zones((40L << 30) - 3_153_920)).isEqualTo(3);
    }

    @Test
    void zonesAreInitialisedInOrderWhenMemoryIsWanted() {
        TestHeap test = TestHeap.create(memory);
        assertThat(initialised(test)).containsExactly(false, false, false);
        long first = test.allocate(100, 1);
        assertThat(initialised(test)).containsExactly(true, false, false);
        long whole = test.allocate(Heap.MAX_REQUEST, 2);
        assertThat(initialised(test)).containsExactly(true, true, false);
        assertThat(test.heap.usableSize(whole)).isEqualTo(17_177_772_016L);
        test.allocate(65_527 * CHUNK - 16, 3);
        long last = test.allocate(2 * CHUNK - 16, 4);
        assertThat(last).isGreaterThan(2 * HeapLayout.ZONE_BYTES);
        assertThat(initialised(test)).containsExactly(true, true, true);
        test.check();
        test.checkQueries();

        test.reboot();
        test.checkQueries();
        test.free(whole);
        test.free(first);
        assertThat(test.allocate(Heap.MAX_REQUEST, 5)).isEqualTo(whole);
        test.check();
        assertThatThrownBy(() -> test.reserve(LAST_ZONE_CHUNKS * CHUNK, 6))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("largest free block takes " + (98 * CHUNK - 16));
    }

    @Test
    void aZoneOfRunsOnlyIsReadAndFilledAgain() {
        TestHeap test = TestHeap.create(memory);
        long object = 0;
        for (int i = 0; i < 3000; i++) {
            object = test.allocate(262_000, i + 1); // one of 16 in a run of 16 chunks
        }
        test.reboot();
        assertThat(test.heap.isAllocated(object)).isTrue();
        List.copyOf(test.model.keySet()).forEach(test::free);
        test.allocate(Heap.MAX_REQUEST, 1);
        assertThat(test.check().blocks()).hasSize(1);
        assertThat(initialised(test)).containsExactly(true, false, false);
    }

    @Test
    void aHeapThatGrewUsesItsNewChunks() {
        long size = TestHeap.imageSize(40);
        TestHeap small =
                TestHeap.create(
                        new PoolMemory(memory.image().asSlice(0, size), new NothingIsLost()));
        long kept = small.allocate(30 * CHUNK - 16, 1);
        long larger = TestHeap.imageSize(90);
        PoolMemory grown = new PoolMemory(memory.image().asSlice(0, larger), new NothingIsLost());
        TestHeap test = TestHeap.open(grown, HeapStores.local(grown));
        assertThat(test.walk().zones().get(0).chunks()).isEqualTo(40);
        test.model.put(kept, 1L);
        test.allocate(60 * CHUNK - 16, 2); // ten old chunks and the new ones
        assertThat(test.check().zones().get(0).chunks()).isEqualTo(90);
    }

    private static List<Boolean> initialised(TestHeap test) {
        return test.walk().zones().stream().map(HeapWalk.Zone::initialised).toList();
    }
}
