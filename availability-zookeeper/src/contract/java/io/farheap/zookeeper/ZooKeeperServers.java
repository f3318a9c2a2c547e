package io.farheap.zookeeper;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.availability.coordinator.StoreProcesses;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreSettings;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.ZooKeeper.States;

/**
 * Servers of ZooKeeper, as processes of this machine on free ports of 127.0.0.1, out of the jars
 * that the tests have. They agree on a new leader within seconds.
 */
public final class ZooKeeperServers implements StoreProcesses, AutoCloseable {
    private static final Duration TO_START = Duration.ofSeconds(60);
    private static final int SESSION_MILLIS = 10_000;

    /** Which all need, server and client alike; what is behind a version may be anything. */
    private static final List<String> JARS =
            List.of("zookeeper", "netty", "slf4j", "metrics-core", "snappy");

    private final Path directory;
    private final List<String> settings;
    private final List<Integer> clients;
    private final List<Integer> peers;
    private final List<Integer> elections;
    private final Process[] servers;

    private ZooKeeperServers(Path directory, int count, List<String> settings) throws IOException {
        List<Integer> ports = freePorts(3 * count);
        this.directory = directory;
        this.settings = settings;
        this.clients = ports.subList(0, count);
        this.peers = ports.subList(count, 2 * count);
        this.elections = ports.subList(2 * count, 3 * count);
        this.servers = new Process[count];
    }

    /** Three. */
    public static ZooKeeperServers start(Path directory) throws Exception {
        return start(directory, 3, List.of());
    }

    /**
     * @param settings lines of the configuration besides
     */
    public static ZooKeeperServers start(Path directory, int count, List<String> settings)
            throws Exception {
        ZooKeeperServers started = new ZooKeeperServers(directory, count, settings);
        started.startAll();
        return started;
    }

    /** Those that do not run, until all serve. */
    public void startAll() throws IOException {
        for (int i = 0; i < servers.length; i++) {
            if (servers[i] == null || !servers[i].isAlive()) {
                start(i);
            }
        }
        await().atMost(TO_START).until(() -> members().allMatch(member -> !mode(member).isEmpty()));
    }

    private Stream<Integer> members() {
        return IntStream.range(0, servers.length).boxed();
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

    /** One, or one again that was killed. */
    @Override
    public void start(int server) throws IOException {
        Path own = Files.createDirectories(files(server));
        Files.writeString(own.resolve("myid"), Integer.toString(server + 1));
        List<String> lines =
                new ArrayList<>(
                        List.of(
                                "tickTime=500",
                                "initLimit=20",
                                "syncLimit=6",
                                "maxSessionTimeout=60000",
                                "dataDir=" + own,
                                "clientPort=" + clients.get(server),
                                "clientPortAddress=127.0.0.1",
                                "admin.enableServer=false",
                                "forceSync=no",
                                "4lw.commands.whitelist=srvr"));
        if (servers.length > 1) {
            members()
                    .map(
                            i ->
                                    "server.%d=127.0.0.1:%d:%d"
                                            .formatted(i + 1, peers.get(i), elections.get(i)))
                    .forEach(lines::add);
        }
        lines.addAll(settings);
        Path configuration = Files.write(directory.resolve("s" + server + ".cfg"), lines);
        ProcessBuilder builder =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx96m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                        "-Dorg.slf4j.simpleLogger.log.org.apache.zookeeper=warn",
                        "-cp",
                        classPath(),
                        "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                        configuration.toString());
        servers[server] =
                builder.redirectErrorStream(true)
                        .redirectOutput(
                                ProcessBuilder.Redirect.appendTo(
                                        directory.resolve("s" + server + ".log").toFile()))
                        .start();
    }

    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(
                        entry ->
                                JARS.stream()
                                        .anyMatch(
                                                jar ->
                                                        Path.of(entry)
                                                                .getFileName()
                                                                .toString()
                                                                .startsWith(jar)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Where it keeps what it knows. */
    public Path files(int server) {
        return directory.resolve("s" + server);
    }

    /** As programs are told it. */
    public String address() {
        return addressOf(clients);
    }

    /** Where each listens for clients. */
    public List<Integer> clientPorts() {
        return clients;
    }

    /** The same through other ports of this machine. */
    public static String addressOf(List<Integer> ports) {
        return "zookeeper:" + endpoints(ports) + "/test/of";
    }

    private static String endpoints(List<Integer> ports) {
        return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    }

    /** A client of all. */
    public Coordinator connect(Duration ttl) {
        return connect(clients, ttl);
    }

    /** A client that knows these ports only. */
    public static Coordinator connect(List<Integer> ports, Duration ttl) {
        return new ZooKeeperEngine()
                .connect(
                        new StoreSettings(
                                endpoints(ports) + "/test/of",
                                ttl,
                                Optional.empty(),
                                Optional.empty()));
    }

    /** For ZooKeeper's own client. */
    public String connectString() {
        return endpoints(clients);
    }

    /** ZooKeeper's own client, connected: what other programs and persons have. */
    public ZooKeeper plain() throws IOException {
        return connected(new ZooKeeper(connectString(), SESSION_MILLIS, event -> {}));
    }

    /** Waits until it is. */
    static ZooKeeper connected(ZooKeeper client) {
        await().atMost(TO_START).until(() -> client.getState() == States.CONNECTED);
        return client;
    }

    /** Who leads; waits until one does. */
    @Override
    public int leader() {
        return await().atMost(TO_START)
                .until(
                        () -> members().filter(i -> mode(i).equals("leader")).findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    /** "leader", "follower", "standalone"; empty: it does not serve. */
    private String mode(int server) {
        if (servers[server] == null || !servers[server].isAlive()) {
            return "";
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), clients.get(server))) {
            socket.setSoTimeout(2_000);
            socket.getOutputStream().write("srvr".getBytes(US_ASCII));
            String said = new String(socket.getInputStream().readAllBytes(), US_ASCII);
            int mode = said.indexOf("Mode: ");
            return mode < 0 ? "" : said.substring(mode + 6).lines().findFirst().orElse("");
        } catch (IOException e) {
            return "";
        }
    }

    public ProcessHandle process(int server) {
        return servers[server].toHandle();
    }

    /** As with kill -9. */
    @Override
    public void kill(int server) throws InterruptedException {
        servers[server].destroyForcibly().waitFor();
    }

    @Override
    public void stop(int server) throws Exception {
        signal(server, "-STOP");
    }

    @Override
    public void goOn(int server) throws Exception {
        signal(server, "-CONT");
    }

    private void signal(int server, String signal) throws Exception {
        String id = Long.toString(servers[server].pid());
        assertThat(new ProcessBuilder("kill", signal, id).inheritIO().start().waitFor()).isZero();
    }

    @Override
    public void close() throws InterruptedException {
        for (Process server : servers) {
            if (server != null) {
                server.destroyForcibly().waitFor();
            }
        }
    }
}
