package io.farheap.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.poolset.PoolSet;
import io.farheap.poolset.PoolSetParser;
import io.farheap.poolset.PoolSetRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** New pools; nobody is asked, since the file says what is free. */
class PlaceCommandTest {
    @TempDir private Path dir;
    private Path machines;

    @BeforeEach
    void writeMachines() throws IOException {
        machines =
                Files.writeString(
                        dir.resolve("machines.json"),
                        """
                        {"machines": [
                          {"address": "a", "directory": "/srv/pools", "labels": {"zone": "east"}, "room": "100G"},
                          {"address": "ada@b:2222", "directory": "/srv/pools", "poolsets": "sets",
                           "labels": {"zone": "west", "rack": "w1"}, "room": "100G"},
                          {"address": "c", "directory": "/mnt/c", "labels": {"zone": "north"}, "weight": 100},
                          {"address": "d", "directory": "/srv/pools", "labels": {"zone": "south"}, "room": "10G"},
                          {"address": "e", "directory": "/srv/pools", "labels": {"zone": "off"}}
                        ]}
                        """);
    }

    private Run place(String... more) {
        List<Object> words = new ArrayList<>(List.of("place", "--machines", machines));
        words.addAll(List.of(more));
        return Run.farheap(words.toArray());
    }

    @Test
    void theLinesOfEachMachineArePrinted() {
        Run run = place("--copies=3", "--spread=zone", "--size=10G", "bank").succeeded();

        assertThat(run.out().lines())
                .startsWith("bank: 3 copies (each of another zone)")
                .containsSequence(
                        "    10G /srv/pools/bank.part0",
                        "    REPLICA ada@b:2222 sets/bank-copy.set")
                .containsSequence("    10G /mnt/c/bank.part0", "    REPLICA c bank-copy.set")
                .containsOnlyOnce(
                        "  left out: d: 10.0 GiB are free, and a copy takes 11.0 GiB with the margin",
                        "  left out: e: how much is free there is not known, and it has no weight");
        assertThat(run.out()).containsOnlyOnce("; writes first").contains("b, rack w1, zone west");
        assertThat(place("--copies=3", "--spread=zone", "--size=10G", "bank")).isEqualTo(run);
    }

    @Test
    void programsGetTheSame() throws IOException {
        Run run = place("--copies=3", "--spread=zone", "--size=10G", "--json", "bank", "cards");

        JsonNode pools = JsonMapper.builder().build().readTree(run.succeeded().out()).path("pools");
        assertThat(pools.valueStream().map(pool -> pool.path("pool").asText()))
                .containsExactly("bank", "cards");
        JsonNode bank = pools.path(0);
        assertThat(bank.path("writer")).isEqualTo(bank.path("copies").path(0).path("node"));
        assertThat(bank.path("copies").valueStream().map(copy -> copy.path("node").asText()))
                .containsExactlyInAnyOrder("a", "b", "c");
        assertThat(bank.path("leftOut").valueStream().map(left -> left.path("node").asText()))
                .containsExactly("d", "e");
    }

    @Test
    void theFileSaysInWhatCopiesDiffer() throws IOException {
        Files.writeString(
                machines,
                Files.readString(machines)
                        .replace("{\"machines\"", "{\"spread\": \"rack\", \"machines\""));
        place("--copies=2", "--size=1G", "bank")
                .failedWith(ExitCode.WRONG_USE, "for 2 copies (each of another rack) there are 1");
        assertThat(place("--copies=2", "--size=1G", "--spread=zone", "bank").succeeded().out())
                .contains("2 copies (each of another zone)");
    }

    /** As somebody pastes them. */
    @Test
    void theLinesMakePoolsetFiles() throws IOException {
        Run run = place("--copies=3", "--spread=zone", "--size=10G", "--json", "bank");
        JsonNode copies =
                JsonMapper.builder()
                        .build()
                        .readTree(run.out())
                        .path("pools")
                        .path(0)
                        .path("copies");
        StringBuilder pool = new StringBuilder("PMEMPOOLSET\n");
        pool.append(copies.path(0).path("partLine").asText()).append('\n');
        for (int i = 1; i < 3; i++) {
            pool.append(copies.path(i).path("replicaLine").asText()).append('\n');
            assertThat(copies.path(i).path("replicaLine").asText())
                    .endsWith(" " + copies.path(i).path("copyFile").asText());
        }

        PoolSet set = PoolSetParser.parse(Files.writeString(dir.resolve("bank.set"), pool));
        PoolSetRules.checkLocal(set);
        assertThat(set.remoteReplicas()).hasSize(2);
        assertThat(set.poolSize()).isEqualTo(10L << 30);
    }

    @Test
    void thereIsNeverACopyLess() {
        Run zones = place("--copies=6", "--spread=zone", "--size=1G", "bank");
        zones.failedWith(
                ExitCode.WRONG_USE,
                "for 6 copies (each of another zone) there are 5 zones (east, north, off, south,"
                        + " west)");
        assertThat(zones.out()).isEmpty();
        Run room = place("--copies=4", "--spread=zone", "--size=10G", "bank");
        room.failedWith(
                ExitCode.ENVIRONMENT,
                "bank: no place for 4 copies (each of another zone): zones that can have one: 3"
                        + " (east, north, west); d: 10.0 GiB are free",
                "nothing is placed");
        assertThat(room.out()).isEmpty();
        place("--copies=4", "--spread=zone", "--size=10G", "--margin=64M", "bank")
                .failedWith(ExitCode.ENVIRONMENT, "10.1 GiB with the margin");
        place("--copies=4", "--spread=zone", "--size=8G", "bank").succeeded();
    }

    @Test
    void wrongWordsAreSentences() throws IOException {
        place("--copies=2", "--size=1G").failedWith(ExitCode.WRONG_USE, "Say --copies and");
        place("--size=1G", "bank").failedWith(ExitCode.WRONG_USE, "Say --copies and");
        place("--copies=0", "--size=1G", "bank").failedWith(ExitCode.WRONG_USE, "1 at least");
        place("--copies=1", "--size=1G", "a/b").failedWith(ExitCode.WRONG_USE, "\"a/b\" can't be");
        place("--copies=1", "--size=1G", "p", "p").failedWith(ExitCode.WRONG_USE, "named twice");
        place("--size=1G", "--spread=zone", "--store=here")
                .failedWith(ExitCode.WRONG_USE, "\"here\" names no store");
        place("--size=1G", "--spread=zone", "--store=etcd:http://127.0.0.1:1")
                .failedWith(ExitCode.ENVIRONMENT, "etcd does not answer");
        place("--copies=2", "--size=1G", "bank")
                .failedWith(
                        ExitCode.WRONG_USE,
                        "say --spread rack or --spread zone; or --spread none, for any two");
        assertThat(place("--copies=2", "--size=1G", "--spread=none", "bank").succeeded().out())
                .contains("2 copies (each on another machine)");
        machines = dir.resolve("no.json");
        place("--copies=1", "--size=1G", "bank")
                .failedWith(ExitCode.ENVIRONMENT, "no.json: No such file or directory");
        machines = Files.writeString(dir.resolve("bad.json"), "{");
        place("--copies=1", "--size=1G", "bank").failedWith(ExitCode.BAD_DATA, "bad.json: line 1");
    }
}
