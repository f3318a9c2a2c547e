package io.farheap.zookeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Swap.Outcome;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes back in ZooKeeper shows. */
@Tag("deep")
class RestoredStoreTest {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final String STORE = "/test/of/~store";

    @TempDir private Path directory;
    private ZooKeeperServers servers;

    @BeforeEach
    void start() throws Exception {
        servers = ZooKeeperServers.start(Files.createDirectory(directory.resolve("servers")));
    }

    @AfterEach
    void stop() throws InterruptedException {
        servers.close();
    }

    /** ZooKeeper's own numbers are higher than ever then: each leader begins above that before. */
    @Test
    void filesThatAreCopiedBackShowByTheRevision() throws Exception {
        try (Coordinator client = servers.connect(TTL)) {
            Swap kept = set(client, 0, "kept");
            killAll();
            copy(directory.resolve("servers"), directory.resolve("backup"));
            servers.startAll();
            assertThat(read(client).version()).isEqualTo(kept.version());
            Swap lost = set(client, kept.version(), "lost");
            lost = set(client, lost.version(), "lost, too");
            StoreStamp newest = client.read("k").stamp();
            assertThat(newest.follows(lost.stamp())).isTrue();

            killAll();
            copy(directory.resolve("backup"), directory.resolve("servers"));
            servers.startAll();
            killAll(); // the first leader over the old files has the number of the last one before
            servers.startAll();

            Versioned now = read(client);
            assertThat(new String(now.value().orElseThrow(), UTF_8)).isEqualTo("kept");
            assertThat(now.stamp().identity()).isEqualTo(newest.identity());
            assertThat(now.stamp().follows(newest)).isFalse();

            Swap next = set(client, now.version(), "new");
            assertThat(next.version())
                    .as("the number of a transaction tells nothing")
                    .isGreaterThan(lost.version());
            assertThat(next.stamp().follows(newest)).isFalse();
            assertThat(client.read("k").stamp().follows(newest)).isFalse();
        }
    }

    private void killAll() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            servers.kill(i);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path target = to.resolve(from.relativize(file));
                Files.createDirectories(target.getParent());
                Files.deleteIfExists(target);
                Files.copy(file, target);
            }
        }
        try (Stream<Path> files = Files.walk(to)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (!Files.exists(from.resolve(to.relativize(file)))) {
                    Files.delete(file);
                }
            }
        }
    }

    /** Until the servers have elected a leader. */
    private static Versioned read(Coordinator client) {
        return await().atMost(Duration.ofSeconds(90))
                .ignoreException(StoreUnavailableException.class)
                .until(() -> client.read("k"), now -> now.value().isPresent());
    }

    private static Swap set(Coordinator client, long version, String value) {
        Swap swap = client.compareAndSet("k", version, value.getBytes(UTF_8));
        assertThat(swap.outcome()).isEqualTo(Outcome.APPLIED);
        return swap;
    }

    @Test
    void aStoreThatIsMadeAnewHasAnotherIdentity() throws Exception {
        try (Coordinator client = servers.connect(TTL);
                ZooKeeper person = servers.plain()) {
            StoreStamp before = set(client, 0, "1").stamp();
            assertThat(ZKUtil.deleteRecursive(person, "/test", 10)).isTrue();
            assertThat(client.read("k").stamp()).isEqualTo(StoreStamp.NONE);

            assertThat(client.compareAndSet("k", 7, "2".getBytes(UTF_8)).outcome())
                    .isEqualTo(Outcome.LOST);
            assertThat(client.read("k").stamp().isNone()).isFalse();
            assertThat(client.read("k").stamp().follows(before)).isFalse();
            assertThat(set(client, 0, "3").stamp().follows(before)).isFalse();
        }
    }

    /** As whoever puts a backup back has to take it away: what is left is of an unknown time. */
    @ParameterizedTest
    @ValueSource(strings = {"k", "directory/k"})
    void keysWithoutAnIdentityAreReadAndNotChanged(String key) throws Exception {
        byte[] value = "1".getBytes(UTF_8);
        try (Coordinator client = servers.connect(TTL);
                ZooKeeper person = servers.plain()) {
            Swap before = client.compareAndSet(key, 0, value);
            assertThat(before.outcome()).isEqualTo(Outcome.APPLIED);
            assertThat(ZKUtil.deleteRecursive(person, STORE, 10)).isTrue();

            Versioned there = client.read(key);
            assertThat(there.value()).contains(value);
            assertThat(there.hasLostItsStore()).isTrue();
            assertThatThrownBy(() -> client.compareAndSet(key, before.version(), value))
                    .isInstanceOf(FarheapException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("no identity in " + STORE);
            String beside = key.replaceFirst("k$", "announced");
            if (!beside.equals("announced")) {
                assertThatThrownBy(() -> client.announce(beside, value, TTL))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("zkCli.sh: deleteall /test/of/directory");
            }
            assertThat(person.exists(STORE, false)).isNull();

            assertThat(ZKUtil.deleteRecursive(person, "/test/of", 10)).isTrue();
            Swap after = client.compareAndSet(key, 0, value);
            assertThat(after.outcome()).isEqualTo(Outcome.APPLIED);
            assertThat(after.stamp().follows(before.stamp())).isFalse();
        }
    }

    @Test
    void twoIdentitiesAndHalfOfOneAreRefused() throws Exception {
        try (Coordinator client = servers.connect(TTL);
                ZooKeeper person = servers.plain()) {
            String identity = set(client, 0, "1").stamp().identity();
            person.create(
                    STORE + "/second", null, ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            try (Coordinator fresh = servers.connect(TTL)) {
                assertThatThrownBy(() -> fresh.read("k"))
                        .isInstanceOf(FarheapException.class)
                        .isNotInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("more than one identity");
            }
            person.delete(STORE + "/second", -1);
            person.delete(STORE + "/" + identity + "/births", -1);
            assertThatThrownBy(() -> client.read("k"))
                    .isInstanceOf(FarheapException.class)
                    .isNotInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("has no " + STORE + "/" + identity + "/births");
        }
    }

    /**
     * A writer stands still between its look and its change, and a person takes the record away and
     * makes a new one, whose node has the same version as ZooKeeper counts it.
     */
    @Test
    void aValueThatWasTakenAwayAndMadeAgainIsAnotherOne() throws Exception {
        ZooKeeperSettings settings =
                ZooKeeperSettings.of(
                        new StoreSettings(
                                servers.address().substring("zookeeper:".length()),
                                TTL,
                                Optional.empty(),
                                Optional.empty()));
        try (Coordinator client = servers.connect(TTL);
                ZooKeeper person = servers.plain()) {
            set(client, 0, "old");
            StoreNode store = new StoreNode(settings);
            String path = new NodePaths(settings.base()).of("k");
            ZooKeeperTry one =
                    new ZooKeeperTry(person, settings, System.nanoTime() + TTL.toNanos(), () -> {});
            StoreNode.Found seen = store.findToChange(one, path);

            person.delete(path, -1);
            set(client, 0, "new");

            assertThatThrownBy(
                            () ->
                                    one.transact(
                                                    path,
                                                    store.change(
                                                            seen, path, "late".getBytes(UTF_8)))
                                            .get())
                    .isInstanceOf(KeeperException.BadVersionException.class);
            assertThat(new String(client.read("k").value().orElseThrow(), UTF_8)).isEqualTo("new");
        }
    }
}
