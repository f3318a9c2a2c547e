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
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.NoAuthException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real server of ZooKeeper with client certificates and users. */
@Tag("deep")
class ZooKeeperSecureTest {
    private static final Duration TTL = Duration.ofSeconds(6);

    /** Of clients that are let in: a request has half of it, however busy this machine is. */
    private static final Duration PATIENT = Duration.ofSeconds(60);

    private static final Id X509 = new Id("x509", "O=app");

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

    private static Coordinator secure(Path authorities, Path both, Duration ttl) {
        return connect(
                "127.0.0.1:" + securePort + "/tls",
                ttl,
                Optional.of(new Tls(authorities, both, both)),
                Optional.empty());
    }

    private static Coordinator user(String name, String password) {
        return user(name, password, "/users");
    }

    private static Coordinator user(String name, String password, String base) {
        return connect(
                server.connectString() + base,
                PATIENT,
                Optional.empty(),
                Optional.of(new Login(name, password)));
    }

    private static Coordinator nobody(String base) {
        return connect(server.connectString() + base, PATIENT, Optional.empty(), Optional.empty());
    }

    private static Coordinator connect(
            String endpoints, Duration ttl, Optional<Tls> tls, Optional<Login> login) {
        return new ZooKeeperEngine().connect(new StoreSettings(endpoints, ttl, tls, login));
    }

