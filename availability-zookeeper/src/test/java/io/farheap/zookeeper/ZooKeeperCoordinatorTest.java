package io.farheap.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.availability.HighAvailability;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.CoordinatorContract;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Swap.Outcome;
import io.farheap.base.FarheapException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.ZooKeeper.States;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real ZooKeeper keeps the contract: one server of it, and three with the deep tests. */
@Tag("sliced")
class ZooKeeperCoordinatorTest extends CoordinatorContract {
    private static final Duration TTL = Duration.ofSeconds(6);

    /** Of clients: a request has half of it, however busy this machine is. */
    private static final Duration PATIENT = Duration.ofSeconds(60);

    @TempDir static Path directory;
    private static ZooKeeperServers servers;

    @BeforeAll
    static void start() throws Exception {
        int count = Boolean.getBoolean("test.deep") ? 3 : 1;
        servers = ZooKeeperServers.start(directory, count, List.of());
        try (Coordinator first = servers.connect(PATIENT)) {
            // The first change gives the store its identity.
            assertThat(first.compareAndSet("first", 0, bytes("1")).outcome())
                    .isEqualTo(Outcome.APPLIED);
        }
    }

    @AfterAll
    static void stop() throws InterruptedException {
        if (servers != null) {
            servers.close();
        }
    }

    @Override
    protected Coordinator connect() {
        return servers.connect(PATIENT);
    }

    @Override
    protected int largest() {
        return ZooKeeperCoordinator.MOST_BYTES;
    }

    /** A server would break the connection, and so would the next one. */
    @Test
    void aValueThatAServerHasNoRoomForIsRefused() {
        try (Coordinator client = connect()) {
            byte[] large = new byte[largest() + 1];
            assertThatThrownBy(() -> client.compareAndSet("large", 0, large))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("has room for 524288");
        }
    }

    /** Two ttls: without its session's pings it would be gone. */
    @Test
    @Tag("deep")
    void whoIsPresentStaysSoForMuchLongerThanTheTtl() {
        Duration ttl = Duration.ofSeconds(5);
        try (Coordinator client = connect()) {
            Presence present = client.announce("alive", bytes("me"), ttl).orElseThrow();
            await().during(ttl.multipliedBy(3).dividedBy(2))
                    .atMost(ttl.multipliedBy(4))
                    .until(() -> !present.isLost() && client.present("alive").isPresent());
        }
    }

    @Test
    void whoseSessionIsEndedHearsItAndIsAnnouncedAnew() throws Exception {
        try (Coordinator client = connect()) {
            Presence present = client.announce("ended", bytes("me"), TTL).orElseThrow();
            end(((EphemeralPresence) present).handle());

            assertThat(client.present("ended")).isEmpty();
            await().atMost(TTL.multipliedBy(5)).until(present::isLost);
            assertThat(present.replace(bytes("again"))).isFalse();

            Presence second = client.announce("ended", bytes("me"), TTL).orElseThrow();
            present.close();
            assertThat(second.isLost()).isFalse();
            assertThat(client.present("ended")).isPresent();
        }
    }

    /** Whoever has id and password of a session may close it. */
    private static void end(ZooKeeper session) throws Exception {
        try (ZooKeeper same =
                new ZooKeeper(
                        servers.connectString(),
                        (int) TTL.toMillis(),
                        event -> {},
                        session.getSessionId(),
                        session.getSessionPasswd())) {
            var unused = ZooKeeperServers.connected(same);
        }
    }

    /** Of a session that requests are made in: nothing hangs on it. */
    @Test
    @Tag("deep")
    void requestsGoOnInANewSession() throws Exception {
        try (ZooKeeperCoordinator client = (ZooKeeperCoordinator) connect()) {
            long version = client.compareAndSet("session", 0, bytes("1")).version();
            end(client.session().handle());

            assertThat(client.compareAndSet("session", version, bytes("2")).version())
                    .isGreaterThan(version);
        }
    }

    @Test
    @Tag("deep")
    void whatAnEarlierSessionOfThisClientHasLeftIsReplaced() {
        try (ZooKeeperCoordinator client = (ZooKeeperCoordinator) connect();
                Coordinator other = connect()) {
            EphemeralPresence left =
                    (EphemeralPresence) client.announce("left", bytes("1"), TTL).orElseThrow();
            assertThat(other.announce("left", bytes("2"), TTL)).isEmpty();

            client.endedSessions().add(left.handle().getSessionId());

            assertThat(client.announce("left", bytes("3"), TTL)).isPresent();
            assertThat(other.present("left")).contains(bytes("3"));
        }
    }

    /**
     * A process has seen an announcement of one that has ended, and stands still. Another one takes
     * it away and a third one announces itself, whose node has the same version as ZooKeeper counts
     * it.
     */
    @Test
    void aRemovalThatIsLateTakesNobodyElsesAway() throws Exception {
        try (Coordinator client = connect();
                Coordinator other = connect();
                ZooKeeper late = servers.plain()) {
            assertThat(other.announce("late/removal", bytes("ended"), TTL)).isPresent();
            StoreNode store = new StoreNode(settings());
            String path = path("late/removal");
            StoreNode.Sight seen = store.look(requests(late), path);

            client.remove("late/removal", bytes("ended"));
            assertThat(client.announce("late/removal", bytes("new"), TTL)).isPresent();

            assertThat(seen.isAnnounced()).isTrue();
            assertThat(EphemeralPresence.isRemoved(requests(late), store, path, seen)).isFalse();
            assertThat(client.present("late/removal")).contains(bytes("new"));

            StoreNode.Sight now = store.look(requests(late), path);
            assertThat(EphemeralPresence.isRemoved(requests(late), store, path, now)).isTrue();
            assertThat(client.present("late/removal")).isEmpty();
        }
    }

