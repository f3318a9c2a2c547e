package io.farheap.tools.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.availability.CataloguedPool;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What clients and load balancers hear of who writes. */
@Timeout(30)
class WriterServiceTest {
    private final AtomicLong nanos = new AtomicLong(-5);
    private final HttpClient client = HttpClient.newHttpClient();
    private final WriterService service =
            new WriterService(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), nanos::get);

    @AfterEach
    void end() {
        client.close();
        service.close();
    }

    private static CataloguedPool pool(long term, String writer, String leader, long leaderTerm) {
        return new CataloguedPool(
                "main",
                "bank",
                term,
                writer,
                List.of("a", "b"),
                leader,
                leaderTerm,
                leader.isEmpty() ? "" : "https://" + leader + ":8443",
                Optional.empty(),
                List.of("a", "b"),
                1,
                List.of(),
                false,
                "",
                Map.of());
    }

    private void told(CataloguedPool... pools) {
        service.tell(new WriterAnswers(List.of(pools), "b"));
    }

    private HttpResponse<String> asked(String method, String path)
            throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + service.port() + path))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private int status(String path) throws IOException, InterruptedException {
        return asked("GET", path).statusCode();
    }

    @Test
    void aClientLearnsWhereTheWriterIs() throws Exception {
        told(pool(7, "a", "a", 7));
        HttpResponse<String> answer = asked("GET", "/v1/pools/bank/writer");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .isEqualTo(
                        "{\"pool\":\"bank\",\"node\":\"a\",\"term\":7,"
                                + "\"endpoint\":\"https://a:8443\"}\n");
        assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
    }

    @Test
    void aLoadBalancerHearsYesOfTheWriterAlone() throws Exception {
        told(pool(7, "a", "a", 7));
        assertThat(status("/v1/pools/bank/is-writer?node=a")).isEqualTo(200);
        assertThat(status("/v1/pools/bank/is-writer?node=c")).isEqualTo(503);
        assertThat(status("/v1/pools/bank/is-writer?from=lb&node=a&n=1")).isEqualTo(200);
        assertThat(status("/v1/pools/bank/is-writer")).as("of this node, b").isEqualTo(503);
        told(pool(8, "b", "b", 8));
        assertThat(status("/v1/pools/bank/is-writer")).isEqualTo(200);
        HttpResponse<String> head = asked("HEAD", "/v1/pools/bank/is-writer");
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
    }

    @Test
    void whoIsAboutToWriteOrWroteDoesNotWrite() throws Exception {
        told(pool(7, "a", "", 0));
        assertThat(status("/v1/pools/bank/writer")).as("nobody is announced").isEqualTo(503);
        told(pool(7, "a", "b", 0));
        assertThat(status("/v1/pools/bank/writer")).as("its turn has not begun").isEqualTo(503);
        told(pool(8, "b", "a", 7));
        assertThat(status("/v1/pools/bank/writer")).as("another has taken over").isEqualTo(503);
    }

    @Test
    void whatTheStoreSaidLongAgoIsNoAnswer() throws Exception {
        assertThat(status("/healthz")).as("it has said nothing yet").isEqualTo(503);
        told(pool(7, "a", "a", 7));
        nanos.addAndGet(WriterService.OLDEST.toNanos());
        assertThat(status("/v1/pools/bank/writer")).isEqualTo(200);
        assertThat(status("/healthz")).isEqualTo(200);
        nanos.addAndGet(1);
        assertThat(status("/v1/pools/bank/writer")).isEqualTo(503);
        assertThat(asked("GET", "/healthz").body()).contains("the store does not answer");
    }

    @Test
    void aPortThatSomebodyHasIsNamed() {
        InetSocketAddress taken =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), service.port());
        assertThatThrownBy(() -> new WriterService(taken, nanos::get).close())
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("can't listen on")
                .hasMessageContaining("port " + service.port())
                .hasMessageContaining("port 0 for any that is free");
    }

    @Test
    void whatIsNotThereIsSaid() throws Exception {
        told(pool(7, "a", "a", 7));
        assertThat(status("/v1/pools/other/writer")).isEqualTo(404);
        for (String path :
                List.of("/", "/v1/pools/bank", "/v1/pools/bank/writer/", "/v1/pools//writer")) {
            assertThat(status(path)).as(path).isEqualTo(404);
        }
        assertThat(asked("POST", "/v1/pools/bank/writer").statusCode()).isEqualTo(405);
        service.tell(new WriterAnswers(List.of(pool(7, "a", "a", 7)), ""));
        assertThat(asked("GET", "/v1/pools/bank/is-writer").body()).contains("?node=NODE");
        assertThat(status("/v1/pools/bank/is-writer")).isEqualTo(400);
    }
}
