package io.farheap.pool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.farheap.layout.Descriptor;
import io.farheap.layout.PoolHeader;
import io.farheap.testing.GoldenVectors;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pools of the C library: every fact of their headers and descriptors, read by our code. */
class GoldenHeadersTest {
    @TempDir Path directory;

    static List<String> names() {
        return GoldenVectors.names();
    }

    @Test
    void thereAreAllOfThem() {
        assertThat(names()).hasSize(25);
    }

    @ParameterizedTest
    @MethodSource("names")
    void headersAndDescriptorSayWhatTheCLibrarySaysAndLookingChangesNoByte(String name)
            throws IOException {
        GoldenVectors vector = GoldenVectors.unpack(name, directory);

        for (Path part : vector.parts()) {
            JsonNode expected = expectedHeader(vector, part);
            if (expected != null) {
                assertHeader(part, expected);
            }
        }
        try (PoolFiles files = PoolFiles.openPrivate(PoolSource.of(vector.pool()), null)) {
            assertDescriptor(files, vector.facts());
            files.memory().fill(Descriptor.END, files.memory().size() - Descriptor.END, (byte) 7);
            files.memory().persist(0, files.memory().size());
        }
        assertUnchanged(vector);
    }

    private static JsonNode expectedHeader(GoldenVectors vector, Path part) {
        if (!vector.facts().has("headers")) {
            return vector.facts().get("before_open").get("header");
        }
        for (JsonNode header : vector.facts().get("headers")) {
            if (header.get("file").asText().equals(part.getFileName().toString())) {
                return header;
            }
        }
        return null;
    }

    private static void assertHeader(Path part, JsonNode expected) throws IOException {
        try (FileChannel channel = FileChannel.open(part);
                Arena arena = Arena.ofConfined()) {
            MemorySegment page =
                    channel.map(FileChannel.MapMode.READ_ONLY, 0, PoolHeader.SIZE, arena);
            PoolHeader header = new PoolHeader(page);
            assertThat(HeaderValidation.ownFault(header)).as("%s", part).isNull();
            assertThat(header.signature()).isEqualTo(expected.get("signature").asText());
            assertThat(header.major()).isEqualTo(expected.get("major").asInt());
            assertThat(header.features().compat()).isEqualTo(expected.get("compat").asInt());
            assertThat(header.features().incompat()).isEqualTo(expected.get("incompat").asInt());
            assertThat(header.poolsetUuid()).hasToString(expected.get("poolset_uuid").asText());
            assertThat(header.uuid()).hasToString(expected.get("uuid").asText());
            PoolHeader.Links links = header.links();
            assertThat(links.previousPart()).hasToString(expected.get("prev_part_uuid").asText());
            assertThat(links.nextPart()).hasToString(expected.get("next_part_uuid").asText());
            assertThat(links.previousReplica())
                    .hasToString(expected.get("prev_repl_uuid").asText());
            assertThat(links.nextReplica()).hasToString(expected.get("next_repl_uuid").asText());
            assertThat(header.creationSeconds()).isEqualTo(expected.get("crtime").asLong());
            assertThat(header.storedChecksum()).isEqualTo(hex(expected.get("checksum")));
            JsonNode state = expected.get("sds");
            assertThat(header.shutdownState().isDirty()).isEqualTo(state.get("dirty").asInt() == 1);
            assertThat(header.shutdownState().checksumMatches())
                    .isEqualTo(state.get("checksum_ok").asBoolean());
        }
    }

    private static void assertDescriptor(PoolFiles files, JsonNode facts) {
        JsonNode expected = facts.get("before_open").get("descriptor");
        Descriptor descriptor = new Descriptor(files.memory());
        assertThat(files.layout()).isEqualTo(expected.get("layout").asText());
        assertThat(descriptor.lanesOffset()).isEqualTo(expected.get("lanes_offset").asLong());
        assertThat(descriptor.laneCount()).isEqualTo(expected.get("nlanes").asLong());
        assertThat(descriptor.heapOffset()).isEqualTo(expected.get("heap_offset").asLong());
        assertThat(descriptor.rootOffset()).isEqualTo(expected.get("root_offset").asLong());
        assertThat(descriptor.rootSize()).isEqualTo(expected.get("root_size").asLong());
        assertThat(descriptor.runId()).isEqualTo(expected.get("run_id").asLong());
        assertThat(descriptor.heapSize()).isEqualTo(expected.get("heap_size").asLong());
        assertThat(files.poolId()).isEqualTo(hex(facts.get("before_open").get("uuid_lo")));
        if (facts.has("pool_size")) {
            assertThat(files.memory().size()).isEqualTo(facts.get("pool_size").asLong());
        }
    }

    private static void assertUnchanged(GoldenVectors vector) throws IOException {
        List<Long> expected = new ArrayList<>();
        List<Long> found = new ArrayList<>();
        for (int i = 0; i < vector.parts().size(); i++) {
            expected.add(
                    Long.parseLong(vector.facts().get("files").get(i).get("crc32").asText(), 16));
            CRC32 crc = new CRC32();
            crc.update(Files.readAllBytes(vector.parts().get(i)));
            found.add(crc.getValue());
        }
        assertThat(found).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("names")
    void openingAndClosingLeavesAPoolThatOpensAgain(String name) {
        GoldenVectors vector = GoldenVectors.unpack(name, directory);
        String layout = vector.facts().get("before_open").get("descriptor").get("layout").asText();

        for (int round = 0; round < 2; round++) {
            try (PoolFiles files =
                    PoolFiles.open(PoolSource.of(vector.pool()), layout, ContentCheck.NONE)) {
                assertThat(new PoolHeader(files.memory().image().asSlice(0, PoolHeader.SIZE)))
                        .matches(header -> header.shutdownState().isDirty());
            }
        }
    }

    private static long hex(JsonNode text) {
        return Long.parseUnsignedLong(text.asText().substring(2), 16);
    }
}
