package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.availability.StoredPool;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Presence;
import io.farheap.it.support.Machines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code farheap place} as a process, with agents that say what is free, and a real etcd. */
@Timeout(180)
class PlacedPoolsTest {
    private static final Duration TTL = Duration.ofMinutes(5);

    @TempDir private Path directory;
    private final Machines machines = Machines.with("a", "b", "c", "d");
    private Path file;

    private record Said(int exitCode, String out, String err) {}

    /** Each in a zone of its own; nobody reaches d. */
    @BeforeEach
    void writeFile() {
        List<String> entries = new ArrayList<>();
        for (String name : List.of("a", "b", "c", "d")) {
            machines.poolSet(name, "room.set", "10M");
            entries.add(
                    """
                    {"address": "%1$s", "directory": "%2$s", "labels": {"zone": "z%1$s"},
                     "inspect": "room.set"}"""
                            .formatted(name, machines.machine(name)));
        }
        machines.takeDown("d");
        file =
                machines.write(
                        machines.here().resolve("machines.json"),
                        "{\"machines\": [" + String.join(",\n", entries) + "]}");
    }

    @AfterEach
    void end() {
        machines.close();
    }

    private Said place(String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of("place", "--machines", file.toString()));
        words.addAll(List.of("--spread=zone", "--margin=1M"));
        words.addAll(List.of(arguments));
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        int exitCode =
                machines.farheap(words.toArray(String[]::new))
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start()
                        .waitFor();
        return new Said(exitCode, Files.readString(out), Files.readString(err));
    }

    @Test
    void agentsSayWhatIsFree() throws Exception {
        Said said = place("--copies=3", "--size=10M", "--json", "bank");

        assertThat(said.err()).isEmpty();
        assertThat(said.exitCode()).isZero();
        JsonNode pool = JsonMapper.builder().build().readTree(said.out()).path("pools").path(0);
        long free = Files.getFileStore(machines.machine("a")).getUsableSpace();
        for (JsonNode copy : pool.path("copies")) {
            assertThat(copy.path("node").asText()).isIn("a", "b", "c");
            assertThat(copy.path("room").asLong()).isBetween(free / 2, 2 * free);
        }
        assertThat(pool.path("copies").size()).isEqualTo(3);
        assertThat(pool.path("leftOut").path(0).path("why").asText())
                .startsWith("its agent does not answer: ");

        Said large = place("--copies=3", "--size=7000P", "bank");
        assertThat(large.exitCode()).isEqualTo(3);
        assertThat(large.err())
                .startsWith("farheap: bank: no place for 3 copies (each of another zone)")
                .contains("no machine can have one", "a: ", " are free, and a copy takes");
    }

    @Test
    void poolsOfAStoreAreMovedStepByStep() throws Exception {
        ThreeEtcds etcd = ThreeEtcds.start(directory);
        try (Coordinator store = etcd.connect()) {
            pool(store, "stays", List.of("a", "b"), List.of("a", "b"));
            pool(store, "moves", List.of("a", "b", "gone"), List.of("a", "b", "gone"));
            pool(store, "degraded", List.of("a"), List.of("a", "gone"));
            pool(store, "unseen", List.of("b", "d"), List.of("b", "d"));

            Said said = place("--size=10M", "--store", etcd.address());
            assertThat(said.err()).isEmpty();
            assertThat(said.exitCode()).isEqualTo(5);
            assertThat(said.out().lines())
                    .anyMatch(
                            line ->
                                    line.startsWith(
                                            "degraded: nothing is proposed: commits do without the"
                                                    + " copy of gone: wait until"))
                    .containsSequence(
                            "moves: a writes",
                            "  comes: c, zone zc",
                            "  leaves: gone: it is none of the machines")
                    .containsSequence(
                            "  2. on a: add to moves.set",
                            "       REPLICA c moves-copy.set",
                            "       farheap reload moves.set")
                    .contains(
                            "       farheap ha status --pool moves --store " + etcd.address(),
                            "pools: 4, with something to do: 1, without a proposal: 2")
                    .anyMatch(
                            line ->
                                    line.startsWith(
                                            "unseen: nothing is proposed: the agent of d does not"
                                                    + " answer: "))
                    .noneMatch(line -> line.startsWith("stays"));

            Said one = place("--size=10M", "--json", "--store", etcd.address(), "stays");
            assertThat(one.exitCode()).isZero();
            JsonNode pools = JsonMapper.builder().build().readTree(one.out()).path("pools");
            assertThat(pools.size()).isEqualTo(1);
            assertThat(pools.path(0).path("steps").isEmpty()).isTrue();
            assertThat(pools.path(0).path("noProposal").isNull()).isTrue();

            Said moved = place("--size=10M", "--json", "--store", etcd.address(), "moves");
            JsonNode comes =
                    JsonMapper.builder()
                            .build()
                            .readTree(moved.out())
                            .path("pools")
                            .path(0)
                            .path("comes")
                            .path(0);
            assertThat(comes.path("partFile").asText())
                    .isEqualTo(machines.machine("c") + "/moves.part0");
            assertThat(comes.has("partLine")).as("the size is the pool's").isFalse();

            Said none = place("--size=10M", "--store", etcd.address(), "nowhere");
            assertThat(none.exitCode()).isEqualTo(2);
            assertThat(none.err()).contains("no record of a pool nowhere in cluster main");
        } finally {
            etcd.close();
        }
    }

    private static void pool(Coordinator store, String name, List<String> set, List<String> nodes) {
        StoredPool pool = new StoredPool(store, "main", name);
        String writer = set.get(0);
        pool.putRecord(StoredPool.record(7, writer, new TreeSet<>(set), 12));
        pool.putOrders("{\"format\":1,\"paused\":false}");
        List<Presence> unused = new ArrayList<>();
        unused.add(pool.announce(writer, 7, 1790000000, new TreeSet<>(nodes), 1, TTL));
        set.stream().skip(1).forEach(node -> unused.add(pool.await(node, TTL)));
    }
}
