package io.farheap.it.failover;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.farheap.availability.StoredPool;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Presence;
import io.farheap.it.support.Machines;
import io.farheap.it.support.Ran;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code farheap pools} as a process, with a real etcd that has hundreds of pools: more keys than
 * one page.
 */
@Timeout(120)
class PoolsCommandTest {
    private static final int POOLS = 300;

    /** The others have no writer. */
    private static final int WRITTEN = 10;

    private static final int CONCERNED = POOLS - WRITTEN + 2;
    private static final Duration TTL = Duration.ofMinutes(5);

    @TempDir private static Path directory;
    private static ThreeEtcds etcd;
    private static Coordinator store;

    private final Machines machines = Machines.with();

    @BeforeAll
    static void startStore() throws IOException {
        etcd = ThreeEtcds.start(directory);
        store = etcd.connect();
        for (int i = 0; i < POOLS; i++) {
            StoredPool pool = new StoredPool(store, "main", String.format("p%03d", i));
            record(pool, "a", "b", "c");
            pool.putOrders("{\"format\":1,\"paused\":false}");
            if (i < WRITTEN && i % 2 == 0) {
                leads(pool);
            } else if (i < WRITTEN) {
                Presence unused = pool.announce("a", 7, TTL);
            }
        }
        StoredPool damaged = new StoredPool(store, "main", "damaged");
        damaged.putRecord("x".repeat(1 << 20).getBytes(UTF_8));
        StoredPool small = new StoredPool(store, "east", "small");
        record(small, "a", "b");
        leads(small);
        small.putOrders("{\"format\":1,\"paused\":true,\"to\":\"b\"}");
    }

    @AfterAll
    static void endStore() throws InterruptedException {
        if (store != null) {
            store.close();
            etcd.close();
        }
    }

    @AfterEach
    void end() {
        machines.close();
    }

    private static void record(StoredPool pool, String... set) {
        pool.putRecord(StoredPool.record(7, "a", Set.of(set), 12));
    }

    private static void leads(StoredPool pool) {
        Presence unused = pool.announce("a", 7, 1790000000, Set.of("a", "b", "c"), 2, TTL);
    }

    private Ran pools(String... arguments) {
        List<String> words = new ArrayList<>(List.of("pools"));
        words.addAll(List.of(arguments));
        return Ran.of(machines.farheap(words.toArray(String[]::new)));
    }

    @Test
    void everyPoolIsALineAndWhatWantsAttentionIsSaidBelowIt() throws Exception {
        Ran said = pools(etcd.address());

        assertThat(said.err()).isEmpty();
        assertThat(said.exitCode()).isEqualTo(5);
        List<String> lines = said.out().lines().map(line -> line.replaceAll(" +", " ")).toList();
        assertThat(lines)
                .startsWith("CLUSTER POOL WRITER TERM SINCE COPIES LEAST TAKE-OVERS STATE")
                .endsWith("pools: 302, wanting attention: " + CONCERNED)
                .containsSequence(
                        "east small a 7 2026-09-21T14:13:20Z 2 of 3: a b 2 paused, to b degraded",
                        " commits do without the copy of c",
                        " take-overs are paused: farheap ha resume lets them go on",
                        " a switch-over to b is asked for")
                .contains("main p000 a 7 2026-09-21T14:13:20Z 3 of 3: a b c 2 automatic whole")
                .contains("main p009 a 7 unknown 3 of unknown: a b c unknown automatic unknown")
                .containsSequence(
                        "main p299 nobody 7 - 3 of unknown: a b c unknown automatic unknown",
                        " nobody is announced as the writer; no program of a, b, c waits for its"
                                + " turn")
                .contains("main damaged nobody unknown - unknown unknown automatic unknown")
                .anyMatch(line -> line.contains("main/pools/damaged/record in the store can't be"))
                .hasSize(1 + 302 + 3 + 2 + (POOLS - WRITTEN) + 1);
    }

    @Test
    void whatWantsAttentionIsShownAlone() throws Exception {
        Ran said = pools("--degraded", "--json", etcd.address());

        assertThat(said.exitCode()).isEqualTo(5);
        JsonNode object = JsonMapper.builder().build().readTree(said.out());
        assertThat(object.path("poolsInStore").asInt()).isEqualTo(302);
        assertThat(object.path("poolsWantingAttention").asInt()).isEqualTo(CONCERNED);
        assertThat(object.path("pools").valueStream().map(pool -> pool.path("pool").asText()))
                .hasSize(CONCERNED)
                .startsWith("small", "damaged", "p010")
                .doesNotContain("p000", "p009");
        JsonNode small = object.path("pools").path(0);
        assertThat(small.path("degraded").asBoolean()).isTrue();
        assertThat(small.path("nodes").size()).isEqualTo(3);
        assertThat(small.path("minCopies").asInt()).isEqualTo(2);
        assertThat(small.path("ordered").asText()).isEqualTo("b");
        assertThat(small.path("attention").size()).isEqualTo(3);
        JsonNode damaged = object.path("pools").path(1);
        assertThat(damaged.path("term").isNull()).isTrue();
        assertThat(damaged.path("set").isNull()).isTrue();
        assertThat(damaged.path("degraded").isNull()).isTrue();
    }

    @Test
    void loadBalancersAreAnsweredUntilItIsEnded() throws Exception {
        Path out = directory.resolve("listening");
        Process process =
                machines.farheap("pools", "--listen=127.0.0.1:0", "--node=a", etcd.address())
                        .redirectOutput(out.toFile())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (HttpClient client = HttpClient.newHttpClient()) {
            await().until(() -> Files.readString(out).contains("Listening on 127.0.0.1 port "));
            String pools =
                    "http://127.0.0.1:"
                            + Files.readString(out).replaceAll("\\D*127.0.0.1\\D*(\\d+)\\D*", "$1")
                            + "/v1/pools/";
            await().until(() -> status(client, pools + "p000/is-writer") == 200);
            assertThat(status(client, pools + "p000/is-writer?node=b")).isEqualTo(503);
            assertThat(status(client, pools + "p299/writer")).isEqualTo(503);
            assertThat(status(client, pools + "small/writer"))
                    .as("of another cluster")
                    .isEqualTo(404);
        } finally {
            process.destroy();
            process.waitFor();
        }
        Ran said = pools("--node=a", etcd.address());
        assertThat(said.exitCode()).isEqualTo(2);
        assertThat(said.err()).contains("--node is for --listen");
    }

    private static int status(HttpClient client, String uri) throws Exception {
        return client.send(
                        HttpRequest.newBuilder(URI.create(uri)).build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    void aClusterWithoutPoolsWantsNoAttention() throws Exception {
        Ran said = pools("--cluster=west", etcd.address());
        assertThat(said.exitCode()).isZero();
        assertThat(said.out()).isEqualTo("the store has no record of a pool in cluster west\n");
    }

    @Test
    void aStoreThatIsNotThereIsOneSentence() throws Exception {
        Ran said = pools("etcd:http://127.0.0.1:1");
        assertThat(said.exitCode()).isEqualTo(3);
        assertThat(said.err().lines()).hasSize(1);
        assertThat(said.err())
                .startsWith("farheap: etcd does not answer (http://127.0.0.1:1: can't");
        assertThat(pools("consul:e").err()).startsWith("farheap: \"consul:e\" names no store");
    }
}
