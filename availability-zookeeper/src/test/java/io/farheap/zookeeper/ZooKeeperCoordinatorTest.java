package io.farheap.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.CoordinatorContract;
import io.farheap.availability.coordinator.Presence;
import io.farheap.base.FarheapException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three real servers of ZooKeeper keep the contract. */
class ZooKeeperCoordinatorTest extends CoordinatorContract {
    private static final Duration TTL = Duration.ofSeconds(6);

    @TempDir static Path directory;
    private static ZooKeeperServers servers;

    @BeforeAll
    static void start() throws Exception {
        servers = ZooKeeperServers.start(directory);
    }

    @AfterAll
    static void stop() throws InterruptedException {
        if (servers != null) {
            servers.close();
        }
    }

    @Override
    protected Coordinator connect() {
        return servers.connect(TTL);
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
            await().atMost(TTL).until(present::isLost);
            assertThat(present.replace(bytes("again"))).isFalse();

            Presence second = client.announce("ended", bytes("me"), TTL).orElseThrow();
            present.close();
            assertThat(second.isLost()).isFalse();
            assertThat(client.present("ended")).isPresent();
        }
    }

    /** Whoever has id and password of a session may close it. */
    static void end(ZooKeeper session) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        try (ZooKeeper same =
                new ZooKeeper(
                        servers.connectString(),
                        (int) TTL.toMillis(),
                        event -> {
                            if (event.getState() == KeeperState.SyncConnected) {
                                connected.countDown();
                            }
                        },
                        session.getSessionId(),
                        session.getSessionPasswd())) {
            connected.await();
        }
    }

    /** Of a session that requests are made in: nothing hangs on it. */
    @Test
    void requestsGoOnInANewSession() throws Exception {
        try (ZooKeeperCoordinator client = (ZooKeeperCoordinator) connect()) {
            long version = client.compareAndSet("session", 0, bytes("1")).version();
            end(client.session().handle());

            assertThat(client.compareAndSet("session", version, bytes("2")).version())
                    .isGreaterThan(version);
        }
    }

    @Test
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
}
