package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.pool.PoolFiles;
import io.farheap.pool.PoolSource;
import io.farheap.testing.GoldenVectors;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Pools made by libpmemobj 1.12.1, left as they were, some in the middle of an operation: their
 * heaps are read as they are, without the logs' recovery, and give what the vectors' JSON says.
 */
class HeapVectorsTest {

    static List<String> names() {
        return GoldenVectors.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void theHeapOfAPoolOfTheCLibraryIsReadAsItIs(String name, @TempDir Path directory) {
        GoldenVectors vector = GoldenVectors.unpack(name, directory);
        JsonNode before = vector.facts().get("before_open");
        try (PoolFiles files = PoolFiles.open(PoolSource.of(vector.pool()))) {
            PoolMemory memory = files.memory();
            long heapOffset = new Descriptor(memory).heapOffset();
            long heapSize = new Descriptor(memory).heapSize();

            WalkResult walk = WalkResult.of(memory.image().asReadOnly(), heapOffset, heapSize);
            assertThat(walk.inconsistencies()).isEmpty();
            assertThat(blocks(walk)).isEqualTo(blocks(before.get("heap")));
            assertThat(walk.objects().stream().filter(o -> !o.internal()))
                    .isEqualTo(objects(before.get("objects")));
            assertThat(walk.objects().stream().filter(HeapWalk.HeapObject::internal))
                    .isEqualTo(objects(before.get("internal_objects")));

            long flushes = memory.flushCount();
            Heap heap = Heap.boot(memory, heapOffset, heapSize, HeapStores.local(memory));
            assertThat(iterated(heap)).isEqualTo(objects(before.get("objects")));
            assertThat(iteratedInternal(heap)).isEqualTo(objects(before.get("internal_objects")));
            assertThat(memory.flushCount()).as("stores made by boot").isEqualTo(flushes);
        }
    }

    private static List<HeapWalk.HeapObject> iterated(Heap heap) {
        List<HeapWalk.HeapObject> found = new ArrayList<>();
        for (long o = heap.first(); o != Heap.NONE; o = heap.next(o)) {
            found.add(describe(heap, o));
        }
        return found;
    }

    private static List<HeapWalk.HeapObject> iteratedInternal(Heap heap) {
        List<HeapWalk.HeapObject> found = new ArrayList<>();
        for (long o = heap.firstInternal(); o != Heap.NONE; o = heap.nextInternal(o)) {
            found.add(describe(heap, o));
        }
        return found;
    }

    private static HeapWalk.HeapObject describe(Heap heap, long o) {
        assertThat(heap.isAllocated(o)).isTrue();
        assertThat(heap.isAllocated(o + 8)).isFalse();
        return new HeapWalk.HeapObject(
                o, heap.typeNumber(o), heap.usableSize(o), heap.isInternal(o) ? 0x8000 : 0);
    }

    private static List<HeapWalk.HeapObject> objects(JsonNode list) {
        List<HeapWalk.HeapObject> objects = new ArrayList<>();
        for (JsonNode object : list) {
            objects.add(
                    new HeapWalk.HeapObject(
                            object.get("off").asLong(),
                            object.get("type_num").asLong(),
                            object.get("usable_size").asLong(),
                            object.get("flags").asInt()));
        }
        return objects;
    }

    private static List<String> blocks(WalkResult walk) {
        List<String> lines = new ArrayList<>();
        for (HeapWalk.Zone zone : walk.zones()) {
            lines.add("zone " + zone.index() + " of " + zone.chunks());
            for (HeapWalk.Block block : walk.blocks()) {
                if (block.zone() == zone.index()) {
                    lines.add(line(block));
                }
            }
        }
        return lines;
    }

    private static String line(HeapWalk.Block block) {
        String line =
                String.format(
                        "%d %s %d %d", block.chunk(), block.type(), block.flags(), block.chunks());
        HeapWalk.Run run = block.run();
        if (run != null) {
            line +=
                    String.format(
                            " %d %d %d %d %d %d %d",
                            run.unitSize(),
                            run.alignment(),
                            run.headerSize(),
                            run.units(),
                            run.bitmapWords(),
                            run.dataOffset(),
                            run.usedUnits());
        }
        return line;
    }

    private static List<String> blocks(JsonNode heap) {
        List<String> lines = new ArrayList<>();
        for (JsonNode zone : heap.get("zones")) {
            boolean initialised = !zone.get("magic").asText().equals("0x00000000");
            int chunks = initialised ? zone.get("size_idx").asInt() : 0;
            lines.add("zone " + zone.get("zone").asInt() + " of " + chunks);
            for (JsonNode block : zone.get("chunks")) {
                lines.add(line(block));
            }
        }
        return lines;
    }

    private static String line(JsonNode block) {
        String line =
                String.format(
                        "%d %s %d %d",
                        block.get("chunk").asInt(),
                        block.get("type").asText(),
                        block.get("flags").asInt(),
                        block.get("size_idx").asInt());
        if (block.has("unit")) {
            int headerSize =
                    switch (block.get("header").asText()) {
                        case "compact" -> 16;
                        case "legacy" -> 64;
                        default -> 0;
                    };
            line +=
                    String.format(
                            " %d %d %d %d %d %d %d",
                            block.get("unit").asLong(),
                            block.get("alignment").asLong(),
                            headerSize,
                            block.get("nbits").asInt(),
                            block.get("bitmap_words").asInt(),
                            block.get("data_off").asLong(),
                            block.get("used_units").asInt());
        }
        return line;
    }
}
