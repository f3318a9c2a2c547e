package io.farheap.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.availability.coordinator.Certificates;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.availability.coordinator.StoreSettings.Login;
import io.farheap.availability.coordinator.StoreSettings.Tls;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap.Outcome;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real server of ZooKeeper with client certificates and users. */
@Tag("deep")
class ZooKeeperSecureTest {
    private static final Duration TTL = Duration.ofSeconds(6);

    @TempDir static Path directory;
    private static Certificates certificates;
    private static ZooKeeperServers server;
    private static int securePort;

    @BeforeAll
    static void start() throws Exception {
        certificates = new Certificates(directory.resolve("certificates"));
        certificates.sign("server", "CN=server");
        certificates.sign("app", "O=app");
        try (ServerSocket free = new ServerSocket(0)) {
            securePort = free.getLocalPort();
        }
        server =
                ZooKeeperServers.start(
                        Files.createDirectory(directory.resolve("servers")),
                        1,
                        List.of(
                                "secureClientPort=" + securePort,
                                "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
                                "authProvider.x509=org.apache.zookeeper.server.auth.X509AuthenticationProvider",
                                "ssl.keyStore.location=" + certificates.both("server"),
                                "ssl.keyStore.type=PEM",
                                "ssl.trustStore.location=" + certificates.authority(),
                                "ssl.trustStore.type=PEM",
                                "ssl.clientAuth=need"));
    }

    @AfterAll
    static void stop() throws InterruptedException {
        if (server != null) {
            server.close();
        }
    }

    private static Coordinator secure(Path authorities, Path both) {
        return connect(securePort, Optional.of(new Tls(authorities, both, both)), Optional.empty());
    }

    private static Coordinator user(String name, String password) {
        return connect(
                server.clientPorts().get(0),
                Optional.empty(),
                Optional.of(new Login(name, password)));
    }

    private static Coordinator connect(int port, Optional<Tls> tls, Optional<Login> login) {
        return new ZooKeeperEngine()
                .connect(new StoreSettings("127.0.0.1:" + port + "/secure", TTL, tls, login));
    }

    @Test
    void aCertificateOfTheAuthorityIsLetIn() throws Exception {
        try (Coordinator client = secure(certificates.authority(), certificates.both("app"))) {
            assertThat(client.compareAndSet("tls/k", 0, bytes("1")).outcome())
                    .isEqualTo(Outcome.APPLIED);
            assertThat(client.read("tls/k").value()).contains(bytes("1"));
            assertThat(client.announce("tls/lead", bytes("1"), TTL)).isPresent();
        }
    }

    @Test
    void aCertificateOfAnotherAuthorityReachesNothing() throws Exception {
        Certificates others = new Certificates(directory.resolve("others"));
        others.sign("app", "O=app");
        try (Coordinator client = secure(certificates.authority(), others.both("app"))) {
            assertThatThrownBy(() -> client.read("tls/k"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("with TLS where they ask for it");
        }
        try (Coordinator client = secure(others.authority(), certificates.both("app"))) {
            assertThatThrownBy(() -> client.read("tls/k"))
                    .isInstanceOf(StoreUnavailableException.class);
        }
    }

    /** The certificate is of 127.0.0.1. */
    @Test
    void aServerWithAnothersNameReachesNothing() throws Exception {
        Path both = certificates.both("app");
        try (Coordinator client =
                new ZooKeeperEngine()
                        .connect(
                                new StoreSettings(
                                        "localhost:" + securePort + "/tls",
                                        TTL,
                                        Optional.of(new Tls(certificates.authority(), both, both)),
                                        Optional.empty()))) {
            assertThatThrownBy(() -> client.read("tls/k"))
                    .isInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void whoSpeaksNoTlsReachesNothing() {
        try (Coordinator client = connect(securePort, Optional.empty(), Optional.empty())) {
            assertThatThrownBy(() -> client.read("tls/k"))
                    .isInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void whatAUserHasMadeIsThatUsersOnly() throws IOException {
        try (Coordinator client = user("app", "app's")) {
            long version = client.compareAndSet("users/k", 0, bytes("1")).version();
            assertThat(client.compareAndSet("users/k", version, bytes("2")).outcome())
                    .isEqualTo(Outcome.APPLIED);
            assertThat(client.announce("users/lead", bytes("1"), TTL)).isPresent();
            assertThat(client.list("users/")).hasSize(2);

            requireRefused(user("app", "wrong"), version);
            requireRefused(user("other", "app's"), version);
            requireRefused(
                    connect(server.clientPorts().get(0), Optional.empty(), Optional.empty()),
                    version);
            assertThat(client.read("users/k").value()).contains(bytes("2"));
        }
    }

    private static void requireRefused(Coordinator other, long version) {
        try (other) {
            assertThatThrownBy(() -> other.read("users/k"))
                    .isInstanceOf(FarheapException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("(NOAUTH)")
                    .hasMessageContaining("its user and password")
                    .hasMessageNotContaining("wrong");
            assertThatThrownBy(() -> other.compareAndSet("users/k", version, bytes("3")))
                    .isInstanceOf(FarheapException.class)
                    .isNotInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> other.announce("users/here", bytes("3"), TTL))
                    .isInstanceOf(FarheapException.class)
                    .isNotInstanceOf(StoreUnavailableException.class);
            assertThatThrownBy(() -> other.list("users/"))
                    .isInstanceOf(FarheapException.class)
                    .isNotInstanceOf(StoreUnavailableException.class);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
