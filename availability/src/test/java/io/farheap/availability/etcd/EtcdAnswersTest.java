package io.farheap.availability.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreRefusedException;
import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Swap.Outcome;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.availability.coordinator.Watch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an answer of etcd's gateway means, and what none means; the endpoints are played. */
class EtcdAnswersTest {
    private static final Duration TTL = Duration.ofSeconds(5);
    private static final String HEADER = "\"header\":{\"cluster_id\":\"17\",\"revision\":\"42\"}";
    private static final String APPLIED = "{" + HEADER + ",\"succeeded\":true}";

    /** What is false is missing. */
    private static final String LOST = "{" + HEADER + "}";

    /** No answer, for as long as the test runs. */
    private static final String SILENCE = "";

    private final List<HttpServer> endpoints = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicInteger requests = new AtomicInteger();

    @AfterEach
    void stop() {
        ended.countDown();
        endpoints.forEach(endpoint -> endpoint.stop(0));
        threads.shutdownNow();
    }

    /** The first request of a JVM loads classes for longer than the bounds here allow. */
    @BeforeAll
    static void warmUp() throws IOException {
        EtcdAnswersTest played = new EtcdAnswersTest();
        try (Coordinator client = played.client(Duration.ofMinutes(5), 200, LOST)) {
            assertThat(swap(client)).isEqualTo(Swap.lost());
        } finally {
            played.stop();
        }
    }

    /** Each endpoint gives one answer to everything. */
    private Coordinator client(String... answers) throws IOException {
        return client(200, answers);
    }

    private Coordinator client(int status, String... answers) throws IOException {
        return client(TTL, status, answers);
    }

