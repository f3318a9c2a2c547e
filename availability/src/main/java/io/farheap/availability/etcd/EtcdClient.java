package io.farheap.availability.etcd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.farheap.availability.coordinator.StoreRefusedException;
import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.availability.coordinator.StoreUnavailableException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Asks the endpoints in turn, each within the bound, and logs in where that is asked for. */
final class EtcdClient implements AutoCloseable {
    private final EtcdTransport transport;
    private final List<URI> endpoints;
    private final Optional<StoreSettings.Login> login;
    private final Duration bound;

    /** The endpoint that answered last. */
    private volatile int first;

    private volatile Optional<String> token = Optional.empty();

    EtcdClient(EtcdSettings settings) {
        this.transport = new EtcdTransport(settings);
        this.endpoints = settings.endpoints();
        this.login = settings.login();
        this.bound = settings.bound();
    }

    EtcdTransport transport() {
        return transport;
    }

    /** Reads an answer, which may turn out not to be one. */
    @FunctionalInterface
    interface Reading<T> {
        /**
         * @param mayBeDone an endpoint that was asked before gave no answer, and may still carry
         *     out the same request
         */
        T read(JsonNode answer, boolean mayBeDone) throws EtcdFailure;
    }

    /**
     * The first answer.
     *
     * @throws StoreUnavailableException no endpoint has answered: the request may have been carried
     *     out, or may be later
     * @throws StoreRefusedException it will not be carried out
     */
    <T> T ask(String path, ObjectNode request, Reading<T> reading) {
        List<String> tried = new ArrayList<>();
        boolean mayBeDone = false;
        int begin = first;
        EtcdFailure last = null;
        for (int i = 0; i < endpoints.size(); i++) {
            int index = (begin + i) % endpoints.size();
            URI endpoint = endpoints.get(index);
            try {
                T answer = reading.read(askAt(endpoint, path, request), mayBeDone);
                first = index;
                return answer;
            } catch (EtcdFailure e) {
                if (e.isRefused() && !mayBeDone) {
                    throw refused(endpoint, path, e);
                }
                mayBeDone |= e.mayBeDone();
                last = e;
                tried.add(endpoint + ": " + e.getMessage());
            }
        }
        throw new StoreUnavailableException(
                String.format(
                        "etcd does not answer (%s): check that most of its members run and that this"
                                + " machine reaches them; it is asked again.",
                        String.join("; ", tried)),
                last);
    }

    private JsonNode askAt(URI endpoint, String path, ObjectNode request) throws EtcdFailure {
        long deadline = System.nanoTime() + bound.toNanos();
        Optional<String> used = token.isEmpty() ? logIn(endpoint, deadline) : token;
        try {
            return transport.post(endpoint, path, request, used, left(deadline));
        } catch (EtcdFailure e) {
            if (login.isEmpty() || !e.isOfToken()) {
                throw e;
            }
            return transport.post(
                    endpoint, path, request, logIn(endpoint, deadline), left(deadline));
        }
    }

    /** A token, for as long as etcd takes it. */
    private Optional<String> logIn(URI endpoint, long deadline) throws EtcdFailure {
        if (login.isEmpty()) {
            return Optional.empty();
        }
        JsonNode answer =
                transport.post(
                        endpoint,
                        "/v3/auth/authenticate",
                        EtcdMessages.login(login.get()),
                        Optional.empty(),
                        left(deadline));
        token = Optional.of(answer.path("token").asText(""));
        return token;
    }

    /** For streams, which are not bounded: as old as the last request. */
    Optional<String> token() {
        return token;
    }

    /** A stream is as good at any of them. */
    URI anyEndpoint() {
        return endpoints.get(first);
    }

    private static Duration left(long deadline) {
        return Duration.ofNanos(Math.max(1, deadline - System.nanoTime()));
    }

    private static StoreRefusedException refused(URI endpoint, String path, EtcdFailure e) {
        return new StoreRefusedException(
                String.format(
                        "etcd at %s refuses %s: %s; check the user, its role and password, and"
                                + " etcd's space (etcdctl alarm list).",
                        endpoint, path, e.getMessage()),
                e);
    }

    @Override
    public void close() {
        transport.close();
    }
}