    /** The same with a new value of one's own announcement. */
    @Test
    @Tag("deep")
    void aReplacementThatIsLateReplacesNobodyElses() throws Exception {
        try (Coordinator client = connect();
                ZooKeeper late = servers.plain()) {
            String path = path("late/replacement");
            StoreNode store = new StoreNode(settings());
            assertThat(client.announce("late/replacement", bytes("mine"), TTL)).isPresent();
            StoreNode.Sight seen = store.look(requests(late), path);

            client.remove("late/replacement", bytes("mine"));
            try (Coordinator other = connect()) {
                assertThat(other.announce("late/replacement", bytes("new"), TTL)).isPresent();

                assertThatThrownBy(
                                () ->
                                        requests(late)
                                                .transact(
                                                        path,
                                                        store.replacement(
                                                                seen, path, bytes("mine again")))
                                                .get())
                        .isInstanceOf(KeeperException.BadVersionException.class);
                assertThat(client.present("late/replacement")).contains(bytes("new"));
            }
        }
    }

    private static ZooKeeperSettings settings() {
        return ZooKeeperSettings.of(
                new StoreSettings(
                        servers.address().substring("zookeeper:".length()),
                        PATIENT,
                        Optional.empty(),
                        Optional.empty()));
    }

    private static String path(String key) {
        return new NodePaths(settings().base()).of(key);
    }

    private static ZooKeeperTry requests(ZooKeeper handle) {
        return new ZooKeeperTry(
                handle, settings(), System.nanoTime() + settings().bound().toNanos(), () -> {});
    }

    /** Else a session would live that nobody ends. */
    @Test
    void whoHasClosedAnnouncesAndWatchesNothing() {
        try (Coordinator other = connect()) {
            Coordinator client = connect();
            client.close();

            assertThatThrownBy(() -> client.announce("closed", bytes("1"), TTL))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("is closed");
            assertThatThrownBy(() -> client.watch("closed", () -> {}))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("is closed");
            assertThatThrownBy(() -> client.list("closed"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("is closed");
            assertThat(other.present("closed")).isEmpty();
        }
    }

    @Test
    void anInterruptKeepsNoAnnouncementAlive() {
        try (Coordinator client = connect();
                Coordinator other = connect()) {
            Presence present = client.announce("interrupted", bytes("me"), TTL).orElseThrow();

            Thread.currentThread().interrupt();
            present.close();

            assertThat(Thread.interrupted()).as("the flag is kept").isTrue();
            assertThat(other.present("interrupted")).isEmpty();
        }
    }

    /** Its client believes for a while that it is connected. */
    @Test
    void aProcessThatStoodStillForTooLongIsLostAtOnce() {
        Thread still = Thread.currentThread();
        AtomicLong stoodStill = new AtomicLong();
        try (Coordinator client = connect()) {
            ZooKeeper handle =
                    ((EphemeralPresence) client.announce("still", bytes("me"), TTL).orElseThrow())
                            .handle();
            try (SessionContact contact =
                    new SessionContact(
                            handle,
                            "/",
                            () -> System.nanoTime() + (isHere(still) ? stoodStill.get() : 0),
                            System.nanoTime())) {
                assertThat(contact.isLost()).isFalse();

                stoodStill.set(TTL.toNanos());
                assertThat(handle.getState()).isEqualTo(States.CONNECTED);
                assertThat(contact.isLost()).isTrue();

                await().pollInSameThread()
                        .until(
                                () -> {
                                    contact.ask();
                                    return !contact.isLost();
                                });
            }
        }
    }

    private static boolean isHere(Thread thread) {
        return Thread.currentThread() == thread;
    }

    @Test
    void aLookMakesNothing() throws Exception {
        String base = "/looked/at";
        try (Coordinator client =
                        new ZooKeeperEngine()
                                .connect(
                                        new StoreSettings(
                                                servers.connectString() + base,
                                                PATIENT,
                                                Optional.empty(),
                                                Optional.empty()));
                ZooKeeper plain = servers.plain()) {
            assertThat(client.read("a/k").value()).isEmpty();
            assertThat(client.read("a/k").stamp()).isEqualTo(StoreStamp.NONE);
            assertThat(client.present("a/k")).isEmpty();
            assertThat(client.list("a/")).isEmpty();
            client.remove("a/k", bytes("1"));
            assertThat(plain.exists("/looked", false)).isNull();

            Swap first = client.compareAndSet("a/k", 0, bytes("1"));
            assertThat(first.outcome()).isEqualTo(Outcome.APPLIED);
            assertThat(first.stamp().isNone()).isFalse();
            assertThat(client.read("a/k").stamp().follows(first.stamp())).isTrue();
        }
    }

    /** As threads of a container may have it. */
    @Test
    void theClassLoaderOfAThreadNeedNotSeeIt() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
        try {
            assertThat(HighAvailability.of(servers.address(), "bank")).isNotNull();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    @Tag("deep")
    void namesThatAreTooManyForAnAnswerAreSaidToBe() {
        String property = "jute.maxbuffer";
        try (Coordinator client = connect();
                Coordinator hasty = servers.connect(TTL)) {
            for (int i = 0; i < 100; i++) {
                client.compareAndSet("names/" + "n".repeat(240) + i, 0, bytes("1"));
            }
            assertThat(client.list("names/")).hasSize(100);
            System.setProperty(property, "20000");
            assertThatThrownBy(() -> hasty.list("names/"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("which has 100 nodes")
                    .hasMessageContaining(property);
            assertThat(client.read("first").value()).isPresent();
        } finally {
            System.clearProperty(property);
        }
    }
}