    private Coordinator client(Duration ttl, int status, String... answers) throws IOException {
        List<URI> uris = new ArrayList<>();
        for (String answer : answers) {
            HttpServer endpoint =
                    HttpServer.create(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            endpoint.setExecutor(threads);
            endpoint.createContext("/", exchange -> answer(exchange, status, answer));
            endpoint.start();
            endpoints.add(endpoint);
            uris.add(URI.create("http://127.0.0.1:" + endpoint.getAddress().getPort()));
        }
        return EtcdCoordinator.connect(EtcdSettings.of(uris, ttl));
    }

    private void answer(HttpExchange exchange, int status, String answer) throws IOException {
        requests.incrementAndGet();
        try (exchange) {
            if (answer.equals(SILENCE)) {
                ended.await();
                return;
            }
            byte[] body = answer.getBytes(UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Swap swap(Coordinator client) {
        return client.compareAndSet("k", 3, new byte[] {1});
    }

    @Test
    void noAnswerIsUnknownAndHasABound() throws IOException {
        try (Coordinator client = client(SILENCE, SILENCE)) {
            long begin = System.nanoTime();
            assertThat(swap(client)).isEqualTo(Swap.unknown());
            Duration waited = Duration.ofNanos(System.nanoTime() - begin);

            // A sixth of the ttl each; the rest is for a machine that is busy.
            assertThat(waited).isBetween(TTL.dividedBy(6).multipliedBy(2), TTL);
            assertThat(requests).hasValue(2);
        }
    }

    /** The first may have been carried out: that is what the second sees. */
    @Test
    void anotherVersionBehindNoAnswerIsUnknown() throws IOException {
        try (Coordinator client = client(SILENCE, LOST)) {
            assertThat(swap(client)).isEqualTo(Swap.unknown());
        }
    }

    /** The version has moved: the first can't be carried out any more. */
    @Test
    void appliedBehindNoAnswerIsApplied() throws IOException {
        try (Coordinator client = client(SILENCE, APPLIED)) {
            Swap swap = swap(client);
            assertThat(swap.outcome()).isEqualTo(Outcome.APPLIED);
            assertThat(swap.version()).isEqualTo(42);
            assertThat(swap.stamp().identity()).isEqualTo("17");
        }
    }

    @Test
    void whoAnsweredLastIsAskedFirst() throws IOException {
        try (Coordinator client = client(SILENCE, LOST)) {
            assertThat(swap(client)).isEqualTo(Swap.unknown());
            assertThat(swap(client)).isEqualTo(Swap.lost());
            assertThat(requests).hasValue(3);
        }
    }

    /** An endpoint that is not there has not got the request. */
    @Test
    void anotherVersionBehindNoConnectionIsLost() throws IOException {
        try (Coordinator client = client(LOST, LOST)) {
            endpoints.get(0).stop(0);
            assertThat(swap(client)).isEqualTo(Swap.lost());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 10, 13, 14, 15, 99})
    void anErrorThatLeavesItOpenIsUnknown(int code) throws IOException {
        String error = "{\"error\":\"etcdserver: no leader\",\"code\":" + code + "}";
        try (Coordinator client = client(503, error, error)) {
            assertThat(swap(client)).isEqualTo(Swap.unknown());
            assertThatThrownBy(() -> client.read("k"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("etcdserver: no leader (code " + code + ")");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5, 7, 8, 9, 11, 16})
    void anErrorThatRefusesIsTold(int code) throws IOException {
        String error = "{\"error\":\"etcdserver: no\",\"code\":" + code + "}";
        try (Coordinator client = client(400, error)) {
            assertThatThrownBy(() -> swap(client))
                    .isInstanceOf(StoreRefusedException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageStartingWith("etcd at http://127.0.0.1:")
                    .hasMessageContaining("etcdserver: no (code " + code + ")");
        }
    }

    /** The second refuses its own request, not the first one's. */
    @Test
    void aRefusalBehindNoAnswerIsUnknown() throws IOException {
        try (Coordinator client = client(SILENCE, "{\"error\":\"permission denied\",\"code\":7}")) {
            assertThat(swap(client)).isEqualTo(Swap.unknown());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200 | [1]",
                "200 | {}",
                "200 | {\"succeeded\":true}",
                "200 | {\"header\":{\"cluster_id\":\"1\",\"revision\":\"x\"},\"succeeded\":true}",
                "200 | {\"succeeded\":",
                "502 | <html>bad gateway</html>",
                "503 | {\"message\":\"later\"}"
            })
    void whatIsNoAnswerOfEtcdIsUnknown(int status, String answer) throws IOException {
        try (Coordinator client = client(status, answer)) {
            assertThat(swap(client)).isEqualTo(Swap.unknown());
            assertThatThrownBy(() -> client.read("k"))
                    .isInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void numbersBeyondThoseOfJavaScriptAreExact() throws IOException {
        try (Coordinator client =
                client(
                        """
                        {"header":{"cluster_id":"18446744073709551615","revision":"9007199254740993"},
                         "kvs":[{"key":"aw==","mod_revision":"9007199254740993","value":"AQI="}]}
                        """)) {
            Versioned read = client.read("k");
            assertThat(read.version()).isEqualTo(9007199254740993L);
            assertThat(read.stamp().identity()).isEqualTo("18446744073709551615");
            assertThat(read.value()).contains(new byte[] {1, 2});
        }
    }

    @Test
    void aValueWithoutBytesHasNoField() throws IOException {
        try (Coordinator client =
                client("{" + HEADER + ",\"kvs\":[{\"key\":\"aw==\",\"mod_revision\":\"7\"}]}")) {
            assertThat(client.read("k").value().orElseThrow()).isEmpty();
            assertThat(client.read("k").version()).isEqualTo(7);
        }
    }

    /** A token helps; there is none: it is told, not asked for ever. */
    @Test
    void anInvalidTokenWithoutALoginIsRefused() throws IOException {
        try (Coordinator client =
                client(401, "{\"error\":\"etcdserver: invalid auth token\",\"code\":16}")) {
            assertThatThrownBy(() -> client.read("k"))
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("invalid auth token");
            assertThat(requests).hasValue(1);
        }
    }

    /** What is there is read all the same: the stream is only a hint. */
    @Test
    void whoWatchesIsCalledThoughNoStreamCanBeOpened() throws IOException {
        AtomicInteger calls = new AtomicInteger();
        client("{\"token\":\"no\\nheader\"}").close();
        URI uri = URI.create("http://127.0.0.1:" + endpoints.get(0).getAddress().getPort());
        StoreSettings.Login login = new StoreSettings.Login("user", "password");
        EtcdSettings settings =
                new EtcdSettings(List.of(uri), TTL, Optional.empty(), Optional.of(login));
        try (Coordinator client = EtcdCoordinator.connect(settings)) {
            assertThatThrownBy(() -> client.read("k")).isInstanceOf(RuntimeException.class);
            try (Watch unused = client.watch("k", calls::incrementAndGet)) {
                await().until(() -> calls.get() > 0);
            }
        }
    }
}
