package io.farheap.availability.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.farheap.availability.StoreServers;
import io.farheap.availability.coordinator.Coordinator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Three members of etcd as processes of this machine, on free ports of 127.0.0.1. */
public final class ThreeEtcds implements StoreServers {
    private static final int MEMBERS = 3;
    private static final Duration TTL = Duration.ofSeconds(6);

    private final Path directory;
    private final List<Integer> ports;
    private final Process[] members = new Process[MEMBERS];

    private ThreeEtcds(Path directory) throws IOException {
        this.directory = directory;
        this.ports = freePorts(2 * MEMBERS);
    }

    /** Skips the calling test where etcd is not installed; with {@code CI} set that fails. */
    public static ThreeEtcds start(Path directory) throws IOException {
        requireInstalled();
        ThreeEtcds started = new ThreeEtcds(directory);
        for (int i = 0; i < MEMBERS; i++) {
            started.start(i);
        }
        try (Coordinator client = started.connect()) {
            await().atMost(Duration.ofSeconds(60))
                    .ignoreExceptions()
                    .until(() -> client.read("k").version() == 0);
        }
        return started;
    }

    /** Skips the calling test where etcd is not installed; with {@code CI} set that fails. */
    public static void requireInstalled() {
        boolean installed =
                Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(place -> Files.isExecutable(Path.of(place, "etcd")));
        if (System.getenv("CI") != null) {
            assertThat(installed).as("CI must have etcd: Debian's package etcd-server").isTrue();
        }
        assumeTrue(installed, "etcd is not installed (Debian: apt-get install etcd-server)");
    }

    private static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return held.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
        }
    }

    private String client(int member) {
        return "http://127.0.0.1:" + ports.get(member);
    }

    private String peer(int member) {
        return "http://127.0.0.1:" + ports.get(MEMBERS + member);
    }

    @Override
    public void start(int member) throws IOException {
        String cluster =
                IntStream.range(0, MEMBERS)
                        .mapToObj(i -> "m" + i + "=" + peer(i))
                        .collect(Collectors.joining(","));
        List<String> command =
                List.of(
                        "etcd",
                        "--name=m" + member,
                        "--data-dir=" + directory.resolve("m" + member),
                        "--listen-client-urls=" + client(member),
                        "--advertise-client-urls=" + client(member),
                        "--listen-peer-urls=" + peer(member),
                        "--initial-advertise-peer-urls=" + peer(member),
                        "--initial-cluster=" + cluster,
                        "--initial-cluster-token=" + directory.getFileName());
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("ETCD"));
        members[member] =
                builder.redirectErrorStream(true)
                        .redirectOutput(
                                ProcessBuilder.Redirect.appendTo(
                                        directory.resolve("m" + member + ".log").toFile()))
                        .start();
    }

    @Override
    public List<Integer> clientPorts() {
        return ports.subList(0, MEMBERS);
    }

    @Override
    public String through(List<Integer> ports) {
        return "etcd:"
                + ports.stream()
                        .map(port -> "http://127.0.0.1:" + port)
                        .collect(Collectors.joining(","));
    }

    @Override
    public ProcessHandle process(int member) {
        return members[member].toHandle();
    }

    private EtcdSettings settings() {
        return EtcdSettings.of(
                IntStream.range(0, MEMBERS).mapToObj(i -> URI.create(client(i))).toList(), TTL);
    }

    @Override
    public Coordinator connect() {
        return EtcdCoordinator.connect(settings());
    }

    @Override
    public int leader() throws IOException {
        try (EtcdClient client = new EtcdClient(settings())) {
            String leader = ask(client, "/v3/maintenance/status").path("leader").asText();
            for (JsonNode member : ask(client, "/v3/cluster/member/list").path("members")) {
                if (member.path("ID").asText().equals(leader)) {
                    return Integer.parseInt(member.path("name").asText().substring(1));
                }
            }
            throw new AssertionError("no leader is known");
        } catch (EtcdFailure e) {
            throw new IOException(e);
        }
    }

    private static JsonNode ask(EtcdClient client, String path) throws EtcdFailure {
        return client.ask(
                path, JsonNodeFactory.instance.objectNode(), (answer, mayBeDone) -> answer);
    }

    @Override
    public void kill(int member) throws InterruptedException {
        members[member].destroyForcibly().waitFor();
    }

    @Override
    public void close() throws InterruptedException {
        for (Process member : members) {
            if (member != null) {
                member.destroyForcibly().waitFor();
            }
        }
    }
}
