package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.farheap.it.support.Machines;
import io.farheap.it.support.Prometheus;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A real Prometheus reads what a program and {@code farheap status} tell it, and raises alarm. */
@Timeout(120)
class MonitoringTest {
    private static final Path RULES = Path.of("../config-samples/prometheus-alerts.yml");
    private static final Path DASHBOARD = Path.of("../config-samples/grafana-dashboard.json");
    private static final Path PAGE = Path.of("../docs/monitoring.md");
    private static final Pattern METRIC = Pattern.compile("\\bfarheap_[a-z_]+\\b");
    private static final Duration BOUND = Duration.ofSeconds(60);

    private final Machines machines = Machines.with("there");
    private final Path set = machines.here().resolve("bank.set");

    @TempDir private Path directory;

    MonitoringTest() {
        machines.set("FARHEAP_POLICY", "degrade");
        machines.set("FARHEAP_DURABILITY", "journal");
        machines.set("FARHEAP_COMMIT_TIMEOUT", "2s");
        machines.poolSet("there", "copy.set", "16M");
        machines.write(
                set,
                "PMEMPOOLSET\n16M %s\nREPLICA there copy.set\n"
                        .formatted(machines.here().resolve("bank.part0")));
    }

    @AfterEach
    void endAll() {
        machines.close();
    }

