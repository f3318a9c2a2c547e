package io.farheap.it.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** Debian's Prometheus, which judges what is told to it. */
public final class Prometheus implements AutoCloseable {
    private static final Path TOOL = Path.of("/usr/bin/promtool");
    private static final Path SERVER = Path.of("/usr/bin/prometheus");

    private final Process process;
    private final int port;
    private final HttpClient client = HttpClient.newHttpClient();

    private Prometheus(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Skips the test where there is none; fails it where all tests are to run. */
    public static void require() {
        boolean isThere = Files.isExecutable(TOOL) && Files.isExecutable(SERVER);
        String missing = "no Prometheus is installed (apt-get install prometheus)";
        if (System.getenv("CI") != null) {
            assertThat(isThere).as(missing).isTrue();
        }
        Assumptions.assumeTrue(isThere, missing);
    }

    /** What its tool says of a text of metrics; nothing where it finds none to blame. */
    public static String judgeMetrics(String text) throws IOException, InterruptedException {
        return tool(text, "check", "metrics");
    }

    /** The same of a file with rules. */
    public static String judgeRules(Path rules) throws IOException, InterruptedException {
        return tool("", "check", "rules", rules.toString());
    }

    /** What its tool says of series and the alerts that they must raise. */
    public static String judgeAlerts(Path tests) throws IOException, InterruptedException {
        return tool("", "test", "rules", tests.toString());
    }

    private static String tool(String input, String... arguments)
            throws IOException, InterruptedException {
        String[] command = new String[arguments.length + 1];
        command[0] = TOOL.toString();
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        Process tool = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var in = tool.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String said = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return tool.waitFor() == 0 ? "" : said;
    }

    /** Starts a server that looks at a program on this machine each second. */
    public static Prometheus watching(int target, String rules, Path directory) throws IOException {
        Path config = directory.resolve("prometheus.yml");
        Files.writeString(directory.resolve("rules.yml"), rules);
        Files.writeString(
                config,
                """
                global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
                rule_files: [rules.yml]
                scrape_configs:
                  - job_name: program
                    static_configs: [{targets: ['127.0.0.1:%d']}]
                """
                        .formatted(target));
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Process process =
                new ProcessBuilder(
                                SERVER.toString(),
                                "--config.file=" + config,
                                "--storage.tsdb.path=" + directory.resolve("data"),
                                "--web.listen-address=127.0.0.1:" + port)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("prometheus.log").toFile())
                        .start();
        return new Prometheus(process, port);
    }

    /** What its API answers; empty while it does not. */
    public String ask(String path) throws InterruptedException {
        assertThat(process.isAlive()).as("Prometheus runs").isTrue();
        try {
            return client.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    "http://127.0.0.1:" + port + "/api/v1/" + path))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException notYet) {
            return "";
        }
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}
