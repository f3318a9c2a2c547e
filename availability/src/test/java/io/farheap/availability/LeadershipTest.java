package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.MemoryStore;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreFaults;
import io.farheap.availability.coordinator.StoreFaults.Fate;
import io.farheap.availability.coordinator.StoreRefusedException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a writer announces while it writes, and how it hears that it is to stop. */
@Timeout(60)
class LeadershipTest {
    private static final PoolKeys KEYS = new PoolKeys("cluster", "pool");
    private static final Duration TTL = Duration.ofSeconds(10);

    @TempDir private Path directory;

    private final MemoryStore memory = new MemoryStore(Duration.ofMillis(10));
    private final Coordinator others = memory.connect(StoreFaults.NONE);
    private volatile Fate fate = Fate.ANSWERED;
    private final Coordinator store = memory.connect(() -> fate);
    private final List<String> lost = new CopyOnWriteArrayList<>();
    private final List<String> closed = new CopyOnWriteArrayList<>();
    private final List<String> warned = new CopyOnWriteArrayList<>();
    private final AtomicInteger looks = new AtomicInteger();
    private final WriterLoss loss = new WriterLoss();
    private Leadership<AutoCloseable> turn;

    @BeforeEach
    void aWritesInTerm7() {
        write(7, "a");
        turn = begin(store);
        turn.onLost(lost::add);
    }

    private Leadership<AutoCloseable> begin(Coordinator client) {
        return new Leadership<>(
                () -> closed.add("closed while " + leader() + " writes"),
                Lead.of("a").with(7, ""),
                client,
                KEYS,
                new PoolRecord(
                                client,
                                KEYS,
                                "a",
                                WaitingStamps.ofALook(directory.resolve("p")),
                                new Random(1))
                        ::look,
                TTL,
                client.announce(KEYS.lead(), Lead.of("a").encode(), TTL).orElseThrow(),
                Orders.read(others, KEYS),
                loss,
                warned::add);
    }

    @AfterEach
    void end() {
        turn.close();
        others.close();
    }

    private void write(long term, String writer) {
        TreeSet<String> set = new TreeSet<>(List.of("a", "b"));
        ClusterRecord record = new ClusterRecord(term, writer, set, 12, 0, "0".repeat(32));
        long version = others.read(KEYS.record()).version();
        assertThat(
                        others.compareAndSet(
                                        KEYS.record(), version, ClusterRecordCodec.encode(record))
                                .outcome())
                .isEqualTo(Swap.Outcome.APPLIED);
    }

    private void order(Orders orders) {
        assertThat(orders.write(others, KEYS)).isEqualTo(Swap.Outcome.APPLIED);
    }

    private Optional<Lead> lead() {
        return others.present(KEYS.lead()).map(value -> Lead.decode(KEYS.lead(), value));
    }

    private String leader() {
        return lead().map(Lead::node).orElse("nobody");
    }

    @Test
    void theTermAndTheEndpointAreAnnounced() {
        await().until(() -> lead().orElseThrow().term() == 7);
        turn.announce("https://a:8443");
        assertThat(lead().orElseThrow().endpoint()).isEqualTo("https://a:8443");
        assertThat(lead().orElseThrow().term()).isEqualTo(7);
        assertThat(turn.term()).isEqualTo(7);
    }

    @Test
    void whatTheStoreLosesIsAnnouncedAgain() {
        turn.announce("https://a:8443");
        memory.endLeases(store);
        await().until(() -> lead().isPresent());
        assertThat(lead().orElseThrow().endpoint()).isEqualTo("https://a:8443");
        assertThat(lost).isEmpty();
    }

    /** By a process of the same node that does not see this one; the lease lives on. */
    @Test
    void whatIsTakenAwayIsAnnouncedAgain() {
        turn.close();
        turn = begin(new LivingLeases(memory.connect(StoreFaults.NONE)));
        turn.announce("https://a:8443");
        others.remove(KEYS.lead(), others.present(KEYS.lead()).orElseThrow());
        await().until(() -> lead().isPresent());
        assertThat(lead().orElseThrow().endpoint()).isEqualTo("https://a:8443");
        assertThat(lost).isEmpty();
    }

