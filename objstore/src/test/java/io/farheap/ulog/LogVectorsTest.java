package io.farheap.ulog;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.farheap.heap.Heap;
import io.farheap.heap.HeapLogSpace;
import io.farheap.heap.HeapStores;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.testing.CrashSimulation;
import io.farheap.testing.GoldenVectors;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Logs that libpmemobj 1.12.1 left behind, and what they are after its recovery and after ours. */
class LogVectorsTest {
    @TempDir Path directory;

    /** Pools of one file: the file is the image. */
    static Stream<String> singleFilePools() {
        return GoldenVectors.names().stream().filter(name -> !name.startsWith("set-"));
    }

    @ParameterizedTest
    @MethodSource("singleFilePools")
    void theLogsAreReadAndRecoveredAsTheCLibraryDoes(String name) throws IOException {
        GoldenVectors vector = GoldenVectors.unpack(name, directory);
        PoolMemory memory = load(vector).memory();
        assertThat(found(memory)).isEqualTo(expected(vector.facts().get("before_open")));

        recoverAll(memory);
        assertThat(found(memory)).isEqualTo(expected(vector.facts().get("after_open")));

        CrashSimulation again = new CrashSimulation(memory.image());
        LaneRecovery recovery = recoverAll(again.memory());
        assertThat(again.flushes() + again.fences()).as("stores of a second recovery").isZero();

        recovery.releaseExtensions(space(again.memory()));
        assertThat(new LaneInspection(new LaneArea(again.memory())).notFresh())
                .allMatch(log -> log.extensions().isEmpty() && !log.needsRecovery());
    }

    private static CrashSimulation load(GoldenVectors vector) throws IOException {
        return new CrashSimulation(MemorySegment.ofArray(Files.readAllBytes(vector.pool())));
    }

    private static LaneRecovery recoverAll(PoolMemory memory) {
        LaneRecovery recovery = new LaneRecovery(new LaneArea(memory));
        recovery.recoverRedo();
        recovery.recoverUndo(space(memory));
        return recovery;
    }

    private static LogSpace space(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        return new HeapLogSpace(
                Heap.boot(
                        memory,
                        descriptor.heapOffset(),
                        descriptor.heapSize(),
                        HeapStores.local(memory)));
    }

    private static List<String> found(PoolMemory memory) {
        return new LaneInspection(new LaneArea(memory))
                .notFresh().stream().map(LogVectorsTest::describe).toList();
    }

    private static String describe(LogState log) {
        List<String> entries = new ArrayList<>();
        for (LogState.Entry entry : log.entries()) {
            String detail =
                    entry.operation().startsWith("BUF")
                            ? "size " + entry.length()
                            : "0x" + Long.toHexString(entry.value());
            entries.add(entry.operation() + " " + entry.target() + " " + detail);
        }
        return String.format(
                Locale.ROOT,
                "%d %s at %d: 0x%016x capacity %d gen_num %d flags %d next %s %s",
                log.lane(),
                log.kind().name().toLowerCase(Locale.ROOT),
                log.offset(),
                log.checksum(),
                log.capacity(),
                log.genNum(),
                log.flags(),
                log.extensions(),
                entries);
    }

    private static List<String> expected(JsonNode facts) {
        List<String> logs = new ArrayList<>();
        for (JsonNode lane : facts.path("lanes_not_fresh")) {
            for (LogState.Kind kind : LogState.Kind.values()) {
                String name = kind.name().toLowerCase(Locale.ROOT);
                if (lane.has(name)) {
                    logs.add(describe(lane.get("lane").asInt(), name, lane.get(name)));
                }
            }
        }
        return logs;
    }

    private static String describe(int lane, String kind, JsonNode log) {
        List<String> entries = new ArrayList<>();
        for (JsonNode entry : log.path("entries")) {
            String detail =
                    entry.has("size")
                            ? "size " + entry.get("size").asLong()
                            : entry.get("value").asText();
            entries.add(entry.get("op").asText() + " " + entry.get("dst").asLong() + " " + detail);
        }
        List<Long> next = new ArrayList<>();
        log.get("next").forEach(offset -> next.add(offset.asLong()));
        return String.format(
                Locale.ROOT,
                "%d %s at %d: %s capacity %d gen_num %d flags %d next %s %s",
                lane,
                kind,
                log.get("offset").asLong(),
                log.get("checksum").asText(),
                log.get("capacity").asLong(),
                log.get("gen_num").asLong(),
                log.get("flags").asLong(),
                next,
                entries);
    }
}
