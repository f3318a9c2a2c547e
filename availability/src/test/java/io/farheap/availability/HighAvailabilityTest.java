package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.ObjectPool;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.MemoryStore;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreEngine;
import io.farheap.availability.coordinator.StoreFaults;
import io.farheap.availability.coordinator.StoreSettings;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node's turns from their begin to their end; the store is in memory, the other node away. */
@Timeout(120)
class HighAvailabilityTest {
    private static final String LAYOUT = "numbers";
    private static final PoolKeys KEYS = new PoolKeys(HighAvailability.USUAL_CLUSTER, "pool");

    @TempDir private Path directory;

    private final MemoryStore store = new MemoryStore(Duration.ofMillis(10));
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final AtomicInteger openings = new AtomicInteger();

    /** What happens before a node is announced. */
    private volatile Runnable beforeAnnouncement = () -> {};

    private Path copy;
    private Path writer;

    @BeforeEach
    void write() throws IOException {
        copy = directory.resolve("copy.set");
        writer = directory.resolve("writer.set");
        String part = "PMEMPOOLSET\n16M " + directory.resolve("pool.part0") + "\n";
        Files.writeString(copy, part);
        Files.writeString(writer, part + "REPLICA nowhere.invalid copy.set\n");
        Files.writeString(directory.resolve("writer.set.replication"), "attach-timeout = 2s\n");
        ObjectPool.create(copy, LAYOUT).close();
    }

    private HighAvailability here() {
        StoreSettings settings =
                new StoreSettings(
                        "here", Duration.ofSeconds(5), Optional.empty(), Optional.empty());
        return new HighAvailability(new StoreAddress(new MemoryEngine(), settings), "pool")
                .node("a")
                .copy(copy)
                .onWaiting(told::add);
    }

    private ObjectPool open() {
        openings.getAndIncrement();
        return ObjectPool.open(writer, LAYOUT);
    }

    /** Else the program has no handle of it, and its next opening waits for its own lock. */
    @Test
    void aPoolThatWasOpenedIsClosedWhenTheTurnFailsAfterwards() throws IOException {
        assertThatThrownBy(() -> here().create(this::openWithATermFileThatCanNotBeRead))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("does not say what this node has written in");
        assertThat(openings).hasValue(1);
        Files.delete(directory.resolve("pool.part0.term")); // else nobody opens it alone
        ObjectPool.open(copy, LAYOUT).close(); // nobody has it
    }

    private ObjectPool openWithATermFileThatCanNotBeRead() {
        ObjectPool opened = open();
        try {
            Files.writeString(directory.resolve("pool.part0.term"), "{");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return opened;
    }

    /** The order was given before the node was announced, and so its turn can see it. */
    @Test
    void aPauseThatWasOrderedAfterTheLookHoldsATurnUp() throws Exception {
        here().create(this::open).close();
        try (Coordinator orders = store.connect(StoreFaults.NONE)) {
            beforeAnnouncement =
                    () -> {
                        if (told.isEmpty()) {
                            order(orders, true);
                        }
                    };
            AtomicReference<Leadership<ObjectPool>> turn = new AtomicReference<>();
            Thread waiting = Thread.ofPlatform().start(() -> turn.set(here().open(this::open)));
            await().until(() -> told.stream().anyMatch(why -> why.contains("paused")));
            assertThat(openings).as("no take-over").hasValue(1);
            await().until(() -> orders.present(KEYS.lead()).isEmpty());
            order(orders, false);
            waiting.join();
            assertThat(turn.get().term()).isEqualTo(2);
            turn.get().close();
        }
    }

    /** They may be a pause of a later release's, and are waited for as in the look. */
    @Test
    void ordersThatCannotBeUnderstoodInTheTurnHoldItUpAndEndNothing() throws Exception {
        here().create(this::open).close();
        try (Coordinator orders = store.connect(StoreFaults.NONE)) {
            beforeAnnouncement =
                    () -> {
                        if (told.isEmpty()) {
                            set(orders, "{\"format\":2}");
                        }
                    };
            AtomicReference<Leadership<ObjectPool>> turn = new AtomicReference<>();
            Thread waiting = Thread.ofPlatform().start(() -> turn.set(here().open(this::open)));
            await().until(() -> told.stream().anyMatch(why -> why.contains("came to nothing")));
            assertThat(told).anyMatch(why -> why.contains("no order that this version"));
            assertThat(openings).as("no take-over").hasValue(1);
            set(orders, "{\"format\":1}");
            waiting.join();
            assertThat(turn.get().term()).isEqualTo(2);
            turn.get().close();
        }
    }

    private static void set(Coordinator client, String orders) {
        byte[] value = orders.getBytes(StandardCharsets.UTF_8);
        long version = client.read(KEYS.order()).version();
        assertThat(client.compareAndSet(KEYS.order(), version, value).outcome())
                .isEqualTo(Swap.Outcome.APPLIED);
    }

    /** The node may be stopped there for so long that nobody sees any more that it stood. */
    @Test
    void aPauseThatWasOrderedInTheTurnHoldsItUpUntilTheRecordIsWritten() throws Exception {
        here().create(this::open).close();
        try (Coordinator orders = store.connect(StoreFaults.NONE)) {
            AtomicReference<Leadership<ObjectPool>> turn = new AtomicReference<>();
            Supplier<ObjectPool> pausedMeanwhile =
                    () -> {
                        if (openings.get() == 1) {
                            order(orders, true);
                        }
                        return open();
                    };
            Thread waiting =
                    Thread.ofPlatform().start(() -> turn.set(here().open(pausedMeanwhile)));
            await().until(() -> told.stream().anyMatch(why -> why.contains("were paused when a")));
            await().until(() -> orders.present(KEYS.lead()).isEmpty());
            assertThat(new FailOverControl(orders, KEYS).look().term()).isEqualTo(1);
            order(orders, false);
            waiting.join();
            assertThat(turn.get().term()).isEqualTo(2);
            turn.get().close();
        }
    }

    private static void order(Coordinator client, boolean paused) {
        Orders now = Orders.read(client, KEYS);
        assertThat(now.withPaused(paused).write(client, KEYS)).isEqualTo(Swap.Outcome.APPLIED);
    }

    /** Clients of one store in memory. */
    private final class MemoryEngine implements StoreEngine {
        @Override
        public String kind() {
            return "memory";
        }

        @Override
        public String example() {
            return "memory:here";
        }

        @Override
        public void check(StoreSettings settings) {
            assertThat(settings.endpoints()).isEqualTo("here");
        }

        @Override
        public Coordinator connect(StoreSettings settings) {
            return new Client(store.connect(StoreFaults.NONE));
        }
    }

    private final class Client implements ForwardingCoordinator {
        private final Coordinator client;

        Client(Coordinator client) {
            this.client = client;
        }

        @Override
        public Coordinator store() {
            return client;
        }

        @Override
        public Optional<Presence> announce(String key, byte[] value, Duration ttl) {
            if (key.equals(KEYS.lead())) {
                beforeAnnouncement.run();
            }
            return client.announce(key, value, ttl);
        }

        @Override
        public Versioned read(String key) {
            return client.read(key);
        }

        @Override
        public Swap compareAndSet(String key, long version, byte[] value) {
            return client.compareAndSet(key, version, value);
        }
    }
}
