package io.farheap.tools.failover;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;

/**
 * Answers HTTP clients from what the store said last, so that no number of them costs the store
 * anything. What is older than {@link #OLDEST} is no answer: 503. Requests are answered by threads
 * of its own until it is closed.
 */
final class WriterService implements AutoCloseable {
    static final Duration OLDEST = Duration.ofSeconds(10);
    private static final int BACKLOG = 128;
    private static final int THREADS = 4;

    /** For the JDK's server, in seconds: who says nothing, or reads nothing, holds a thread. */
    static {
        System.setProperty("sun.net.httpserver.maxReqTime", "5");
        System.setProperty("sun.net.httpserver.maxRspTime", "5");
    }

    private record Known(WriterAnswers answers, long atNanos) {}

    private final HttpServer server;
    private final ExecutorService threads =
            Executors.newFixedThreadPool(
                    THREADS, Thread.ofPlatform().daemon().name("http-", 0).factory());
    private final LongSupplier clock;
    private volatile Known known;

    /**
     * @param clock nanoseconds
     * @throws FarheapException ENVIRONMENT when it can't listen there
     */
    WriterService(InetSocketAddress address, LongSupplier clock) {
        this.clock = clock;
        try {
            server = HttpServer.create(address, BACKLOG);
        } catch (IOException e) {
            threads.shutdown();
            throw FarheapException.environment(
                    e,
                    "can't listen on %s port %d: %s; another port, or port 0 for any that is free",
                    address.getHostString(),
                    address.getPort(),
                    e.getMessage());
        }
        server.createContext("/", this::serve);
        server.setExecutor(threads);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** From now on this is what is told. */
    void tell(WriterAnswers answers) {
        known = new Known(answers, clock.getAsLong());
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            boolean head = method.equals("HEAD");
            WriterAnswer answer =
                    head || method.equals("GET")
                            ? answer(exchange)
                            : new WriterAnswer(
                                    WriterAnswer.WRONG_METHOD, WriterAnswers.reason("only GET"));
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            byte[] body = (answer.body() + "\n").getBytes(UTF_8);
            exchange.sendResponseHeaders(answer.status(), head ? -1 : body.length);
            if (!head) {
                try (OutputStream out = exchange.getResponseBody()) {
                    out.write(body);
                }
            }
        }
    }

    private WriterAnswer answer(HttpExchange exchange) {
        Known now = known;
        if (now == null || clock.getAsLong() - now.atNanos() > OLDEST.toNanos()) {
            return new WriterAnswer(
                    WriterAnswer.NO, WriterAnswers.reason("the store does not answer"));
        }
        String path = exchange.getRequestURI().getPath();
        if (path.equals("/healthz")) {
            return new WriterAnswer(WriterAnswer.YES, "{}");
        }
        String query = exchange.getRequestURI().getQuery();
        return now.answers().to(path, query == null ? "" : query);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
    }
}