    private record Program(Process process, int port) implements AutoCloseable {
        String metrics() throws IOException, InterruptedException {
            return HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(
                                            URI.create("http://127.0.0.1:" + port + "/metrics"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        }

        @Override
        public void close() throws IOException, InterruptedException {
            process.getOutputStream().write('\n');
            process.getOutputStream().close();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("the program ends").isTrue();
            assertThat(process.exitValue()).isZero();
        }
    }

    private Program start() throws IOException {
        Process process = machines.java(MonitoredProgram.class, set.toString()).start();
        BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
        return new Program(process, Integer.parseInt(said.readLine()));
    }

    private String status() throws IOException, InterruptedException {
        Process status = machines.farheap("status", "--prometheus=-", set.toString()).start();
        String text = new String(status.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(status.waitFor()).isIn(0, 5);
        return text;
    }

    /** Of an agent that listens, while a program has a replica there. */
    private String agentMetrics() throws Exception {
        Path out = directory.resolve("agent.prom");
        try (ServiceSite site =
                new ServiceSite(
                        "allow = CN=bank *.set",
                        "prometheus = " + out,
                        "prometheus-interval = 200")) {
            site.comeAs(site.certificates().sign("bank", "CN=bank"));
            site.machines().poolSet(ServiceSite.TARGET, "copy.set", "16M");
            Path pool = site.machines().poolSet("here", "pool.set", "16M", "localhost copy.set");
            Path target = site.machines().machine(ServiceSite.TARGET);
            String labels =
                    "{agent=\"localhost:%d\",poolset=\"%s\",replica=\"0\",host=\"\",name=\"%s\""
                            .formatted(
                                    site.port(),
                                    target.resolve("copy.set"),
                                    target.resolve("copy.part0"));
            Load load = Load.start(site.machines(), pool, 1, 1);
            load.awaitOpen();
            load.go();
            load.awaitCommits(30);
            awaitText(out, "farheap_agent_replica_held" + labels + "} 1");
            awaitText(out, "farheap_agent_replica_insync" + labels + ",state=\"INSYNC\"} 1");
            await().atMost(BOUND)
                    .until(
                            () ->
                                    valueOf(Files.readString(out), "agent_replica_records_total")
                                            >= 30);
            String text = Files.readString(out);
            assertThat(Prometheus.judgeMetrics(text)).isEmpty();
            assertThat(valueOf(text, "agent_replica_bytes_total")).isGreaterThan(30 * 64);
            assertThat(valueOf(text, "agent_replica_journal_bytes")).isEqualTo(1 << 20);
            assertThat(valueOf(text, "agent_certificate_expiry_time_seconds"))
                    .isGreaterThan(System.currentTimeMillis() / 1000.0);
            assertThat(valueOf(text, "agent_sessions_open")).isEqualTo(1);
            load.close();
            awaitText(out, "farheap_agent_replica_held" + labels + "} 0");
            awaitText(out, "farheap_agent_replica_insync" + labels + ",state=\"INSYNC\"} 1");
            assertOneHelpEach(Files.readString(out) + status());
            return text;
        }
    }

    /** One collector may read the files of both, and refuses a metric with two meanings. */
    private static void assertOneHelpEach(String texts) {
        Set<String> helps =
                texts.lines()
                        .filter(line -> line.startsWith("# HELP "))
                        .collect(Collectors.toSet());
        Set<String> names =
                helps.stream().map(line -> line.split(" ")[2]).collect(Collectors.toSet());
        assertThat(names).contains("farheap_copy_unapplied_records").hasSameSizeAs(helps);
    }

    private static void awaitText(Path file, String text) {
        await(text)
                .atMost(BOUND)
                .until(() -> Files.exists(file) && Files.readString(file).contains(text));
    }

    private static double valueOf(String text, String metric) {
        Matcher found = Pattern.compile("(?m)^farheap_" + metric + "\\{.*} (.+)$").matcher(text);
        assertThat(found.find()).as(metric).isTrue();
        return Double.parseDouble(found.group(1));
    }

    private static Set<String> metricsOf(String text) {
        return METRIC.matcher(text)
                .results()
                .map(found -> found.group())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    @Tag("deep")
    void samplesAndDocumentsNameMetricsThatAreTold() throws Exception {
        Prometheus.require();
        assertThat(Prometheus.judgeRules(RULES)).isEmpty();
        String told;
        try (Program program = start()) {
            await().atMost(BOUND)
                    .until(() -> program.metrics().contains("farheap_checkpoint_seconds"));
            assertThat(Prometheus.judgeMetrics(program.metrics())).isEmpty();
            assertThat(Prometheus.judgeMetrics(status())).isEmpty();
            assertThat(status())
                    .contains("verdict=\"CURRENT\"} 1", "farheap_copy_lag_seconds{")
                    .contains("farheap_copy_epoch{", "farheap_copy_differences{")
                    .contains("farheap_copy_since_time_seconds{")
                    .contains("farheap_copy_slot_since_time_seconds{")
                    .contains("farheap_commits_total{poolset=", "farheap_heap_free_bytes{");
            told = program.metrics() + status() + agentMetrics();
        }
        Set<String> named = metricsOf(Files.readString(RULES));
        StringBuilder shown = new StringBuilder();
        JsonNode dashboard = new ObjectMapper().readTree(DASHBOARD.toFile());
        dashboard.findValuesAsText("expr").forEach(each -> shown.append(each).append('\n'));
        named.addAll(metricsOf(shown.toString()));
        named.addAll(metricsOf(Files.readString(PAGE)));
        assertThat(named).hasSizeGreaterThan(20).isSubsetOf(metricsOf(told));
        assertThat(metricsOf(Files.readString(PAGE)))
                .as("all are documented")
                .containsAll(withoutParts(metricsOf(told)));
    }

    /** Two machines have pools of one name: what one lost is not what the other has. */
    @Test
    void theLastGoodCopyRaisesAnAlertWhateverAnotherMachineHas() throws Exception {
        Prometheus.require();
        Path tests = directory.resolve("alerts.yml");
        Files.writeString(
                tests,
                """
                rule_files: [%s]
                evaluation_interval: 1m
                tests:
                  - interval: 1m
                    input_series:
                      - series: 'farheap_copy_good{instance="a",poolset="/bank.set",replica="0"}'
                        values: '1x10'
                      - series: 'farheap_copy_good{instance="a",poolset="/bank.set",replica="1"}'
                        values: '0x10'
                      - series: 'farheap_copy_good{instance="b",poolset="/bank.set",replica="0"}'
                        values: '1x10'
                      - series: 'farheap_copy_good{instance="b",poolset="/bank.set",replica="1"}'
                        values: '1x10'
                    alert_rule_test:
                      - eval_time: 5m
                        alertname: FarheapOneCopyLeft
                        exp_alerts:
                          - exp_labels: {severity: critical, instance: a, poolset: /bank.set}
                            exp_annotations:
                              summary: "at most one good copy of /bank.set on a is left"
                              description: "remove nothing; farheap status /bank.set says what each copy has"
                """
                        .formatted(RULES.toAbsolutePath().normalize()));
        assertThat(Prometheus.judgeAlerts(tests)).isEmpty();
    }

    /** A timer is documented by one name. */
    private static Set<String> withoutParts(Set<String> told) {
        return told.stream()
                .filter(name -> !name.matches(".*_seconds_(bucket|count|sum|max)"))
                .collect(Collectors.toSet());
    }

    @Test
    @Tag("deep")
    void aReplicaThatIsGoneRaisesAnAlertUntilItIsBack() throws Exception {
        Prometheus.require();
        String rules = Files.readString(RULES).replaceAll("for: \\d+m", "for: 1s");
        try (Program program = start();
                Prometheus server = Prometheus.watching(program.port(), rules, directory)) {
            await().atMost(BOUND)
                    .until(() -> server.ask("query?query=farheap_commits_total").contains("bank"));
            assertThat(server.ask("alerts")).doesNotContain("FarheapReplicaNotAttached");

            machines.takeDown("there");
            machines.killAll("there");
            await().atMost(BOUND)
                    .until(
                            () ->
                                    server.ask("alerts")
                                            .matches("(?s).*FarheapReplicaNotAttached.*firing.*"));
            assertThat(status()).contains("farheap_pool_current{poolset=\"" + set + "\"} 0");

            machines.bringUp("there");
            await().atMost(BOUND)
                    .until(() -> !server.ask("alerts").contains("FarheapReplicaNotAttached"));
        }
    }
}
