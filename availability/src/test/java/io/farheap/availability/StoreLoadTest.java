package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.etcd.EtcdProcesses;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What pools cost their store, as etcd's own counters say: requests in the steady state, bytes, and
 * a listing of many. Prints the figures of docs/high-availability.md#many-pools.
 */
@Tag("deep")
@Timeout(300)
class StoreLoadTest {
    private static final int POOLS = 5;
    private static final int MANY = 10_000;
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Duration WINDOW = TTL.multipliedBy(4);
    private static final TreeSet<String> SET = new TreeSet<>(List.of("a", "b", "c"));
    private static final Pattern REQUESTS =
            Pattern.compile(
                    "grpc_server_handled_total\\{grpc_code=\"OK\",grpc_method=\"(?:Range|Txn|"
                            + "LeaseKeepAlive|LeaseGrant|LeaseRevoke)\".*\\} ([0-9.e+]+)");

    @TempDir private Path directory;
    private EtcdProcesses etcd;
    private Coordinator store;
    private final HttpClient http = HttpClient.newHttpClient();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Leadership<AutoCloseable>> turns = new ArrayList<>();
    private final BlockingQueue<String> waiting = new LinkedBlockingQueue<>();

    @BeforeEach
    void start() throws IOException {
        etcd = EtcdProcesses.start(directory);
        store = etcd.connect(Duration.ofSeconds(6));
    }

    @AfterEach
    void end() throws InterruptedException {
        threads.shutdownNow();
        assertThat(threads.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        turns.forEach(Leadership::close);
        if (store != null) {
            store.close();
            etcd.close();
        }
    }

    private String address() {
        return "etcd:"
                + etcd.endpoints().stream().map(URI::toString).collect(Collectors.joining(","));
    }

    private static PoolKeys keys(int pool) {
        return new PoolKeys("main", "pool-" + pool);
    }

    private static byte[] recorded() {
        return ClusterRecordCodec.encode(
                new ClusterRecord(7, "a", SET, 1790000000000L, 0, "0".repeat(32)));
    }

    private static Lead writer() {
        return Lead.of("a")
                .with(7, "https://a.example.org:8443")
                .with(new Lead.Turn(Instant.now().getEpochSecond(), SET, 2));
    }

    private void write(Coordinator client, int pool) {
        assertThat(client.compareAndSet(keys(pool).record(), 0, recorded()).outcome())
                .isEqualTo(Swap.Outcome.APPLIED);
    }

    private double requests() throws Exception {
        double all = 0;
        for (int port : etcd.clientPorts()) {
            URI metrics = URI.create("http://127.0.0.1:" + port + "/metrics");
            Matcher counter =
                    REQUESTS.matcher(
                            http.send(
                                            HttpRequest.newBuilder(metrics).build(),
                                            BodyHandlers.ofString())
                                    .body());
            while (counter.find()) {
                all += Double.parseDouble(counter.group(1));
            }
        }
        return all;
    }

    /** Of each of the pools, over some rounds of everything that is done from time to time. */
    private double requestsPerSecond() throws Exception {
        double before = requests();
        long begin = System.nanoTime();
        await().pollDelay(WINDOW).atMost(WINDOW.multipliedBy(2)).until(() -> true);
        double seconds = (System.nanoTime() - begin) / 1e9;
        return (requests() - before) / seconds / POOLS;
    }

    @Test
    void aPoolCostsAFewRequestsASecond() throws Exception {
        for (int pool = 0; pool < POOLS; pool++) {
            PoolKeys ofPool = keys(pool);
            write(store, pool);
            Coordinator own = StoreAddress.of(address()).withTtl(TTL).connect();
            Presence lead = own.announce(keys(pool).lead(), writer().encode(), TTL).orElseThrow();
            turns.add(
                    new Leadership<>(
                            () -> {},
                            writer(),
                            own,
                            keys(pool),
                            () -> readRecord(own, ofPool),
                            TTL,
                            lead,
                            Orders.NONE,
                            new WriterLoss(),
                            why -> {}));
        }
        double ofWriters = requestsPerSecond();
        for (int pool = 0; pool < POOLS; pool++) {
            waitsOn("b", pool);
        }
        for (int pool = 0; pool < POOLS; pool++) {
            assertThat(waiting.poll(30, TimeUnit.SECONDS)).isEqualTo("a writes");
        }
        double ofBoth = requestsPerSecond();
        System.out.printf(
                "requests a second and pool: %.2f of the writer, %.2f of a node that waits%n",
                ofWriters, ofBoth - ofWriters);
        assertThat(ofWriters).isBetween(0.5, 3.0);
        assertThat(ofBoth - ofWriters).isBetween(0.5, 3.0);
    }

    @Test
    void aLookAtOnePoolIsAFewRequests() throws Exception {
        write(store, 0);
        try (FailOverControl control = HighAvailability.of(address(), keys(0).pool()).control()) {
            double before = requests();
            assertThat(control.look().set()).containsExactly("a", "b", "c");
            double asked = requests() - before;
            before = requests();
            assertThat(control.lookForNames().set()).containsExactly("a", "b", "c");
            double askedForNames = requests() - before;
            System.out.printf(
                    "requests of one look at a pool of three nodes: %.0f, for names, too: %.0f%n",
                    asked, askedForNames);
            assertThat(asked).isEqualTo(6);
            assertThat(askedForNames).isEqualTo(7);
        }
    }

    private void waitsOn(String node, int pool) throws IOException {
        Path copy = directory.resolve(node + pool + ".set");
        HighAvailability there =
                HighAvailability.of(address(), keys(pool).pool())
                        .node(node)
                        .copy(Files.writeString(copy, "PMEMPOOLSET\n16M " + copy + ".part0\n"))
                        .onWaiting(waiting::add);
        Future<?> unused =
                threads.submit(
                        () -> {
                            there.awaitChance();
                            return null;
                        });
    }

    @Test
    void tenThousandPoolsAreListedInFewRequests() throws Exception {
        List<Future<?>> writing = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int first = i;
            writing.add(
                    threads.submit(
                            () -> {
                                for (int pool = first; pool < MANY; pool += 8) {
                                    write(store, pool);
                                }
                            }));
        }
        for (Future<?> one : writing) {
            one.get();
        }
        double before = requests();
        long begin = System.nanoTime();
        List<CataloguedPool> pools = PoolCatalogue.of(address()).look();
        long millis = (System.nanoTime() - begin) / 1_000_000;
        double asked = requests() - before;
        System.out.printf(
                "%,d pools listed in %,d ms with %.0f requests%n", pools.size(), millis, asked);
        assertThat(pools).hasSize(MANY);
        assertThat(asked).isEqualTo(MANY / 500.0);
    }

    private static Optional<ClusterRecord> readRecord(Coordinator store, PoolKeys keys) {
        return store.read(keys.record())
                .value()
                .map(value -> ClusterRecordCodec.decode(keys.record(), value));
    }

    @Test
    void whatThereIsOfAPoolIsAFewHundredBytes() {
        int record = recorded().length;
        int lead = writer().encode().length;
        int waits = Lead.of("b").encode().length;
        int key = keys(0).record().getBytes(StandardCharsets.UTF_8).length;
        System.out.printf(
                "bytes of three nodes' pool: record %d, announcement of the writer %d, of a node"
                        + " that waits %d, a key %d%n",
                record, lead, waits, key);
        assertThat(record + lead + waits).isLessThan(1000);
    }
}