    @Test
    void anEndpointThatTheStoreDoesNotHearOfIsAnnouncedLater() {
        fate = Fate.CUT;
        turn.announce("https://a:8443");
        fate = Fate.ANSWERED;
        await().until(() -> lead().orElseThrow().endpoint().equals("https://a:8443"));
    }

    @Test
    void whileTheStoreIsAwayNothingIsLost() {
        fate = Fate.CUT;
        Versioned before = others.read(KEYS.record());
        write(8, "b");
        assertThat(others.read(KEYS.record()).version()).isGreaterThan(before.version());
        assertThat(lost).isEmpty();
        fate = Fate.ANSWERED;
        await().until(() -> !lost.isEmpty());
    }

    @Test
    void whoHasAHigherTermEndsTheTurnAndTheAnnouncement() {
        write(8, "b");
        await().until(() -> !lost.isEmpty());
        assertThat(lost.get(0)).contains("b writes in term 8");
        await().until(() -> lead().isEmpty());
        turn.announce("https://a:8443");
        assertThat(lead()).isEmpty();
        assertThat(lost).hasSize(1);
    }

    @Test
    void whoAsksLateIsToldToo() {
        write(8, "b");
        await().until(() -> !lost.isEmpty());
        List<String> late = new CopyOnWriteArrayList<>();
        turn.onLost(late::add);
        await().until(() -> late.equals(lost));
    }

    @Test
    void anOrderToHandOverIsPassedOnAndTheWriterIsAnnouncedUntilItHasClosed() {
        order(Orders.read(others, KEYS).withTo(Optional.of("b")));
        await().until(() -> !lost.isEmpty());
        assertThat(lost.get(0)).contains("b is to be the next writer");
        assertThat(leader()).isEqualTo("a");
        turn.close();
        assertThat(closed).containsExactly("closed while a writes");
        assertThat(leader()).isEqualTo("nobody");
    }

    @Test
    void thatTheStoreWentBackIsToldOnceAndNoOrderIsFollowedThere() {
        turn.close();
        MemoryStore.Backup backup = memory.backup();
        write(7, "a");
        turn = begin(new CountedReads(memory.connect(StoreFaults.NONE), looks));
        turn.onLost(lost::add);
        int first = looks.get();
        await().until(() -> looks.get() > first + 4);
        memory.restore(backup, true);
        await().until(() -> !warned.isEmpty()); // what was read before that may be followed
        order(Orders.read(others, KEYS).withTo(Optional.of("b")));
        int before = looks.get();
        await().until(() -> looks.get() > before + 4);
        assertThat(warned)
                .singleElement()
                .asString()
                .contains("restored or is another one", "commits go on");
        assertThat(lost).isEmpty();
        assertThat(lead()).isPresent();
    }

    /** Whoever closes the pool then leaves it without a writer. */
    @Test
    void anOrderIsNotFollowedWhileTakeOversArePaused() {
        AtomicInteger reads = new AtomicInteger();
        turn.close();
        turn = begin(new CountedReads(memory.connect(StoreFaults.NONE), reads));
        turn.onLost(lost::add);
        order(Orders.read(others, KEYS).withTo(Optional.of("b")).withPaused(true));
        int before = reads.get();
        await().until(() -> reads.get() > before + 6);
        assertThat(lost).isEmpty();
        order(Orders.read(others, KEYS).withPaused(false));
        await().until(() -> !lost.isEmpty());
        assertThat(lost.get(0)).contains("b is to be the next writer");
    }

    private record CountedReads(Coordinator store, AtomicInteger reads)
            implements ForwardingCoordinator {
        @Override
        public Versioned read(String key) {
            Versioned found = store.read(key);
            reads.incrementAndGet();
            return found;
        }

        @Override
        public Swap compareAndSet(String key, long version, byte[] value) {
            return store.compareAndSet(key, version, value);
        }
    }

