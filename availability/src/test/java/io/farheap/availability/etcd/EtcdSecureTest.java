package io.farheap.availability.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.farheap.agent.config.AskedStore;
import io.farheap.availability.StoredPool;
import io.farheap.availability.StoredTerms;
import io.farheap.availability.coordinator.Certificates;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Listed;
import io.farheap.availability.coordinator.StoreSettings.Login;
import io.farheap.availability.coordinator.StoreSettings.Tls;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Swap.Outcome;
import io.farheap.base.FarheapException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real members of etcd with client certificates, users and roles. */
class EtcdSecureTest {
    private static final Duration TTL = Duration.ofSeconds(6);

    /** Of etcd's tokens: short, so that they end while a client is used. */
    private static final int TOKEN_SECONDS = 2;

    @TempDir static Path directory;
    private static Certificates certificates;
    private static EtcdProcesses etcd;

    @BeforeAll
    static void start() throws Exception {
        certificates = new Certificates(directory.resolve("certificates"));
        certificates.sign("etcd", "CN=etcd");
        certificates.sign("app", "O=app");
        certificates.sign("named", "CN=named");
        etcd =
                EtcdProcesses.start(
                        directory,
                        Optional.of(certificates.of("app")),
                        List.of(
                                "--client-cert-auth",
                                "--trusted-ca-file=" + certificates.authority(),
                                "--cert-file=" + certificates.certificate("etcd"),
                                "--key-file=" + certificates.key("etcd"),
                                "--auth-token-ttl=" + TOKEN_SECONDS));
        try (EtcdClient root = new EtcdClient(etcd.settings(TTL))) {
            ask(root, "user/add", "name", "root", "password", "root's");
            ask(root, "user/add", "name", "app", "password", "app's");
            ask(root, "role/add", "name", "root");
            ask(root, "role/add", "name", "pools");
            ObjectNode grant = JsonNodeFactory.instance.objectNode().put("name", "pools");
            grant.putObject("perm")
                    .put("permType", "READWRITE")
                    .put("key", Base64.getEncoder().encodeToString("pools/".getBytes()))
                    .put("range_end", Base64.getEncoder().encodeToString("pools0".getBytes()));
            root.ask("/v3/auth/role/grant", grant, (answer, mayBeDone) -> answer);
            ask(root, "user/grant", "user", "root", "role", "root");
            ask(root, "user/grant", "user", "app", "role", "pools");
            ask(root, "enable");
        }
    }

