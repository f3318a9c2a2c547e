package io.farheap.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.CoordinatorHistory;
import io.farheap.availability.coordinator.StoreTrouble;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Swap.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Servers of ZooKeeper stop and die: no outcome that was told is wrong, and who does not know,
 * reads.
 */
@Tag("deep")
class ZooKeeperFailuresTest {
    private static final Duration TTL = Duration.ofSeconds(6);

    /** A new leader takes a few seconds, more on a machine that is busy. */
    private static final Duration NEW_LEADER = Duration.ofSeconds(60);

    private static final int DEEP_ROUNDS = 8;

    @TempDir private Path directory;
    private ZooKeeperServers servers;

    /**
     * @param settings of ZooKeeper besides
     */
    private void startServers(String... settings) throws Exception {
        servers = ZooKeeperServers.start(directory, 3, List.of(settings));
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (servers != null) {
            servers.close();
        }
    }

    @Test
    void aLeaderThatStopsAndOneThatDiesMakeNoOutcomeWrong() throws Exception {
        startServers();
        try (CoordinatorHistory history = new CoordinatorHistory()) {
            start(history);
            new StoreTrouble(servers, history).ofLeaders();

            assertThat(history.wrong(() -> servers.connect(TTL.multipliedBy(2)))).isEmpty();
            System.out.println("told: " + history.counts());
            assertThat(history.counts()).containsKeys(Outcome.APPLIED, Outcome.LOST);
        }
    }

    /** One client that knows all servers, and one for each that knows no other. */
    private void start(CoordinatorHistory history) {
        history.start("all", () -> servers.connect(TTL));
        for (int port : servers.clientPorts()) {
            history.start(port + "", () -> ZooKeeperServers.connect(List.of(port), TTL));
        }
    }

    @Test
    void withoutMostServersNothingIsToldToBeDone() throws Exception {
        startServers();
        try (Coordinator client = servers.connect(TTL)) {
            Swap first = client.compareAndSet("k", 0, new byte[] {1});
            servers.kill(0);
            servers.kill(1);

            Swap swap = client.compareAndSet("k", first.version(), new byte[] {2});
            assertThat(swap.outcome()).isEqualTo(Outcome.UNKNOWN);
            assertThatThrownBy(() -> client.read("k"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageStartingWith("ZooKeeper does not answer (127.0.0.1:")
                    .hasMessageEndingWith("it is asked again.");

            servers.start(0);
            await().atMost(NEW_LEADER)
                    .ignoreException(StoreUnavailableException.class)
                    .until(() -> client.read("k").version() >= first.version());
            byte now = client.read("k").value().orElseThrow()[0];
            try (Coordinator patient = servers.connect(NEW_LEADER)) {
                Swap again = patient.compareAndSet("k", first.version(), new byte[] {3});
                assertThat(again.outcome()).isEqualTo(now == 1 ? Outcome.APPLIED : Outcome.LOST);
            }
        }
    }

    /**
     * Until a leader has noticed that the others are gone, it answers a sync: they may have another
     * one by then, and newer values.
     */
    @Test
    void aReadIsNotAnsweredByALeaderThatTheOthersHaveLeft() throws Exception {
        // The leader notices after half a minute, however busy this machine is.
        startServers("syncLimit=60");
        int leader = servers.leader();
        List<Integer> port = List.of(servers.clientPorts().get(leader));
        try (Coordinator client = ZooKeeperServers.connect(port, TTL);
                ZooKeeper plain =
                        new ZooKeeper(
                                "127.0.0.1:" + port.get(0),
                                (int) NEW_LEADER.toMillis(),
                                event -> {})) {
            client.compareAndSet("k", 0, new byte[] {1});
            var unused = ZooKeeperServers.connected(plain);
            List<Integer> others = IntStream.range(0, 3).filter(i -> i != leader).boxed().toList();
            for (int other : others) {
                servers.stop(other);
            }

            CompletableFuture<Integer> synced = new CompletableFuture<>();
            plain.sync("/", (code, path, context) -> synced.complete(code), null);

            assertThat(synced.get()).as("ZooKeeper's sync, which is not asked").isZero();
            assertThatThrownBy(() -> client.read("k"))
                    .isInstanceOf(StoreUnavailableException.class);
            for (int other : others) {
                servers.goOn(other); // a session ends only where most servers agree
            }
        }
    }

    @Test
    void serversThatStopAndDieForALongTimeMakeNoOutcomeWrong() throws Exception {
        startServers();
        try (CoordinatorHistory history = new CoordinatorHistory()) {
            start(history);
            new StoreTrouble(servers, history).ofAny(DEEP_ROUNDS);
            System.out.println("told: " + history.counts());
            assertThat(history.wrong(() -> servers.connect(TTL.multipliedBy(2)))).isEmpty();
        }
    }
}
