package io.farheap.availability.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreProcesses;
import io.farheap.availability.coordinator.StoreSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Three members of etcd, as processes of this machine on free ports, by default of 127.0.0.1.
 * Debian's package etcd-server has the program; a service of the system that it may have started is
 * left alone.
 */
public final class EtcdProcesses implements StoreProcesses, AutoCloseable {
    private static final int MEMBERS = 3;
    private static final Duration TO_START = Duration.ofSeconds(60);

    private final Path directory;
    private final Optional<StoreSettings.Tls> tls;
    private final List<String> flags;
    private final List<Host> hosts;
    private final int[] clientPorts = new int[MEMBERS];
    private final int[] peerPorts = new int[MEMBERS];
    private final Process[] members = new Process[MEMBERS];

    /**
     * Where a member runs.
     *
     * @param address where it listens, for clients and other members
     * @param entering what a command that runs there begins with
     */
    public record Host(String address, List<String> entering) {
        static final Host THIS = new Host("127.0.0.1", List.of());
    }

    private EtcdProcesses(
            Path directory, Optional<StoreSettings.Tls> tls, List<String> flags, List<Host> hosts)
            throws IOException {
        this.directory = directory;
        this.tls = tls;
        this.flags = flags;
        this.hosts = hosts;
        int[] ports = freePorts(2 * MEMBERS);
        System.arraycopy(ports, 0, clientPorts, 0, MEMBERS);
        System.arraycopy(ports, MEMBERS, peerPorts, 0, MEMBERS);
    }

    /** Skips the calling test where etcd is not installed; with {@code CI} set that fails. */
    public static EtcdProcesses start(Path directory) throws IOException {
        return start(directory, Optional.empty(), List.of());
    }

    /**
     * The same.
     *
     * @param flags more options of each etcd
     */
    public static EtcdProcesses start(Path directory, List<String> flags) throws IOException {
        return start(directory, Optional.empty(), flags);
    }

    static EtcdProcesses start(Path directory, Optional<StoreSettings.Tls> tls, List<String> flags)
            throws IOException {
        return start(directory, tls, flags, Collections.nCopies(MEMBERS, Host.THIS));
    }

    /**
     * The same, each on a host of its own.
     *
     * @param hosts which this process reaches
     */
    public static EtcdProcesses startOn(List<Host> hosts, Path directory) throws IOException {
        return start(directory, Optional.empty(), List.of(), hosts);
    }

    private static EtcdProcesses start(
            Path directory, Optional<StoreSettings.Tls> tls, List<String> flags, List<Host> hosts)
            throws IOException {
        requireInstalled();
        EtcdProcesses started = new EtcdProcesses(directory, tls, flags, hosts);
        for (int i = 0; i < MEMBERS; i++) {
            started.start(i);
        }
        started.awaitLeader();
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

    private static int[] freePorts(int count) throws IOException {
        List<ServerSocket> held = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return held.stream().mapToInt(ServerSocket::getLocalPort).toArray();
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
        }
    }

    @Override
    public void start(int member) throws IOException {
        List<String> command = new ArrayList<>(hosts.get(member).entering());
        command.add("etcd");
        command.addAll(founding(member, token()));
        command.addAll(List.of("--listen-client-urls", endpoint(member).toString()));
        command.addAll(List.of("--advertise-client-urls", endpoint(member).toString()));
        command.addAll(List.of("--listen-peer-urls", peer(member)));
        command.addAll(flags);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("ETCD"));
        members[member] =
                builder.redirectErrorStream(true)
                        .redirectOutput(
                                ProcessBuilder.Redirect.appendTo(
                                        directory.resolve("m" + member + ".log").toFile()))
                        .start();
    }

    /** Of the members that {@link #start} makes. */
    public String token() {
        return directory.getFileName().toString();
    }

    /** What a member is made with, at its first start or by a restoration. */
    public List<String> founding(int member, String token) {
        String cluster = "";
        for (int i = 0; i < MEMBERS; i++) {
            cluster += (i == 0 ? "" : ",") + "m" + i + "=" + peer(i);
        }
        return List.of(
                "--name",
                "m" + member,
                "--data-dir",
                data(member).toString(),
                "--initial-advertise-peer-urls",
                peer(member),
                "--initial-cluster",
                cluster,
                "--initial-cluster-token",
                token);
    }

    /** The directory of a member's files. */
    public Path data(int member) {
        return directory.resolve("m" + member);
    }

    private URI endpoint(int member) {
        String scheme = tls.isPresent() ? "https" : "http";
        return URI.create(
                scheme + "://" + hosts.get(member).address() + ":" + clientPorts[member]);
    }

    private String peer(int member) {
        return "http://" + hosts.get(member).address() + ":" + peerPorts[member];
    }

    /** Where each listens for clients. */
    public List<Integer> clientPorts() {
        return Arrays.stream(clientPorts).boxed().toList();
    }

    /** One of them. */
    public ProcessHandle process(int member) {
        return members[member].toHandle();
    }

    public List<URI> endpoints() {
        return Stream.of(0, 1, 2).map(this::endpoint).toList();
    }

    EtcdSettings settings(Duration ttl) {
        return new EtcdSettings(endpoints(), ttl, tls, Optional.empty());
    }

    public Coordinator connect(Duration ttl) {
        return EtcdCoordinator.connect(settings(ttl));
    }

    private void awaitLeader() {
        try (Coordinator client = connect(Duration.ofSeconds(6))) {
            await().atMost(TO_START)
                    .ignoreExceptions()
                    .until(() -> client.read("k").version() == 0);
        }
    }

    /** Who leads, as one that is not asked in vain sees it. */
    @Override
    public int leader() throws IOException {
        try (EtcdClient client = new EtcdClient(settings(Duration.ofSeconds(6)))) {
            JsonNode status = ask(client, "/v3/maintenance/status");
            String leader = status.path("leader").asText();
            JsonNode list = ask(client, "/v3/cluster/member/list");
            for (JsonNode member : list.path("members")) {
                if (member.path("ID").asText().equals(leader)) {
                    return Integer.parseInt(member.path("name").asText().substring(1));
                }
            }
            throw new AssertionError("no leader in " + status + " and " + list);
        } catch (EtcdFailure e) {
            throw new IOException(e);
        }
    }

    private static JsonNode ask(EtcdClient client, String path) throws EtcdFailure {
        ObjectNode nothing = JsonNodeFactory.instance.objectNode();
        return client.ask(path, nothing, (answer, mayBeDone) -> answer);
    }

    @Override
    public void kill(int member) throws InterruptedException {
        members[member].destroyForcibly().waitFor();
    }

    @Override
    public void stop(int member) throws Exception {
        signal(member, "-STOP");
    }

    @Override
    public void goOn(int member) throws Exception {
        signal(member, "-CONT");
    }

    private void signal(int member, String signal) throws Exception {
        String id = Long.toString(members[member].pid());
        assertThat(new ProcessBuilder("kill", signal, id).inheritIO().start().waitFor()).isZero();
    }

    @Override
    public void close() throws InterruptedException {
        for (Process member : Arrays.asList(members)) {
            if (member != null) {
                member.destroyForcibly().waitFor();
            }
        }
    }
}