    @Test
    void aCertificateOfTheAuthorityIsLetIn() throws Exception {
        try (Coordinator client =
                secure(certificates.authority(), certificates.both("app"), PATIENT)) {
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
        try (Coordinator client = secure(certificates.authority(), others.both("app"), TTL)) {
            assertThatThrownBy(() -> client.read("tls/k"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("with TLS where they ask for it");
        }
        try (Coordinator client = secure(others.authority(), certificates.both("app"), TTL)) {
            assertThatThrownBy(() -> client.read("tls/k"))
                    .isInstanceOf(StoreUnavailableException.class);
        }
    }

    /** The certificate is of 127.0.0.1. */
    @Test
    void aServerWithAnothersNameReachesNothing() throws Exception {
        Path both = certificates.both("app");
        Tls tls = new Tls(certificates.authority(), both, both);
        String endpoints = "localhost:" + securePort + "/tls";
        try (Coordinator client = connect(endpoints, TTL, Optional.of(tls), Optional.empty())) {
            assertThatThrownBy(() -> client.read("tls/k"))
                    .isInstanceOf(StoreUnavailableException.class);
        }
        String property = "zookeeper.ssl.hostnameVerification";
        System.setProperty(property, "false");
        try (Coordinator client = connect(endpoints, PATIENT, Optional.of(tls), Optional.empty())) {
            assertThat(client.read("tls/none").value()).as("the name is all").isEmpty();
        } finally {
            System.clearProperty(property);
        }
    }

    @Test
    void whoSpeaksNoTlsReachesNothing() {
        try (Coordinator client =
                connect(
                        "127.0.0.1:" + securePort + "/tls",
                        TTL,
                        Optional.empty(),
                        Optional.empty())) {
            assertThatThrownBy(() -> client.read("tls/k"))
                    .isInstanceOf(StoreUnavailableException.class);
        }
    }

    @Test
    void whatAUserHasMadeIsThatUsersOnly() throws Exception {
        try (Coordinator client = user("app", "app's")) {
            long version = client.compareAndSet("users/k", 0, bytes("1")).version();
            assertThat(client.compareAndSet("users/k", version, bytes("2")).outcome())
                    .isEqualTo(Outcome.APPLIED);
            assertThat(client.announce("users/lead", bytes("1"), TTL)).isPresent();
            assertThat(client.list("users/")).hasSize(2);

            requireRefused(user("app", "wrong"), version);
            requireRefused(user("other", "app's"), version);
            requireRefused(nobody("/users"), version);
            requireNodesRefused(client.read("users/k").stamp().identity());
            assertThat(client.read("users/k").value()).contains(bytes("2"));
        }
    }

    /** The server takes the certificate for one more user of the connection. */
    @Test
    void aCertificateIsNoPermissionForWhatAUserHasMade() throws Exception {
        Path both = certificates.both("app");
        Tls tls = new Tls(certificates.authority(), both, both);
        String endpoints = "127.0.0.1:" + securePort + "/both";
        try (Coordinator client =
                        connect(
                                endpoints,
                                PATIENT,
                                Optional.of(tls),
                                Optional.of(new Login("app", "app's")));
                Coordinator without =
                        connect(endpoints, PATIENT, Optional.of(tls), Optional.empty());
                ZooKeeper owner = server.plain()) {
            long version = client.compareAndSet("k", 0, bytes("1")).version();
            assertThatThrownBy(() -> without.compareAndSet("k", version, bytes("2")))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("(NOAUTH)");
            owner.addAuthInfo("digest", bytes("app:app's"));
            for (String node : ZKUtil.listSubTreeBFS(owner, "/both")) {
                assertThat(owner.getACL(node, null))
                        .as(node)
                        .allSatisfy(
                                entry -> assertThat(entry.getId().getScheme()).isEqualTo("digest"));
            }
            List<ACL> certificate = Collections.singletonList(new ACL(ZooDefs.Perms.ALL, X509));
            assertThat(owner.setACL("/both", certificate, -1)).isNotNull();
            assertThatThrownBy(() -> client.read("k"))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("x509:O=app may change /both,");
        }
    }

    /** By ZooKeeper itself: a client of its own is not kept from it by Farheap. */
    private static void requireNodesRefused(String identity) throws Exception {
        try (ZooKeeper owner = server.plain();
                ZooKeeper other = server.plain()) {
            owner.addAuthInfo("digest", bytes("app:app's"));
            other.addAuthInfo("digest", bytes("other:app's"));
            List<String> nodes = ZKUtil.listSubTreeBFS(owner, "/users");
            assertThat(nodes)
                    .contains(
                            "/users/~store/" + identity,
                            "/users/~store/" + identity + "/births",
                            "/users/users/=k",
                            "/users/users/=lead");
            for (String node : nodes) {
                assertThat(owner.getACL(node, null))
                        .as(node)
                        .allSatisfy(
                                entry -> {
                                    assertThat(entry.getId().getScheme()).isEqualTo("digest");
                                    assertThat(entry.getId().getId()).startsWith("app:");
                                });
                Stat stat = owner.exists(node, false);
                assertThatThrownBy(() -> other.getData(node, false, null))
                        .as(node)
                        .isInstanceOf(NoAuthException.class);
                assertThatThrownBy(() -> other.setData(node, bytes("other's"), -1))
                        .as(node)
                        .isInstanceOf(NoAuthException.class);
                assertThat(owner.exists(node, false)).isEqualTo(stat);
            }
            assertThatThrownBy(() -> other.delete("/users/users/=k", -1))
                    .isInstanceOf(NoAuthException.class);
            assertThat(owner.setData("/users/users", bytes("mine"), -1)).isNotNull();
        }
    }

    /** A program that was given no user has made the store, or a person has made the base. */
    @Test
    void whatAnyoneMayChangeIsNoStoreForAUser() throws Exception {
        try (Coordinator open = nobody("/open")) {
            assertThat(open.compareAndSet("k", 0, bytes("1")).outcome()).isEqualTo(Outcome.APPLIED);
        }
        try (ZooKeeper person = server.plain();
                Coordinator made = user("app", "app's", "/made");
                Coordinator client = user("app", "app's", "/open")) {
            person.addAuthInfo("digest", bytes("app:app's"));
            person.create("/made", null, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            assertThatThrownBy(() -> made.compareAndSet("k", 0, bytes("2")))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("anyone may change /made,");
            assertThat(person.getChildren("/made", false)).isEmpty();

            assertThatThrownBy(() -> client.read("k"))
                    .isInstanceOf(FarheapException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("anyone may change /open,")
                    .hasMessageContaining("setAcl -R /open auth::cdrwa");
            List<String> nodes = ZKUtil.listSubTreeBFS(person, "/open");
            for (String node : nodes) {
                assertThatThrownBy(() -> client.read("k"))
                        .hasMessageContaining("anyone may change");
                assertThat(person.setACL(node, ZooDefs.Ids.CREATOR_ALL_ACL, -1)).isNotNull();
            }
            assertThat(client.read("k").value()).contains(bytes("1"));
        }
    }

    /** The store is the user's, and a directory of keys is not, or the record. */
    @Test
    void whatAnyoneMayTakeAwayIsNoValueForAUser() throws Exception {
        try (ZooKeeper person = server.plain();
                Coordinator client = user("app", "app's", "/keys")) {
            person.addAuthInfo("digest", bytes("app:app's"));
            long version = client.compareAndSet("pool/k", 0, bytes("1")).version();
            for (String node : List.of("/keys/pool", "/keys/pool/=k")) {
                assertThat(person.setACL(node, ZooDefs.Ids.OPEN_ACL_UNSAFE, -1)).isNotNull();
                assertThatThrownBy(() -> client.read("pool/k"))
                        .isInstanceOf(FarheapException.class)
                        .isNotInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("anyone may change " + node + ",");
                assertThatThrownBy(() -> client.compareAndSet("pool/k", version, bytes("2")))
                        .hasMessageContaining("anyone may change " + node + ",");
                assertThat(person.setACL(node, ZooDefs.Ids.CREATOR_ALL_ACL, -1)).isNotNull();
            }
            assertThat(client.read("pool/k").value()).contains(bytes("1"));
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
