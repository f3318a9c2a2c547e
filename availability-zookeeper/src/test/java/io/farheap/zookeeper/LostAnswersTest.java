package io.farheap.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Swap.Outcome;
import io.farheap.base.FarheapException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.ZooKeeper.States;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A connection breaks between a request and its answer. */
@Tag("deep")
class LostAnswersTest {
    private static final Duration TTL = Duration.ofSeconds(30);

    /** Of what is announced. */
    private static final Duration SESSION = Duration.ofSeconds(10);

    /** Which a machine that is busy does not use up while a connection is made again. */
    private static final Duration LONG_SESSION = Duration.ofSeconds(60);

    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir private Path directory;
    private ZooKeeperServers servers;
    private LossyRelay relay;
    private Coordinator far;
    private Coordinator near;
    private Swap first;

    @BeforeEach
    void start() throws Exception {
        servers =
                ZooKeeperServers.start(
                        directory, 1, List.of("minSessionTimeout=2000", "maxSessionTimeout=60000"));
        relay = new LossyRelay(servers.clientPorts().get(0));
        far = ZooKeeperServers.connect(List.of(relay.port()), TTL);
        near = servers.connect(TTL);
        first = far.compareAndSet("k", 0, bytes("1"));
        assertThat(first.outcome()).isEqualTo(Outcome.APPLIED);
    }

    @AfterEach
    void stop() throws Exception {
        far.close();
        near.close();
        relay.close();
        servers.close();
    }

    /** The server has done it: whoever is told "lost" would think that another one has. */
    @Test
    void aChangeWhoseAnswerIsLostIsNeitherLostNorApplied() throws Exception {
        relay.loseAnswersTo("second value");
        CompletableFuture<Swap> swap = change("second value");
        await().atMost(LONG).until(() -> near.read("k").version() > first.version());
        relay.cut();

        assertThat(swap.get().outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(far.read("k").value()).contains(bytes("second value"));
    }

    /** It has not arrived and can't any more: the second one is the only one. */
    @Test
    void aChangeThatIsLostIsMadeAgain() throws Exception {
        relay.loseRequestsFrom("second value");
        CompletableFuture<Swap> swap = change("second value");
        await().atMost(LONG).until(relay::loses);
        relay.cut();

        assertThat(swap.get().outcome()).isEqualTo(Outcome.APPLIED);
        assertThat(near.read("k").version()).isEqualTo(swap.get().version());
    }

    /** Another one was faster, as the look after it shows: but the first may be what is there. */
    @Test
    void aChangeThatIsLostWhileAnotherOneIsMadeIsUnknown() throws Exception {
        relay.loseRequestsFrom("second value");
        CompletableFuture<Swap> swap = change("second value");
        await().atMost(LONG).until(relay::loses);
        Swap faster = near.compareAndSet("k", first.version(), bytes("faster"));
        assertThat(faster.outcome()).isEqualTo(Outcome.APPLIED);
        relay.cut();

        assertThat(swap.get().outcome()).isEqualTo(Outcome.UNKNOWN);
        assertThat(near.read("k").value()).contains(bytes("faster"));
    }

    private CompletableFuture<Swap> change(String value) {
        return CompletableFuture.supplyAsync(
                () -> far.compareAndSet("k", first.version(), bytes(value)));
    }

    @Test
    void anAnnouncementWhoseAnswerIsLostIsFoundToBeOnesOwn() throws Exception {
        relay.loseAnswersTo("here I am");
        CompletableFuture<Optional<Presence>> announced =
                CompletableFuture.supplyAsync(
                        () -> far.announce("lead", bytes("here I am"), SESSION));
        await().atMost(LONG).until(() -> near.present("lead").isPresent());
        relay.cut();

        assertThat(announced.get()).isPresent();
        assertThat(announced.get().orElseThrow().isLost()).isFalse();
        assertThat(far.announce("lead", bytes("another"), SESSION)).isEmpty();
    }

    @Test
    void whatIsAnnouncedInsteadIsMadeAgainWhereTheAnswerIsLost() throws Exception {
        Presence presence = far.announce("lead", bytes("1"), SESSION).orElseThrow();
        relay.loseAnswersTo("here I am");
        CompletableFuture<Boolean> replaced =
                CompletableFuture.supplyAsync(() -> presence.replace(bytes("here I am")));
        await().atMost(LONG).until(relay::loses);
        relay.cut();

        assertThat(replaced.get()).isTrue();
        assertThat(near.present("lead")).contains(bytes("here I am"));
        assertThat(presence.isLost()).isFalse();
    }

    /** ZooKeeper keeps what is announced for a whole session's length. */
    @Test
    void aConnectionThatIsLostForAShortTimeEndsNothing() throws Exception {
        EphemeralPresence presence =
                (EphemeralPresence) far.announce("lead", bytes("1"), LONG_SESSION).orElseThrow();
        servers.stop(0);
        relay.cut();
        await().atMost(LONG).until(() -> presence.handle().getState() != States.CONNECTED);
        assertThat(presence.isLost()).isFalse();
        servers.goOn(0);

        await().atMost(LONG).until(() -> presence.handle().getState() == States.CONNECTED);
        assertThat(presence.isLost()).isFalse();
        assertThat(near.present("lead")).contains(bytes("1"));
    }

    @Test
    void whoHasHeardNothingForASessionsLengthIsLost() throws Exception {
        Presence presence = far.announce("lead", bytes("1"), SESSION).orElseThrow();
        servers.stop(0);
        relay.cut();

        await().during(SESSION.dividedBy(5))
                .atMost(SESSION.multipliedBy(2))
                .until(() -> !presence.isLost());
        await().atMost(LONG).until(presence::isLost);
        servers.goOn(0);
    }

    /** It hangs in a session that the client has given up, and lives on beside the next one. */
    @Test
    void aRemovalThatArrivesLateTakesNobodyElsesAway() throws Exception {
        assertThat(near.announce("lead", bytes("ended"), SESSION)).isPresent();
        relay.holdTransaction();
        far.remove("lead", bytes("ended"));
        assertThat(relay.holds()).isTrue();
        assertThat(near.announce("lead", bytes("new"), SESSION)).isPresent();

        relay.letGo();

        await().atMost(LONG).until(relay::hasAnswered);
        assertThat(near.present("lead")).contains(bytes("new"));
    }

    @Test
    void aSessionThatWouldOutliveTheTtlIsRefused() throws Exception {
        servers.kill(0);
        servers.close();
        Path other = directory.resolve("other");
        try (ZooKeeperServers slow =
                        ZooKeeperServers.start(
                                Files.createDirectory(other),
                                1,
                                List.of("minSessionTimeout=9000"));
                Coordinator client = slow.connect(Duration.ofSeconds(60))) {
            assertThatThrownBy(() -> client.announce("lead", bytes("1"), Duration.ofSeconds(8)))
                    .isInstanceOf(FarheapException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("no session of less than 9 s");
            assertThat(client.present("lead")).isEmpty();
            assertThat(client.announce("lead", bytes("1"), Duration.ofSeconds(9))).isPresent();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
