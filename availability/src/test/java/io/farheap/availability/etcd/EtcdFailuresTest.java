package io.farheap.availability.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.CoordinatorHistory;
import io.farheap.availability.coordinator.StoreTrouble;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Swap.Outcome;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Members of etcd stop and die: no outcome that was told is wrong, and who does not know, reads.
 */
class EtcdFailuresTest {
    private static final Duration TTL = Duration.ofSeconds(6);

    /** etcd needs a few seconds for a new leader, more on a machine that is busy. */
    private static final Duration NEW_LEADER = Duration.ofSeconds(60);

    private static final int DEEP_ROUNDS = 12;

    @TempDir private Path directory;
    private EtcdProcesses etcd;

    @BeforeEach
    void start() throws Exception {
        etcd = EtcdProcesses.start(directory);
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (etcd != null) {
            etcd.close();
        }
    }

    @Test
    void aLeaderThatStopsAndOneThatDiesMakeNoOutcomeWrong() throws Exception {
        try (CoordinatorHistory history = new CoordinatorHistory()) {
            start(history);
            new StoreTrouble(etcd, history).ofLeaders();

            assertThat(history.wrong(() -> etcd.connect(TTL.multipliedBy(10)))).isEmpty();
            System.out.println("told: " + history.counts());
            assertThat(history.counts()).containsKeys(Outcome.values());
        }
    }

    @Test
    @Tag("deep")
    void withoutMostMembersNothingIsToldToBeDone() throws Exception {
        try (Coordinator client = etcd.connect(TTL)) {
            Swap first = client.compareAndSet("k", 0, new byte[] {1});
            etcd.kill(0);
            etcd.kill(1);

            Swap swap = client.compareAndSet("k", first.version(), new byte[] {2});
            assertThat(swap.outcome()).isEqualTo(Outcome.UNKNOWN);
            assertThatThrownBy(() -> client.read("k"))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageStartingWith("etcd does not answer (http://127.0.0.1:")
                    .hasMessageContaining("can't be connected")
                    .hasMessageEndingWith("it is asked again.");

            etcd.start(0);
            await().atMost(NEW_LEADER)
                    .ignoreException(StoreUnavailableException.class)
                    .until(() -> client.read("k").version() >= first.version());
            byte now = client.read("k").value().orElseThrow()[0];
            Swap again = client.compareAndSet("k", first.version(), new byte[] {3});
            assertThat(again.outcome()).isEqualTo(now == 1 ? Outcome.APPLIED : Outcome.LOST);
        }
    }

    @Test
    @Tag("deep")
    void membersThatStopAndDieForALongTimeMakeNoOutcomeWrong() throws Exception {
        try (CoordinatorHistory history = new CoordinatorHistory()) {
            start(history);
            new StoreTrouble(etcd, history).ofAny(DEEP_ROUNDS);
            System.out.println("told: " + history.counts());
            assertThat(history.wrong(() -> etcd.connect(TTL.multipliedBy(10)))).isEmpty();
        }
    }

    /** One client that knows all members, and one for each that knows no other. */
    private void start(CoordinatorHistory history) {
        history.start("all", () -> etcd.connect(TTL));
        for (URI endpoint : etcd.endpoints()) {
            EtcdSettings settings = EtcdSettings.of(List.of(endpoint), TTL);
            history.start(endpoint.getPort() + "", () -> EtcdCoordinator.connect(settings));
        }
    }
}
