package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.UnixOperatingSystemMXBean;
import io.farheap.base.FarheapException;
import io.farheap.it.support.Machines;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.RemoteReplicaClient;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.session.AgentConnector;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.session.KeptAgents;
import io.farheap.replication.session.ReplicaReport;
import io.farheap.replication.tls.PemFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Whoever may not come to an agent that listens is refused with one line in its log, and those who
 * may notice nothing of it: a program commits all the time.
 */
@Timeout(300)
class StrangersTest {
    private static final int PATIENCE_MILLIS = 20_000;

    @TempDir private static Path directory;
    private static ServiceSite site;
    private static PemFiles bank;
    private static Load load;

    @BeforeAll
    static void startServiceAndProgram() throws Exception {
        site = new ServiceSite("allow = CN=bank copy.set");
        Machines machines = site.machines();
        bank = site.certificates().sign("bank", "CN=bank");
        machines.poolSet(ServiceSite.TARGET, "copy.set", "64M");
        site.comeAs(bank);
        load = Load.start(machines, set(), new Random().nextLong() >>> 16, 1);
        load.awaitOpen();
        load.go();
        load.awaitCommits(10);
    }

    private static Path set() {
        return site.machines().poolSet("here", "pool.set", "64M", "localhost copy.set");
    }

    @AfterEach
    void theProgramNoticesNothing() {
        load.awaitCommits(20);
        assertThat(load.complaints()).isEmpty();
        assertThat(site.service().isAlive()).isTrue();
    }

    @AfterAll
    static void endAll() {
        try {
            load.close();
        } finally {
            site.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "expired, -startdate -20d -validity 5, has expired",
        "early, -startdate +20d, is not valid yet",
        "server, -ext eku=serverAuth, not the one wanted",
    })
    @Tag("deep")
    void aCertificateThatIsNotGoodIsNamed(String name, String options, String words)
            throws Exception {
        PemFiles files = site.certificates().sign(name, "CN=bank", options.split(" ", -1));
        assertRefused(files, words);
    }

    @Test
    void aCertificateOfAnotherAuthorityIsNamed() throws Exception {
        PemFiles strange = new Certificates(directory).sign("bank", "CN=bank");
        assertRefused(
                new PemFiles(bank.authorities(), strange.certificate(), strange.key()),
                "is of none of the authorities in tls-ca");
    }

    /** To shake hands takes as long as to look at the local parts: it is done meanwhile. */
    @Test
    void anAgentThatIsNeededSoonIsReachedBeforeAnybodyAsksIt() throws Exception {
        int before = site.log().size();
        ReplicationSettings settings = settings(bank, site.port());
        RemoteReplica replica = RemoteReplica.at(ServiceSite.TARGET, "copy.set").orElseThrow();
        try (KeptAgents agents = new KeptAgents(AgentConnector.of(settings))) {
            agents.startAhead(replica, 0);
            site.awaitLogged(before, "A session of CN=bank");

            ReplicaReport seen =
                    new RemoteReplicaClient(replica, 0, settings, agents, Fabrics.of(settings))
                            .inspect(agents);
            assertThat(seen.holder()).startsWith("CN=bank, process ");
        }
        assertThat(site.log().subList(before, site.log().size()))
                .filteredOn(line -> line.matches(".* A session of CN=bank from \\S+ begins\\."))
                .hasSize(1);
    }

    /** The handshake fails on the other side, which can't know why. */
    @Test
    @Tag("deep")
    void aKeyOfAnotherCertificateIsNamed() throws Exception {
        PemFiles other = site.certificates().sign("other", "CN=other");
        assertThat(look(new PemFiles(bank.authorities(), bank.certificate(), other.key())))
                .contains(bank.certificate().toString(), other.key().toString())
                .contains("the key is another certificate's");
    }

