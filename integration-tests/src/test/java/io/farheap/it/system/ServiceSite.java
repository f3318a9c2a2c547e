package io.farheap.it.system;

import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Machines;
import io.farheap.replication.tls.PemFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A target whose agent listens, as a process, and the certificates of all who come there. */
final class ServiceSite implements AutoCloseable {
    /** The target: a name that the system resolves. */
    static final String TARGET = "localhost";

    private static final Duration START = Duration.ofSeconds(60);
    private static final Pattern LISTENING = Pattern.compile("Listening on localhost port (\\d+)");

    private final Machines machines = Machines.with(TARGET);
    private final Certificates certificates;
    private int port;
    private Process service;

    /**
     * @param lines of the agent's configuration, allowances among them
     */
    ServiceSite(String... lines) throws Exception {
        this.certificates = Certificates.usual(machines.here().resolve("certificates"));
        PemFiles own = certificates.sign("agent", "CN=agent", "-ext", "eku=serverAuth");
        List<String> all =
                new ArrayList<>(
                        List.of(
                                "journal-size = 1M",
                                "heartbeat-bound = 4000",
                                "tls-cert = " + own.certificate(),
                                "tls-key = " + own.key(),
                                "tls-ca = " + own.authorities()));
        all.addAll(Arrays.asList(lines));
        machines.configure(TARGET, all.toArray(String[]::new));
        machines.set("RPMEM_SSH", "/no/remote/shell");
        machines.set("FARHEAP_HEARTBEAT", "500ms");
        machines.set("FARHEAP_COMMIT_TIMEOUT", "60s");
        start();
    }

    Machines machines() {
        return machines;
    }

    Certificates certificates() {
        return certificates;
    }

    int port() {
        return port;
    }

    Process service() {
        return service;
    }

    /** Who the programs that are started from now on say they are. */
    void comeAs(PemFiles files) {
        machines.set("FARHEAP_CONNECT", "tls:" + port);
        machines.set("FARHEAP_TLS_CERT", files.certificate().toString());
        machines.set("FARHEAP_TLS_KEY", files.key().toString());
        machines.set("FARHEAP_TLS_CA", files.authorities().toString());
    }

    /** Starts the agent, the second time on the port that it had. */
    void start() throws IOException {
        int before = log().size();
        service =
                Machines.heedingHangUp(
                                machines.farheap(
                                        "agent",
                                        "--config",
                                        "agent.conf",
                                        "--listen",
                                        TARGET + ":" + port))
                        .directory(machines.machine(TARGET).toFile())
                        .start();
        await().atMost(START).until(() -> log().stream().skip(before).anyMatch(this::isListening));
    }

    private boolean isListening(String line) {
        Matcher found = LISTENING.matcher(line);
        if (found.find()) {
            port = Integer.parseInt(found.group(1));
            return true;
        }
        return false;
    }

    void kill() throws InterruptedException {
        service.destroyForcibly();
        service.waitFor();
    }

    /** What the agent has logged so far. */
    List<String> log() throws IOException {
        Path log = machines.machine(TARGET).resolve("agent.log");
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    /** Waits for a line of the agent's log, behind those that were there. */
    void awaitLogged(int behind, String words) {
        await(words)
                .atMost(Duration.ofSeconds(20))
                .until(() -> log().stream().skip(behind).anyMatch(line -> line.contains(words)));
    }

    @Override
    public void close() {
        machines.close();
    }
}
