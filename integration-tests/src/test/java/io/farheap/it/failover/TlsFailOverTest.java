package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.it.support.Machines;
import io.farheap.it.system.Certificates;
import io.farheap.replication.tls.PemFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Automatic fail-over between nodes whose agents listen, and are reached within TLS only: there is
 * no remote shell. Each node's program shows a certificate of its own, which the others' agents
 * allow to administer the copy.
 */
@Tag("deep")
@Timeout(400)
class TlsFailOverTest {
    @TempDir private Path directory;

    private final Map<String, Process> agents = new HashMap<>();
    private final Map<String, Integer> ports = new HashMap<>();
    private TurnNodes nodes;

    @BeforeEach
    void start() throws Exception {
        nodes = new TurnNodes(directory, 2);
        Machines machines = machines();
        machines.set("RPMEM_SSH", "/no/remote/shell");
        // The nodes' names are this machine's, for these processes.
        Path hosts =
                machines.write(machines.here().resolve("hosts"), "127.0.0.1 a b c localhost\n");
        machines.set("JDK_JAVA_OPTIONS", "-Djdk.net.hosts.file=" + hosts);
        Certificates certificates = Certificates.usual(machines.here().resolve("certificates"));
        Map<String, PemFiles> files = new HashMap<>();
        for (String node : Nodes.NAMES) {
            files.put(node, certificates.signFor("dns:" + node, node, "CN=" + node));
            machines.configure(
                    node,
                    "journal-size = 1M",
                    "heartbeat-bound = 4000",
                    "tls-cert = " + files.get(node).certificate(),
                    "tls-key = " + files.get(node).key(),
                    "tls-ca = " + files.get(node).authorities(),
                    allowance(node));
            startAgent(node);
        }
        for (String node : Nodes.NAMES) {
            machines.write(
                    machines.machine(node).resolve("writer.set.replication"),
                    connections(node)
                            + "tls-cert = %s\ntls-key = %s\ntls-ca = %s\n"
                                    .formatted(
                                            files.get(node).certificate(),
                                            files.get(node).key(),
                                            files.get(node).authorities()));
        }
    }

    private static String allowance(String node) {
        StringBuilder lines = new StringBuilder();
        Nodes.NAMES.stream()
                .filter(other -> !other.equals(node))
                .forEach(
                        other ->
                                lines.append(
                                        "allow = CN=%s copy.set administer\n".formatted(other)));
        return lines.toString();
    }

    private String connections(String node) {
        StringBuilder lines = new StringBuilder();
        Nodes.NAMES.stream()
                .filter(other -> !other.equals(node))
                .forEach(
                        other ->
                                lines.append(
                                        "connect %s copy.set = tls:%d\n"
                                                .formatted(other, ports.get(other))));
        return lines.toString();
    }

    private Machines machines() {
        return nodes.nodes.machines;
    }

    /** The second time on the port that it had. */
    private void startAgent(String node) throws IOException {
        int before = log(node).size();
        String place = node + ":" + ports.getOrDefault(node, 0);
        agents.put(
                node,
                machines()
                        .farheap("agent", "--config", "agent.conf", "--listen", place)
                        .directory(machines().machine(node).toFile())
                        .start());
        Pattern listening = Pattern.compile("Listening on " + node + " port (\\d+)");
        nodes.patiently()
                .until(
                        () -> {
                            for (String line : log(node).subList(before, log(node).size())) {
                                Matcher found = listening.matcher(line);
                                if (found.find()) {
                                    ports.put(node, Integer.parseInt(found.group(1)));
                                    return true;
                                }
                            }
                            return false;
                        });
    }

    private void killAgent(String node) throws InterruptedException {
        int unused = agents.get(node).destroyForcibly().waitFor();
    }

    private List<String> log(String node) throws IOException {
        Path log = machines().machine(node).resolve("agent.log");
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    @AfterEach
    void end() throws Exception {
        agents.values().forEach(Process::destroyForcibly);
        nodes.close();
    }

    @Test
    void anotherNodeTakesOverWithAllThatWasAcknowledged() throws Exception {
        nodes.begin();
        Acknowledgements.One first = nodes.acknowledged.last();

        nodes.program(first.node()).kill();
        Acknowledgements.One second = nodes.awaitTermAfter(first.term());
        assertThat(second.node()).isNotEqualTo(first.node());
        nodes.awaitMore(20);
        TurnNodes.Program unused = nodes.open(first.node());
        nodes.awaitWhole();
        nodes.judge();

        // The whole machine, as far as the pool is concerned.
        killAgent(second.node());
        nodes.program(second.node()).kill();
        Acknowledgements.One third = nodes.awaitTermAfter(second.term());
        assertThat(third.node()).isNotEqualTo(second.node());
        nodes.awaitMore(20);
        startAgent(second.node());
        unused = nodes.open(second.node());
        nodes.awaitWhole();

        assertThat(log(second.node())).anyMatch(line -> line.contains("Data over tls"));
        nodes.judgeCopies(Nodes.NAMES.size());
    }

    /** The writer is where it was: only its other copy has to be reached again. */
    @Test
    void commitsGoOnWithoutAnAgentAndItsCopyIsBackWhenThatListensAgain() throws Exception {
        nodes.begin();
        Acknowledgements.One writer = nodes.acknowledged.last();
        String other = writer.node().equals("b") ? "c" : "b";

        killAgent(other);
        nodes.awaitMore(20);
        nodes.patiently()
                .untilAsserted(() -> assertThat(nodes.record().set()).doesNotContain(other));
        startAgent(other);
        nodes.awaitWhole();

        assertThat(nodes.acknowledged.last().term()).isEqualTo(writer.term());
        nodes.judgeCopies(2);
    }
}