    private static void ask(EtcdClient client, String path, String... fields) {
        ObjectNode request = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < fields.length; i += 2) {
            request.put(fields[i], fields[i + 1]);
        }
        client.ask("/v3/auth/" + path, request, (answer, mayBeDone) -> answer);
    }

    @AfterAll
    static void stop() throws InterruptedException {
        if (etcd != null) {
            etcd.close();
        }
    }

    private static Coordinator connect(Tls tls, Optional<Login> login) {
        return EtcdCoordinator.connect(
                new EtcdSettings(etcd.endpoints(), TTL, Optional.of(tls), login));
    }

    private static Coordinator app() throws Exception {
        return connect(certificates.of("app"), Optional.of(new Login("app", "app's")));
    }

    @Test
    void aUserWithARoleWritesWhatTheRoleAllows() throws Exception {
        try (Coordinator client = app()) {
            Swap swap = client.compareAndSet("pools/allowed", 0, new byte[] {1});

            assertThat(swap.outcome()).isEqualTo(Outcome.APPLIED);
            assertThat(client.read("pools/allowed").version()).isEqualTo(swap.version());
            assertThat(client.announce("pools/lead", new byte[] {2}, TTL)).isPresent();
            assertThat(client.present("pools/lead")).isPresent();
        }
    }

    @Test
    void whatTheRoleDoesNotAllowIsRefusedForGood() throws Exception {
        try (Coordinator client = app()) {
            assertThatThrownBy(() -> client.compareAndSet("other", 0, new byte[] {1}))
                    .isInstanceOf(FarheapException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageStartingWith("etcd at https://127.0.0.1:")
                    .hasMessageContaining("permission denied");
        }
    }

    @Test
    void aRoleListsWhatItAllowsAndNoMore() throws Exception {
        try (Coordinator client = app()) {
            client.compareAndSet("pools/listed", 0, new byte[] {1});
            assertThat(client.list("pools/listed"))
                    .extracting(Listed::key)
                    .containsExactly("pools/listed");
            assertThatThrownBy(() -> client.list("pool"))
                    .isInstanceOf(FarheapException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("permission denied");
        }
    }

    @Test
    @Tag("deep")
    void aTokenThatHasEndedIsReplaced() throws Exception {
        try (Coordinator client = app()) {
            long version = client.compareAndSet("pools/token", 0, new byte[] {1}).version();
            // What ends a token is that it is not used: one request, then none for a while.
            awaitTokensEnd();

            Swap swap = client.compareAndSet("pools/token", version, new byte[] {2});
            assertThat(swap.outcome()).isEqualTo(Outcome.APPLIED);
        }
    }

    /** Another user's token, which is not used either, has ended by then. */
    private static void awaitTokensEnd() throws Exception {
        EtcdSettings settings =
                new EtcdSettings(
                        etcd.endpoints(),
                        TTL,
                        Optional.of(certificates.of("app")),
                        Optional.empty());
        try (EtcdTransport transport = new EtcdTransport(settings)) {
            Optional<String> token =
                    Optional.of(
                            transport
                                    .post(
                                            etcd.endpoints().get(0),
                                            "/v3/auth/authenticate",
                                            EtcdMessages.login(new Login("app", "app's")),
                                            Optional.empty(),
                                            TTL)
                                    .path("token")
                                    .asText());
            await().atMost(Duration.ofSeconds(30))
                    .pollInterval(Duration.ofSeconds(2L * TOKEN_SECONDS))
                    .until(() -> isRefused(transport, token));
        }
    }

    private static boolean isRefused(EtcdTransport transport, Optional<String> token) {
        try {
            transport.post(
                    etcd.endpoints().get(0),
                    "/v3/kv/range",
                    EtcdMessages.range("pools/token"),
                    token,
                    TTL);
            return false;
        } catch (EtcdFailure e) {
            return e.isOfToken();
        }
    }

    @Test
    void aWrongPasswordIsRefusedForGood() throws Exception {
        try (Coordinator client =
                connect(certificates.of("app"), Optional.of(new Login("app", "wrong")))) {
            assertThatThrownBy(() -> client.read("pools/a"))
                    .isInstanceOf(FarheapException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("authentication failed")
                    .hasMessageNotContaining("wrong\"");
        }
    }

    @Test
    void whoIsNoUserIsRefusedForGood() throws Exception {
        try (Coordinator client = connect(certificates.of("app"), Optional.empty())) {
            assertThatThrownBy(() -> client.compareAndSet("pools/a", 0, new byte[] {1}))
                    .isInstanceOf(FarheapException.class)
                    .isNotInstanceOf(StoreUnavailableException.class);
        }
    }

    /** The name could be taken for a user: etcd's gateway does not take it at all. */
    @Test
    void aCertificateWithACommonNameIsRefusedByTheGatewayInItsWords() throws Exception {
        try (Coordinator client =
                connect(certificates.of("named"), Optional.of(new Login("app", "app's")))) {
            assertThatThrownBy(() -> client.read("pools/a"))
                    .isInstanceOf(FarheapException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("CommonName of client");
        }
    }

    @Test
    void aCertificateOfAnotherAuthorityReachesNothing() throws Exception {
        Certificates others = new Certificates(directory.resolve("others"));
        others.sign("app", "O=app");
        Tls theirs =
                new Tls(certificates.authority(), others.certificate("app"), others.key("app"));
        try (Coordinator client = connect(theirs, Optional.of(new Login("app", "app's")))) {
            assertThatThrownBy(() -> client.read("pools/a"))
                    .isInstanceOf(StoreUnavailableException.class);
        }
        Tls distrusting =
                new Tls(
                        others.authority(),
                        certificates.certificate("app"),
                        certificates.key("app"));
        try (Coordinator client = connect(distrusting, Optional.of(new Login("app", "app's")))) {
            assertThatThrownBy(() -> client.read("pools/a"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("PKIX");
        }
    }

    @Test
    void aKeyThatIsNoKeySaysHowToMakeOne() throws Exception {
        Path wrong = Files.writeString(directory.resolve("wrong.key"), "BEGIN EC PRIVATE KEY");
        Tls tls = new Tls(certificates.authority(), certificates.certificate("app"), wrong);

        assertThatThrownBy(() -> connect(tls, Optional.empty()))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("openssl pkcs8 -topk8 -nocrypt");
    }

    /** As the setting ask of an agent says it. */
    @Test
    void anAgentAsksWithCertificatesAndAUser() throws Exception {
        try (Coordinator root =
                connect(certificates.of("app"), Optional.of(new Login("root", "root's")))) {
            new StoredPool(root, "main", "bank")
                    .putRecord(StoredPool.record(7, "a", Set.of("a", "b"), 1234));
        }
        Path password = Files.writeString(directory.resolve("password"), "root's\n");
        AskedStore.Access access =
                new AskedStore.Access(
                        certificates.authority(),
                        certificates.certificate("app"),
                        certificates.key("app"),
                        "root",
                        password);

        assertThat(new StoredTerms().termOf(asked(access))).isEqualTo(7);

        String wrong = Files.writeString(password, "another's").toString();
        assertThatThrownBy(() -> new StoredTerms().termOf(asked(access)))
                .isInstanceOf(FarheapException.class);
        Files.delete(password);
        assertThatThrownBy(() -> new StoredTerms().termOf(asked(access)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining(wrong + " cannot be read");
        assertThatThrownBy(() -> new StoredTerms().termOf(asked(AskedStore.Access.NONE)))
                .isInstanceOf(FarheapException.class);
    }

    private static AskedStore asked(AskedStore.Access access) {
        String address =
                etcd.endpoints().stream()
                        .map(URI::toString)
                        .collect(Collectors.joining(",", "etcd:", ""));
        return new AskedStore("copy.set", address, "bank", access);
    }
}