    @Test
    @Tag("deep")
    void aCertificateWithoutANameIsNobody() throws Exception {
        Certificates nameless = site.certificates();
        assertRefused(
                nameless.sign("nameless", "O=Example", "-ext", "san=ip:127.0.0.1"),
                "none of the names");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "other | CN=other | CN=other",
                "within | CN=x\\,CN\\=bank | CN=x,CN=bank",
                "beside | OU=CN\\=bank, CN=x | CN=x",
                "behind | CN=x, CN=bank | CN=x",
            })
    @Tag("deep")
    void aCertificateThatNothingIsAllowedToMayNothing(String name, String subject, String known)
            throws Exception {
        int before = site.log().size();
        String refused = "does not allow " + known + " to read the replica \"copy.set\"";
        assertThat(look(site.certificates().sign(name, subject))).contains(refused);
        site.awaitLogged(before, refused);
    }

    @Test
    @Tag("long")
    void oneNameDoesNotTakeAllPlaces() throws Exception {
        PemFiles greedy = site.certificates().sign("greedy", "CN=greedy");
        List<SSLSocket> held = new ArrayList<>();
        try {
            SSLContext context = greedy.context();
            for (int i = 0; i < 512; i++) {
                SSLSocket socket = dial(context, "TLSv1.3", "farheap-control/1");
                held.add(socket);
                assertThat((char) socket.getInputStream().read()).isEqualTo('{');
            }
            try (SSLSocket more = dial(context, "TLSv1.3", "farheap-control/1")) {
                String said =
                        new String(more.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(said).contains("The target has 512 sessions of CN=greedy");
            }
            assertThat(look(bank)).isEqualTo("held");
        } finally {
            for (SSLSocket each : held) {
                each.close();
            }
        }
    }

    @Test
    void theInitiatorWantsTheNameThatItDialled() throws Exception {
        try (Recorder other = new Recorder(InetAddress.getByName("127.0.0.2"), site.port())) {
            assertThat(look(bank, "127.0.0.2", other.port()))
                    .contains("is not the one wanted")
                    .contains("No subject alternative names matching IP address 127.0.0.2");
        }
    }

    @Test
    void withoutACertificateNobodyComesIn() throws Exception {
        int before = site.log().size();
        SSLContext none = SSLContext.getInstance("TLS");
        none.init(null, trusting(), null);
        try (SSLSocket socket = dial(none, "TLSv1.3")) {
            assertEnds(socket);
        }
        site.awaitLogged(before, "shows no certificate of the authorities");
    }

    @Test
    void olderVersionsOfTlsAreRefused() throws Exception {
        int before = site.log().size();
        try (SSLSocket socket = dial(bank.context(), "TLSv1.2")) {
            assertEnds(socket);
        }
        site.awaitLogged(before, "does not speak TLS 1.3");
    }

    @Test
    void whoSpeaksAnotherProtocolWithinTlsIsRefused() throws Exception {
        int before = site.log().size();
        try (SSLSocket socket = dial(bank.context(), "TLSv1.3", "http/1.1")) {
            assertEnds(socket);
        }
        site.awaitLogged(before, "speak different protocols");
        before = site.log().size();
        try (SSLSocket socket = dial(bank.context(), "TLSv1.3")) {
            assertEnds(socket);
        }
        site.awaitLogged(before, "does not say what it wants to speak");
    }

    @Test
    void plainTextAndGarbageAreRefused() throws Exception {
        int before = site.log().size();
        say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        site.awaitLogged(before, "is not TLS");

        before = site.log().size();
        say("{\"type\":\"hello\"}\n".getBytes(StandardCharsets.US_ASCII));
        site.awaitLogged(before, "was refused");

        Random random = new Random(11);
        for (int i = 0; i < 50; i++) {
            byte[] garbage = new byte[1 + random.nextInt(4000)];
            random.nextBytes(garbage);
            if (i % 2 == 0 && garbage.length > 5) { // as a handshake begins
                garbage[0] = 22;
                garbage[1] = 3;
                garbage[2] = 3;
                garbage[3] = (byte) (garbage.length - 5 >> 8);
                garbage[4] = (byte) (garbage.length - 5);
            }
            say(garbage);
        }
    }

    /** What was said once opens nothing when it is said again. */
    @Test
    void aRecordedHandshakeOpensNothing() throws Exception {
        byte[] recorded;
        try (Recorder recorder = new Recorder(site.port())) {
            assertThat(look(bank, ServiceSite.TARGET, recorder.port())).isEqualTo("held");
            recorded = recorder.first();
        }
        assertThat(recorded.length).isGreaterThan(500);

        int before = site.log().size();
        byte[] answer = say(recorded);

        site.awaitLogged(before, "was refused");
        assertThat(new String(answer, StandardCharsets.ISO_8859_1)).doesNotContain("greeting");
    }

    @Test
    void whoCutsTheHandshakeAnywhereIsForgotten() throws Exception {
        byte[] recorded;
        try (Recorder recorder = new Recorder(site.port())) {
            assertThat(look(bank, ServiceSite.TARGET, recorder.port())).isEqualTo("held");
            recorded = recorder.first();
        }
        for (int length = 1; length < recorded.length; length += 1 + recorded.length / 40) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), site.port())) {
                socket.getOutputStream().write(recorded, 0, length);
            }
        }
    }

    /** More than can be looked at at once, all the time: who has a certificate comes in. */
    @Test
    void thousandsOfSilentConnectionsKeepNobodyOut() throws Exception {
        silentConnectionsKeepNobodyOut(2000);
    }

    /** Each takes a descriptor of this process until the end, and of the agent's for a moment. */
    @Test
    @Tag("deep")
    void tenThousandSilentConnectionsKeepNobodyOut() throws Exception {
        int wanted = 10_000;
        assumeThat(mostFiles()).as("ulimit -n").isGreaterThan(wanted + 1000);
        silentConnectionsKeepNobodyOut(wanted);
    }

    private static long mostFiles() {
        return ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getMaxFileDescriptorCount();
    }

    private static void silentConnectionsKeepNobodyOut(int count) throws Exception {
        List<SocketChannel> silent = new ArrayList<>();
        long begun = System.nanoTime();
        long longest = 0;
        long commits = load.acknowledged()[0];
        try {
            InetSocketAddress address =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), site.port());
            for (int i = 1; i <= count; i++) {
                silent.add(SocketChannel.open(address));
                if (i % 1000 == 0) {
                    long asked = System.nanoTime();
                    assertThat(look(bank)).isEqualTo("held");
                    longest = Math.max(longest, System.nanoTime() - asked);
                }
            }
            int before = site.log().size();
            site.awaitLogged(Math.max(0, before - 20), "that said nothing ended");
            System.out.printf(
                    "%d silent connections in %d ms: one with a certificate is served within %d ms,"
                            + " %d commits meanwhile%n",
                    count,
                    (System.nanoTime() - begun) / 1_000_000,
                    longest / 1_000_000,
                    load.acknowledged()[0] - commits);
        } finally {
            for (SocketChannel each : silent) {
                each.close();
            }
        }
    }

    // ---- what is said ----

    /** What who comes with these files is told of the replica; "held" where it sees it. */
    private static String look(PemFiles files) {
        return look(files, ServiceSite.TARGET, site.port());
    }

    private static String look(PemFiles files, String host, int port) {
        ReplicationSettings settings = settings(files, port);
        RemoteReplica replica = RemoteReplica.at(host, "copy.set").orElseThrow();
        try {
            ReplicaReport seen = new RemoteReplicaClient(replica, 0, settings).inspect();
            assertThat(seen.holder()).startsWith("CN=bank, process ");
            return "held";
        } catch (FarheapException e) {
            return e.getMessage();
        }
    }

    private static ReplicationSettings settings(PemFiles files, int port) {
        return ReplicationSettings.from(
                Map.of(
                        "FARHEAP_CONNECT", "tls:" + port,
                        "FARHEAP_TLS_CERT", files.certificate().toString(),
                        "FARHEAP_TLS_KEY", files.key().toString(),
                        "FARHEAP_TLS_CA", files.authorities().toString()));
    }

    private static void assertRefused(PemFiles files, String words) throws Exception {
        int before = site.log().size();
        assertThat(look(files))
                .startsWith("replica localhost copy.set: its agent at localhost port ")
                .contains("can't be reached: the other side ");
        site.awaitLogged(before, words);
    }

    private static TrustManager[] trusting() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream in = Files.newInputStream(bank.authorities())) {
            store.setCertificateEntry(
                    "authority", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static SSLSocket dial(SSLContext context, String version, String... protocols)
            throws IOException {
        SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket("localhost", site.port());
        socket.setSoTimeout(PATIENCE_MILLIS);
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setProtocols(new String[] {version});
        parameters.setApplicationProtocols(protocols);
        socket.setSSLParameters(parameters);
        return socket;
    }

    private static void assertEnds(SSLSocket socket) {
        StringBuilder heard = new StringBuilder();
        try {
            socket.startHandshake();
            InputStream in = socket.getInputStream();
            for (int b = in.read(); b >= 0; b = in.read()) {
                heard.append((char) b);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageNotContaining("timed out");
        }
        assertThat(heard).isEmpty();
    }

    /** Says it, and hears what comes until the other side ends the connection. */
    private static byte[] say(byte[] bytes) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), site.port())) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            ByteArrayOutputStream heard = new ByteArrayOutputStream();
            try {
                socket.getOutputStream().write(bytes);
                socket.shutdownOutput();
                socket.getInputStream().transferTo(heard);
            } catch (SocketException e) {
                assertThat(e.getMessage()).containsAnyOf("reset", "Broken pipe", "abort");
            }
            return heard.toByteArray();
        }
    }

    /** Passes connections on, and keeps what the first one's initiator said. */
    private static final class Recorder implements AutoCloseable {
        private final ServerSocket server;
        private final int to;
        private final ByteArrayOutputStream said = new ByteArrayOutputStream();
        private final List<Socket> sockets = new ArrayList<>();
        private volatile boolean done;

        Recorder(int to) throws IOException {
            this(InetAddress.getLoopbackAddress(), to);
        }

        Recorder(InetAddress at, int to) throws IOException {
            this.to = to;
            this.server = new ServerSocket(0, 10, at);
            Thread unused = Thread.ofPlatform().daemon().start(this::accept);
        }

        int port() {
            return server.getLocalPort();
        }

        byte[] first() {
            await().atMost(Duration.ofSeconds(20)).until(() -> done);
            synchronized (said) {
                return said.toByteArray();
            }
        }

        private void accept() {
            try {
                boolean first = true;
                while (true) {
                    Socket from = server.accept();
                    Socket on = new Socket(InetAddress.getLoopbackAddress(), to);
                    synchronized (sockets) {
                        sockets.add(from);
                        sockets.add(on);
                    }
                    boolean recorded = first;
                    first = false;
                    Thread there =
                            Thread.ofPlatform().daemon().start(() -> pass(from, on, recorded));
                    Thread back = Thread.ofPlatform().daemon().start(() -> pass(on, from, false));
                    assertThat(there).isNotEqualTo(back);
                }
            } catch (IOException e) {
                assertThat(server.isClosed()).isTrue();
            }
        }

        private void pass(Socket from, Socket to, boolean recorded) {
            byte[] bytes = new byte[1 << 14];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                    if (recorded) {
                        synchronized (said) {
                            said.write(bytes, 0, n);
                        }
                    }
                    out.write(bytes, 0, n);
                }
            } catch (IOException e) {
                assertThat(e.getMessage()).isNotNull(); // the other way has ended
            } finally {
                done |= recorded;
            }
        }

        @Override
        public void close() throws IOException {
            server.close();
            synchronized (sockets) {
                for (Socket each : sockets) {
                    each.close();
                }
            }
        }
    }
}
