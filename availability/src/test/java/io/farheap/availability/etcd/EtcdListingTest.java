package io.farheap.availability.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Listed;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is asked for page by page, of an endpoint that is played. */
class EtcdListingTest {
    private static final String COMPACTED =
            "{\"error\":\"etcdserver: mvcc: required revision has been compacted\",\"code\":11}";

    private final Deque<String> answers = new ArrayDeque<>();
    private final List<String> asked = new ArrayList<>();
    private HttpServer endpoint;
    private Coordinator client;

    @BeforeEach
    void start() throws IOException {
        endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        endpoint.createContext("/v3/kv/range", this::answer);
        endpoint.start();
        URI uri = URI.create("http://127.0.0.1:" + endpoint.getAddress().getPort());
        client = EtcdCoordinator.connect(EtcdSettings.of(List.of(uri), Duration.ofMinutes(5)));
    }

    @AfterEach
    void stop() {
        client.close();
        endpoint.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            JsonNode request = EtcdTransport.JSON.readTree(exchange.getRequestBody());
            String from =
                    new String(Base64.getDecoder().decode(request.get("key").asText()), UTF_8);
            asked.add(
                    String.join(
                            " ",
                            from.replace("\0", "+"),
                            request.get("limit").asText(),
                            request.get("revision").asText()));
            byte[] body = answers.remove().getBytes(UTF_8);
            exchange.sendResponseHeaders(body[2] == 'e' ? 400 : 200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static String page(long revision, boolean more, String... keys) {
        List<String> found =
                Arrays.stream(keys)
                        .map(key -> Base64.getEncoder().encodeToString(key.getBytes(UTF_8)))
                        .map(key -> "{\"key\":\"" + key + "\",\"value\":\"AQ==\"}")
                        .toList();
        return String.format(
                "{\"header\":{\"cluster_id\":\"17\",\"revision\":\"%d\"},\"kvs\":[%s],\"more\":%s}",
                revision, String.join(",", found), more);
    }

    private List<String> keys() {
        return client.list("p/").keys().stream().map(Listed::key).toList();
    }

    @Test
    void eachPageBeginsBehindTheLastAndIsOfTheFirstsRevision() {
        answers.add(page(42, true, "p/a", "p/b"));
        answers.add(page(50, true, "p/c"));
        answers.add(page(60, false, "p/d"));
        assertThat(keys()).containsExactly("p/a", "p/b", "p/c", "p/d");
        assertThat(asked).containsExactly("p/ 500 0", "p/b+ 500 42", "p/c+ 500 42");
    }

    @Test
    void whereTheRevisionIsForgottenItBeginsAnew() {
        answers.add(page(42, true, "p/a"));
        answers.add(COMPACTED);
        answers.add(page(50, true, "p/b"));
        answers.add(page(50, false, "p/c"));
        assertThat(keys()).containsExactly("p/b", "p/c");
        assertThat(asked).containsExactly("p/ 500 0", "p/a+ 500 42", "p/ 500 0", "p/b+ 500 50");
    }

    @Test
    void itIsBegunAnewTwiceAtMost() {
        for (int i = 0; i < 3; i++) {
            answers.add(page(42, true, "p/a"));
            answers.add(COMPACTED);
        }
        assertThatThrownBy(this::keys)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("required revision has been compacted");
        assertThat(answers).isEmpty();
    }

    @Test
    void whatIsTooLargeIsAskedForInSmallerPagesThatGrowAgain() {
        String large = page(42, false, "p/a").replace("AQ==", "A".repeat(5 << 20));
        answers.add(large);
        answers.add("{\"error\":\"grpc: received message larger than max (9 vs. 4)\",\"code\":8}");
        answers.add(page(42, true, "p/a"));
        answers.add(page(42, false, "p/b"));
        assertThat(keys()).containsExactly("p/a", "p/b");
        assertThat(asked).containsExactly("p/ 500 0", "p/ 250 0", "p/ 125 0", "p/a+ 250 42");
    }

    @Test
    void oneKeyThatIsTooLargeIsAFailureAndNoLoop() {
        String large = page(42, false, "p/a").replace("AQ==", "A".repeat(5 << 20));
        for (int limit = 500; limit > 0; limit /= 2) {
            answers.add(large);
        }
        assertThatThrownBy(this::keys).hasMessageContaining("more than 4194304 bytes");
        assertThat(answers).isEmpty();
    }

    @Test
    void aPageWithoutAKeyThatHasMoreBehindItIsNoAnswer() {
        answers.add(page(42, true));
        assertThatThrownBy(this::keys).hasMessageContaining("a page without a key");
    }
}
