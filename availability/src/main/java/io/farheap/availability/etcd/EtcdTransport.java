package io.farheap.availability.etcd;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.farheap.replication.tls.PemFiles;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLHandshakeException;

/** One request to one endpoint: JSON over HTTP/1.1. Nothing is sent twice by itself. */
final class EtcdTransport implements AutoCloseable {
    static final JsonMapper JSON =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxNestingDepth(32)
                                                    .build())
                                    .build())
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    /** More than etcd's largest value, with its base64. */
    private static final long MOST_BYTES = 4L << 20;

    private static final int OK = 200;
    private static final Set<Integer> NEVER_PASSED_ON = Set.of(400, 401, 403, 404, 405, 413);
    private static final int LONGEST_TEXT = 200;

    private final HttpClient http;

    EtcdTransport(EtcdSettings settings) {
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(settings.bound());
        settings.tls()
                .map(tls -> new PemFiles(tls.authorities(), tls.certificate(), tls.key()))
                .ifPresent(files -> builder.sslContext(files.context()));
        this.http = builder.build();
    }

    /** The answer, within a bound that includes connecting and reading. */
    JsonNode post(
            URI endpoint, String path, ObjectNode body, Optional<String> token, Duration bound)
            throws EtcdFailure {
        CompletableFuture<HttpResponse<byte[]>> exchange =
                send(
                        endpoint,
                        path,
                        body,
                        token,
                        BodyHandlers.limiting(BodyHandlers.ofByteArray(), MOST_BYTES));
        try {
            return read(exchange.get(bound.toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            exchange.cancel(true);
            throw EtcdFailure.noAnswer("no answer within " + bound.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        } catch (InterruptedException e) {
            exchange.cancel(true);
            Thread.currentThread().interrupt();
            throw EtcdFailure.noAnswer("interrupted", e);
        }
    }

    /** The exchange: to be cancelled by who does not want it any more. */
    <T> CompletableFuture<HttpResponse<T>> send(
            URI endpoint,
            String path,
            ObjectNode body,
            Optional<String> token,
            BodyHandler<T> handler) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(endpoint.resolve(path))
                        .header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(body.toString()));
        token.ifPresent(value -> request.header("Authorization", value));
        return http.sendAsync(request.build(), handler);
    }

    private static EtcdFailure failure(Throwable cause) {
        boolean notConnected =
                cause instanceof ConnectException
                        || cause instanceof HttpConnectTimeoutException
                        || cause instanceof SSLHandshakeException;
        String message = said(cause);
        if (message.startsWith("body exceeds")) { // as the JDK's limiting handler says it
            return EtcdFailure.tooLarge("more than " + MOST_BYTES + " bytes", cause);
        }
        return notConnected
                ? EtcdFailure.notSent("can't be connected: " + message, cause)
                : EtcdFailure.noAnswer(message, cause);
    }

    /** The JDK has no words for who does not listen, nor for a host that nobody knows. */
    private static String said(Throwable cause) {
        if (cause.getMessage() != null) {
            return cause.getMessage();
        }
        if (cause.getCause() instanceof UnresolvedAddressException) {
            return "nobody knows its host";
        }
        return cause instanceof ConnectException
                ? "nobody listens there"
                : cause.getClass().getSimpleName();
    }

    private static JsonNode read(HttpResponse<byte[]> response) throws EtcdFailure {
        JsonNode answer = parse(response);
        JsonNode error = answer.path("error");
        if (response.statusCode() == OK && error.isMissingNode()) {
            return answer;
        }
        // A plain call has its error beside its code, a streamed one has both in an object.
        JsonNode place = error.isObject() ? error : answer;
        String text = error.isObject() ? error.path("message").asText() : error.asText();
        JsonNode code = place.has("code") ? place.path("code") : place.path("grpc_code");
        if (!code.isInt()) {
            throw EtcdFailure.noAnswer("status " + response.statusCode() + ": " + text, null);
        }
        throw EtcdFailure.answered(code.intValue(), text);
    }

    private static JsonNode parse(HttpResponse<byte[]> response) throws EtcdFailure {
        try {
            JsonNode answer = JSON.readTree(response.body());
            if (answer.isObject()) {
                return answer;
            }
            throw EtcdFailure.noAnswer("an answer that is no JSON object", null);
        } catch (JsonProcessingException e) {
            throw withoutJson(response, e);
        } catch (IOException e) {
            throw EtcdFailure.noAnswer(e.getMessage(), e);
        }
    }

    /** What stands before etcd's server refused it, which may be etcd's own gateway. */
    private static EtcdFailure withoutJson(
            HttpResponse<byte[]> response, JsonProcessingException cause) {
        String text = new String(response.body(), StandardCharsets.UTF_8).strip();
        String message =
                "status "
                        + response.statusCode()
                        + " without JSON: "
                        + text.substring(0, Math.min(text.length(), LONGEST_TEXT));
        return NEVER_PASSED_ON.contains(response.statusCode())
                ? EtcdFailure.refused(message)
                : EtcdFailure.noAnswer(message, cause);
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
