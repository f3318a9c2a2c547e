package io.farheap.it.system;

import com.sun.net.httpserver.HttpServer;
import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.metrics.PoolMetrics;
import io.farheap.metrics.PoolTimes;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A program that commits until its input ends and serves its pool's meters, as docs/monitoring.md
 * has it. Argument: the poolset file. Says the port that it serves at.
 */
final class MonitoredProgram {
    static final String LAYOUT = "monitored";
    static final String POOL = "bank";

    private MonitoredProgram() {}

    public static void main(String[] args) throws IOException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (PoolTimes times = new PoolTimes();
                ObjectPool pool = ObjectPool.openOrCreate(Path.of(args[0]), LAYOUT);
                PoolMetrics metrics = new PoolMetrics(pool, POOL)) {
            times.bindTo(registry);
            metrics.bindTo(registry);
            HttpServer server = serve(registry);
            System.out.println(server.getAddress().getPort());
            Ref root = pool.root(8);
            while (System.in.available() == 0) {
                pool.transaction(tx -> tx.setLong(root, 0, tx.getLong(root, 0) + 1));
            }
            server.stop(0);
        }
    }

    private static HttpServer serve(PrometheusMeterRegistry registry) throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/metrics",
                exchange -> {
                    byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
                    exchange.getResponseHeaders()
                            .add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
                    exchange.sendResponseHeaders(200, text.length);
                    exchange.getResponseBody().write(text);
                    exchange.close();
                });
        server.start();
        return server;
    }
}