    /** A program may decline an order, and it is withdrawn then. */
    @Test
    void eachOrderIsPassedOnOnceAndThatAnotherNodeHasTakenOverToo() {
        order(Orders.read(others, KEYS).withTo(Optional.of("b")));
        await().until(() -> lost.size() == 1);
        order(Orders.read(others, KEYS).withTo(Optional.empty()));
        await().until(this::isForgotten);
        order(Orders.read(others, KEYS).withTo(Optional.of("b")));
        await().until(() -> lost.size() == 2);
        write(8, "b");
        await().until(() -> lost.size() == 3);
        assertThat(lost.get(1)).contains("b is to be the next writer");
        assertThat(lost.get(2)).contains("b writes in term 8");
    }

    /** Who asks is not told of an order that is withdrawn. */
    private boolean isForgotten() throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        turn.onLost(why -> told.countDown());
        return !told.await(50, TimeUnit.MILLISECONDS);
    }

    @Test
    void anOrderFromBeforeTheTurnIsDoneWith() {
        turn.close();
        order(Orders.read(others, KEYS).withTo(Optional.of("b")));
        turn = begin(store);
        turn.onLost(lost::add);
        await().until(() -> Orders.read(others, KEYS).to().isEmpty());
        assertThat(lost).isEmpty();
    }

    @Test
    void anOrderForANodeThatMayNotIsNotFollowed() {
        order(Orders.read(others, KEYS).withTo(Optional.of("c")));
        order(Orders.read(others, KEYS).withTo(Optional.of("a")));
        await().until(() -> Orders.read(others, KEYS).to().isEmpty());
        order(Orders.read(others, KEYS).withTo(Optional.of("c")));
        order(Orders.read(others, KEYS).withTo(Optional.of("b")));
        await().until(() -> !lost.isEmpty());
        assertThat(lost).allMatch(why -> why.contains(": b is to be"));
    }

    /** An etcd without space answers so, and one in which the user has no role any more. */
    @Test
    void anOrderIsFollowedWhileTheStoreTakesNoAnnouncementAndThatIsToldOnce() {
        turn.close();
        turn = begin(new FullStore(memory.connect(StoreFaults.NONE)));
        turn.onLost(lost::add);
        turn.announce("https://a:8443");
        order(Orders.read(others, KEYS).withTo(Optional.of("b")));
        await().until(() -> !lost.isEmpty());
        assertThat(lost.get(0)).contains("b is to be the next writer");
        await().until(() -> looks.get() > 5);
        assertThat(warned).containsExactly("etcd refuses /v3/kv/txn");
    }

    /** It had room for the first announcement. */
    private final class FullStore implements ForwardingCoordinator {
        private final Coordinator store;

        FullStore(Coordinator store) {
            this.store = store;
        }

        @Override
        public Coordinator store() {
            return store;
        }

        @Override
        public Versioned read(String key) {
            return store.read(key);
        }

        @Override
        public Swap compareAndSet(String key, long version, byte[] value) {
            throw new StoreRefusedException("etcd refuses /v3/kv/txn", null);
        }

        @Override
        public Optional<Presence> announce(String key, byte[] value, Duration ttl) {
            return store.announce(key, value, ttl).map(FullLease::new);
        }
    }

    private final class FullLease implements Presence {
        private final Presence lease;

        FullLease(Presence lease) {
            this.lease = lease;
        }

        @Override
        public boolean isLost() {
            return lease.isLost();
        }

        @Override
        public boolean replace(byte[] value) {
            looks.incrementAndGet();
            throw new StoreRefusedException("etcd refuses /v3/kv/txn", null);
        }

        @Override
        public void close() {
            lease.close();
        }
    }

    /** As etcd's, of which a key may be gone. */
    private record LivingLeases(Coordinator store) implements ForwardingCoordinator {
        @Override
        public Versioned read(String key) {
            return store.read(key);
        }

        @Override
        public Swap compareAndSet(String key, long version, byte[] value) {
            return store.compareAndSet(key, version, value);
        }

        @Override
        public Optional<Presence> announce(String key, byte[] value, Duration ttl) {
            return store.announce(key, value, ttl).map(LivingLease::new);
        }
    }

    private record LivingLease(Presence lease) implements Presence {
        @Override
        public boolean isLost() {
            return false;
        }

        @Override
        public boolean replace(byte[] value) {
            return lease.replace(value);
        }

        @Override
        public void close() {
            lease.close();
        }
    }
}
