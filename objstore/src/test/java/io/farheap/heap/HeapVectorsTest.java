package io.farheap.heap;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.farheap.layout.Descriptor;
import io.farheap.memory.CrashSimulation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pools made by libpmemobj 1.12.1, left as they were, some in the middle of an operation: their
 * heaps are read as they are, without the logs' recovery, and give what the vectors' JSON says.
 */
class HeapVectorsTest {
    private static final int PAGE = 4096;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "classes-large",
                "classes",
                "crash-atomic",
                "crash-commit-before-redo",
                "crash-commit-done",
                "crash-commit-partial",
                "crash-commit-redo",
                "crash-huge-alloc",
                "crash-huge-free",
                "crash-huge-split",
                "crash-redo-chain",
                "crash-redo-extending",
                "crash-undo-ext",
                "crash-undo-small",
                "empty",
                "handmade",
                "huge",
                "list",
                "locks",
                "root",
                "set-crash",
                "set-replica",
                "set-singlehdr",
                "stats",
                "user-classes"
            })
    void theHeapOfAPoolOfTheCLibraryIsReadAsItIs(String name) throws IOException {
        JsonNode vector = json(name);
        CrashSimulation machine = new CrashSimulation(image(name, vector));
        Descriptor descriptor = new Descriptor(machine.memory());
        long heapOffset = descriptor.heapOffset();
        long heapSize = descriptor.heapSize();

        WalkResult walk =
                WalkResult.of(machine.memory().image().asReadOnly(), heapOffset, heapSize);
        assertThat(walk.inconsistencies()).isEmpty();
        JsonNode before = vector.get("before_open");
        assertThat(blocks(walk)).isEqualTo(blocks(before.get("heap")));
        assertThat(walk.objects().stream().filter(o -> !o.internal()))
                .isEqualTo(objects(before.get("objects")));
        assertThat(walk.objects().stream().filter(HeapWalk.HeapObject::internal))
                .isEqualTo(objects(before.get("internal_objects")));

        Heap heap =
                Heap.boot(
                        machine.memory(), heapOffset, heapSize, HeapStores.local(machine.memory()));
        assertThat(iterated(heap)).isEqualTo(objects(before.get("objects")));
        assertThat(iteratedInternal(heap)).isEqualTo(objects(before.get("internal_objects")));
        assertThat(machine.flushes() + machine.fences()).as("stores made by boot").isZero();
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

    private static JsonNode json(String name) throws IOException {
        try (InputStream in =
                HeapVectorsTest.class.getResourceAsStream("/vectors/" + name + ".json")) {
            return new ObjectMapper().readTree(in);
        }
    }

    /**
     * The master replica's image: its parts one after the other, headers of later ones left out.
     */
    private static MemorySegment image(String name, JsonNode vector) throws IOException {
        boolean oneHeader = name.equals("set-singlehdr");
        ByteArrayOutputStream image = new ByteArrayOutputStream();
        for (JsonNode file : vector.get("files")) {
            if (file.has("replica") && file.get("replica").asInt() != 0) {
                continue;
            }
            String resource = "/vectors/" + file.get("file").asText() + ".gz";
            try (InputStream in =
                    new GZIPInputStream(HeapVectorsTest.class.getResourceAsStream(resource))) {
                byte[] part = in.readAllBytes();
                int from = image.size() == 0 || oneHeader ? 0 : PAGE;
                image.write(part, from, part.length - from);
            }
        }
        long size = vector.has("pool_size") ? vector.get("pool_size").asLong() : image.size();
        return MemorySegment.ofArray(image.toByteArray()).asSlice(0, size);
    }
}
