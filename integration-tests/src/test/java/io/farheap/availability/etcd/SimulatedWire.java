package io.farheap.availability.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.farheap.simulation.cell.StoreWire;
import io.farheap.simulation.engine.World;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow.Subscriber;

/**
 * What the HTTP of etcd's client becomes in a simulation: JSON that goes to a store of the same
 * world. Everything above it is the product's: requests, answers, endpoints in turn, leases,
 * watches.
 */
public final class SimulatedWire {
    private SimulatedWire() {}

    /** Nobody connects. */
    public static HttpClient client(HttpClient.Builder builder) {
        return null;
    }

    /** {@code shutdownNow}. */
    public static void close(HttpClient client) {}

    private static StoreWire wire() {
        return World.current().process().machine().services(StoreWire.class);
    }

    static JsonNode post(
            EtcdTransport transport,
            URI endpoint,
            String path,
            ObjectNode body,
            Optional<String> token,
            Duration bound)
            throws EtcdFailure {
        Optional<JsonNode> answer = wire().ask(path, body, bound.toNanos());
        if (answer.isEmpty()) {
            throw EtcdFailure.noAnswer("no answer within " + bound.toMillis() + " ms", null);
        }
        if (answer.get().has("error")) {
            throw EtcdFailure.answered(
                    answer.get().path("code").asInt(), answer.get().path("message").asText());
        }
        return answer.get();
    }

    /** A watch: the one request that the product does not wait for. */
    static <T> CompletableFuture<HttpResponse<T>> send(
            EtcdTransport transport,
            URI endpoint,
            String path,
            ObjectNode body,
            Optional<String> token,
            BodyHandler<T> handler) {
        Runnable end = wire().watch(body, ((Lines<T>) handler).subscriber()::onNext);
        return new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean interrupt) {
                end.run();
                return super.cancel(interrupt);
            }
        };
    }

    /** What reads a stream: the JDK's has a buffer, and there are many. */
    private record Lines<T>(Subscriber<? super String> subscriber) implements BodyHandler<T> {
        @Override
        public BodySubscriber<T> apply(ResponseInfo info) {
            throw new UnsupportedOperationException("lines come whole");
        }
    }

    /** {@code fromLineSubscriber}. */
    public static BodyHandler<Void> lines(Subscriber<? super String> subscriber) {
        return new Lines<>(subscriber);
    }
}
