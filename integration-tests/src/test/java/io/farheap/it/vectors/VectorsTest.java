package io.farheap.it.vectors;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.heap.HeapWalk;
import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.layout.LogLayout;
import io.farheap.memory.Persistence;
import io.farheap.memory.PoolMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every golden pool opens, recovered if it must be, and is what libpmemobj says it is. */
class VectorsTest {
    @TempDir Path directory;

    static List<Vector> vectors() {
        return Vector.all();
    }

    @Test
    void thereAre25() {
        assertThat(Vector.all()).hasSize(25);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("vectors")
    void opensAndHoldsWhatTheLibrarySays(Vector vector) throws IOException {
        Path pool = vector.unpack(directory);
        JsonNode api = vector.facts().at("/after_open/api");
        try (ObjectPool opened = ObjectPool.open(pool, null)) {
            assertThat(HexFormat.of().toHexDigits(opened.poolId()))
                    .isEqualTo(vector.facts().at("/before_open/uuid_lo").asText().substring(2));
            List<String> found = new ArrayList<>();
            for (Ref object : opened.objects()) {
                found.add(described(opened, object, opened.usableSize(object)));
            }
            List<String> expected = new ArrayList<>();
            api.get("objects").forEach(object -> expected.add(described(object, "usable_size")));
            assertThat(found).isEqualTo(expected);
            assertRoot(opened, api.get("root"));
        }
        // a second open finds nothing to recover and the same objects
        try (ObjectPool again = ObjectPool.open(pool, null)) {
            assertThat(again.objects()).hasSize(api.get("objects").size());
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("vectors")
    void leavesTheBytesThatTheLibraryLeaves(Vector vector) throws IOException {
        Path pool = vector.unpack(directory);
        ObjectPool.open(pool, null).close();
        if (vector.isPoolSet()) {
            return; // the facts after open are those of the API alone
        }
        JsonNode after = vector.facts().get("after_open");
        withImage(
                pool,
                memory -> {
                    Descriptor descriptor = new Descriptor(memory);
                    assertThat(descriptor.runId()).isEqualTo(after.get("run_id").asLong());
                    assertThat(lanesNotFresh(memory)).isEqualTo(expectedLanes(after));
                    Contents contents = new Contents();
                    HeapWalk.walk(
                            memory.image(),
                            descriptor.heapOffset(),
                            descriptor.heapSize(),
                            contents);
                    assertThat(contents.inconsistencies).isEmpty();
                    if (after.has("internal_objects")) {
                        List<String> expected = new ArrayList<>();
                        after.get("internal_objects")
                                .forEach(o -> expected.add(described(o, "usable_size")));
                        assertThat(contents.internalObjects(memory)).isEqualTo(expected);
                    }
                    if (after.has("heap")) {
                        assertThat(contents.blocks).isEqualTo(expectedBlocks(after.get("heap")));
                    }
                });
    }

    private static void assertRoot(ObjectPool pool, JsonNode root) {
        if (root == null || root.isNull() || root.get("size").asLong() == 0) {
            assertThat(pool.rootSize()).isZero();
            return;
        }
        assertThat(pool.rootSize()).isEqualTo(root.get("size").asLong());
        Ref found = pool.root();
        assertThat(found.offset()).isEqualTo(root.get("off").asLong());
        assertThat(pool.usableSize(found)).isEqualTo(root.get("usable_size").asLong());
        assertThat(crc(pool.segment(found).asSlice(0, pool.rootSize())))
                .isEqualTo(root.get("crc32_of_size").asText());
    }

    private static String described(ObjectPool pool, Ref object, long usable) {
        MemorySegment bytes = pool.segment(object);
        assertThat(bytes.byteSize()).isEqualTo(usable);
        return object.offset()
                + " type "
                + pool.typeNumber(object)
                + " "
                + usable
                + " "
                + crc(bytes);
    }

    private static String described(JsonNode object, String sizeField) {
        return object.get("off").asLong()
                + " type "
                + object.get("type_num").asLong()
                + " "
                + object.get(sizeField).asLong()
                + " "
                + object.get("crc32").asText();
    }

    private static String crc(MemorySegment bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes.asByteBuffer());
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    private static void withImage(Path pool, Consumer<PoolMemory> test) throws IOException {
        try (Arena arena = Arena.ofConfined();
                FileChannel file = FileChannel.open(pool)) {
            MemorySegment image =
                    file.map(FileChannel.MapMode.READ_ONLY, 0, file.size() & -4096L, arena);
            test.accept(new PoolMemory(image, new ReadOnly()));
        }
    }

    /** The lanes in which a log is chained or was used, as the facts list them. */
    private static List<String> lanesNotFresh(PoolMemory memory) {
        List<String> lanes = new ArrayList<>();
        Descriptor descriptor = new Descriptor(memory);
        for (int lane = 0; lane < descriptor.laneCount(); lane++) {
            long offset = descriptor.lanesOffset() + lane * Descriptor.LANE_SIZE;
            log(memory, lane, "internal", offset + LaneLayout.INTERNAL_REDO, lanes);
            log(memory, lane, "external", offset + LaneLayout.EXTERNAL_REDO, lanes);
            log(memory, lane, "undo", offset + LaneLayout.UNDO, lanes);
        }
        return lanes;
    }

    private static void log(PoolMemory memory, int lane, String log, long at, List<String> out) {
        long genNum = memory.getLong(at + LogLayout.GEN_NUM);
        List<Long> chain = new ArrayList<>();
        long next = memory.getLong(at + LogLayout.NEXT);
        while (next != 0) {
            chain.add(next);
            next = memory.getLong(LogLayout.extensionHeader(next) + LogLayout.NEXT);
        }
        if (genNum != 0 || !chain.isEmpty()) {
            out.add(lane + " " + log + " gen " + genNum + " next " + chain);
        }
    }

    private static List<String> expectedLanes(JsonNode after) {
        List<String> lanes = new ArrayList<>();
        for (JsonNode lane : after.get("lanes_not_fresh")) {
            for (String log : List.of("internal", "external", "undo")) {
                if (lane.has(log)) {
                    List<Long> chain = new ArrayList<>();
                    lane.get(log).get("next").forEach(next -> chain.add(next.asLong()));
                    lanes.add(
                            lane.get("lane").asInt()
                                    + " "
                                    + log
                                    + " gen "
                                    + lane.get(log).get("gen_num").asLong()
                                    + " next "
                                    + chain);
                }
            }
        }
        return lanes;
    }

    private static List<String> expectedBlocks(JsonNode heap) {
        List<String> blocks = new ArrayList<>();
        for (JsonNode zone : heap.get("zones")) {
            for (JsonNode chunk : zone.get("chunks")) {
                blocks.add(
                        zone.get("zone").asInt()
                                + "/"
                                + chunk.get("chunk").asInt()
                                + " "
                                + chunk.get("type").asText()
                                + " "
                                + chunk.get("size_idx").asInt()
                                + (chunk.has("used_units")
                                        ? " used " + chunk.get("used_units").asInt()
                                        : ""));
            }
        }
        return blocks;
    }

    /** What the walk found. */
    private static final class Contents implements HeapWalk.Visitor {
        final List<String> blocks = new ArrayList<>();
        final List<HeapWalk.HeapObject> internal = new ArrayList<>();
        final List<String> inconsistencies = new ArrayList<>();

        @Override
        public void block(HeapWalk.Block block) {
            blocks.add(
                    block.zone()
                            + "/"
                            + block.chunk()
                            + " "
                            + block.type()
                            + " "
                            + block.chunks()
                            + (block.run() == null ? "" : " used " + block.run().usedUnits()));
        }

        @Override
        public void object(HeapWalk.HeapObject object) {
            if (object.internal()) {
                internal.add(object);
            }
        }

        @Override
        public void inconsistency(HeapWalk.Inconsistency inconsistency) {
            inconsistencies.add(inconsistency.message());
        }

        List<String> internalObjects(PoolMemory memory) {
            return internal.stream()
                    .map(
                            object ->
                                    object.userOffset()
                                            + " type "
                                            + object.typeNumber()
                                            + " "
                                            + object.usableSize()
                                            + " "
                                            + crc(
                                                    memory.image()
                                                            .asSlice(
                                                                    object.userOffset(),
                                                                    object.usableSize())))
                    .toList();
        }
    }

    /** A mapping that nobody may write. */
    private static final class ReadOnly implements Persistence {
        @Override
        public void flush(long offset, long length) {
            throw new AssertionError("a store to a read-only image");
        }

        @Override
        public void fence() {
            throw new AssertionError("a fence of a read-only image");
        }
    }
}
