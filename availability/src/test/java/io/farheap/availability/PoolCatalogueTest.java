package io.farheap.availability;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Listed;
import io.farheap.availability.coordinator.MemoryStore;
import io.farheap.availability.coordinator.StoreFaults;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.base.FarheapException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is said of all pools of a store. */
@Timeout(60)
class PoolCatalogueTest {
    private static final PoolKeys BANK = new PoolKeys("main", "bank");
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final Instant SINCE = Instant.ofEpochSecond(1790000000);

    private final Coordinator store = new MemoryStore(Duration.ofDays(1)).connect(StoreFaults.NONE);

    @AfterEach
    void end() {
        store.close();
    }

    private void set(String key, byte[] value) {
        assertThat(store.compareAndSet(key, 0, value).outcome()).isEqualTo(Swap.Outcome.APPLIED);
    }

    private void record(PoolKeys keys, String writer, String... set) {
        TreeSet<String> nodes = new TreeSet<>(List.of(set));
        ClusterRecord record = new ClusterRecord(7, writer, nodes, 12, 0, "0".repeat(32));
        set(keys.record(), ClusterRecordCodec.encode(record));
    }

    private void leads(PoolKeys keys, Lead lead) {
        assertThat(store.announce(keys.lead(), lead.encode(), TTL)).isPresent();
    }

    private void waits(PoolKeys keys, String node) {
        assertThat(store.announce(keys.waiting(node), Lead.of(node).encode(), TTL)).isPresent();
    }

    private static Lead writing(String node, long term, String... nodes) {
        return new Lead(node, term, "", 5)
                .with(new Lead.Turn(SINCE.getEpochSecond(), new TreeSet<>(List.of(nodes)), 2));
    }

    private CataloguedPool bank() {
        List<CataloguedPool> pools = PoolCatalogue.look(store, PoolKeys.ofAll());
        assertThat(pools).hasSize(1);
        return pools.get(0);
    }

    @Test
    void aPoolWithAllItsCopiesWantsNoAttention() {
        record(BANK, "a", "a", "b", "c");
        leads(BANK, writing("a", 7, "a", "b", "c"));
        waits(BANK, "b");
        CataloguedPool bank = bank();
        assertThat(bank)
                .isEqualTo(
                        new CataloguedPool(
                                "main",
                                "bank",
                                7,
                                "a",
                                List.of("a", "b", "c"),
                                "a",
                                7,
                                "",
                                Optional.of(SINCE),
                                List.of("a", "b", "c"),
                                2,
                                List.of("b"),
                                false,
                                "",
                                Map.of()));
        assertThat(bank.degraded()).contains(false);
        assertThat(bank.attention()).isEmpty();
    }

    @Test
    void aCopyThatCommitsDoWithoutIsMissing() {
        record(BANK, "a", "a", "b");
        leads(BANK, writing("a", 7, "a", "b", "c"));
        assertThat(bank().degraded()).contains(true);
        assertThat(bank().missing()).containsExactly("c");
        assertThat(bank().attention()).containsExactly("commits do without the copy of c");
    }

    @Test
    void fewerCopiesThanCommitsNeedAreSaid() {
        record(BANK, "a", "a");
        leads(BANK, writing("a", 7, "a"));
        assertThat(bank().degraded()).contains(true);
        assertThat(bank().attention())
                .containsExactly("the set has 1 of the 2 copies that commits need");
    }

    /** An earlier version announces itself without them. */
    @Test
    void howManyCopiesThereAreToBeIsNotKnownWhereNobodySays() {
        record(BANK, "a", "a", "b");
        leads(BANK, new Lead("a", 7, "", 5));
        assertThat(bank().degraded()).isEmpty();
        assertThat(bank().since()).isEmpty();
        assertThat(bank().minCopies()).isZero();
        assertThat(bank().attention()).isEmpty();
    }

    @Test
    void aPoolThatNobodyWritesSaysWhoWaits() {
        record(BANK, "a", "a", "b");
        assertThat(bank().attention())
                .containsExactly(
                        "nobody is announced as the writer; no program of a, b waits for its turn");
        waits(BANK, "c");
        waits(BANK, "b");
        assertThat(bank().attention())
                .containsExactly("nobody is announced as the writer; a program waits on b");
        leads(BANK, Lead.of("b"));
        assertThat(bank().attention()).containsExactly("b is about to write, and does not yet");
    }

    @Test
    void anAnnouncementOfAnEarlierTermIsSaid() {
        record(BANK, "b", "a", "b");
        leads(BANK, writing("a", 6, "a", "b"));
        assertThat(bank().attention())
                .containsExactly("a is announced in term 6, and b has taken over in term 7");
    }

    @Test
    void ordersAreSaidUntilTheyAreCarriedOut() {
        record(BANK, "a", "a", "b");
        leads(BANK, writing("a", 7, "a", "b"));
        assertThat(new Orders(true, Optional.of("b"), 0).write(store, BANK))
                .isEqualTo(Swap.Outcome.APPLIED);
        assertThat(bank().paused()).isTrue();
        assertThat(bank().ordered()).isEqualTo("b");
        assertThat(bank().attention())
                .containsExactly(
                        "take-overs are paused: farheap ha resume lets them go on",
                        "a switch-over to b is asked for");
        long version = Orders.read(store, BANK).version();
        assertThat(new Orders(false, Optional.of("a"), version).write(store, BANK))
                .isEqualTo(Swap.Outcome.APPLIED);
        assertThat(bank().attention()).isEmpty();
    }

    @Test
    void whatIsDamagedIsOfItsOwnRow() {
        PoolKeys other = new PoolKeys("main", "other");
        record(other, "a", "a", "b");
        leads(other, writing("a", 7, "a", "b"));
        set(BANK.record(), "nonsense".getBytes(UTF_8));
        set(BANK.order(), "{".getBytes(UTF_8));
        assertThat(store.announce(BANK.lead(), new byte[] {0}, TTL)).isPresent();

        List<CataloguedPool> pools = PoolCatalogue.look(store, PoolKeys.ofAll());

        assertThat(pools).extracting(CataloguedPool::pool).containsExactly("bank", "other");
        assertThat(pools.get(0).unreadable()).containsOnlyKeys("record", "lead", "order");
        assertThat(pools.get(0).attention())
                .hasSize(3)
                .anyMatch(
                        why ->
                                why.startsWith(
                                        "The record farheap/main/pools/bank/record in the store"
                                                + " can't be read"));
        assertThat(pools.get(0).degraded()).isEmpty();
        assertThat(pools.get(1).attention()).isEmpty();
    }

    /** It would reach a terminal. */
    @Test
    void whatCanBeNoNodesNameIsNotShown() {
        record(BANK, "a", "a", "b");
        leads(BANK, writing("a", 7, "a", "b"));
        waits(BANK, "\u001b[31m");
        set(BANK.order(), "{\"format\":1,\"to\":\"\\u001b[31m\"}".getBytes(UTF_8));
        assertThat(bank().waiting()).isEmpty();
        assertThat(bank().ordered()).isEmpty();
        assertThat(bank().attention())
                .containsExactly(
                        "farheap/main/pools/bank/order in the store asks for a switch-over to what"
                                + " can't be a node's name: give the order again, or remove the"
                                + " key");
    }

    /** It is there for people only: what makes no sense in it is not known. */
    @Test
    void aTurnThatMakesNoSenseHidesNothingElse() {
        record(BANK, "a", "a", "b");
        String said =
                "{\"format\":1,\"node\":\"a\",\"term\":7,\"nodes\":[\"a b\"],\"minCopies\":2}";
        assertThat(store.announce(BANK.lead(), said.getBytes(UTF_8), TTL)).isPresent();
        assertThat(bank().leader()).isEqualTo("a");
        assertThat(bank().degraded()).isEmpty();
        assertThat(bank().attention()).isEmpty();
    }

    @Test
    void aTimeThatNoClockShowsIsNotKnown() {
        record(BANK, "a", "a", "b");
        String said = "{\"format\":1,\"node\":\"a\",\"term\":7,\"since\":1790000000000000000}";
        assertThat(store.announce(BANK.lead(), said.getBytes(UTF_8), TTL)).isPresent();
        assertThat(bank().leader()).isEqualTo("a");
        assertThat(bank().since()).isEmpty();
    }

    @Test
    void aWriterWithoutARecordIsSaid() {
        leads(BANK, writing("a", 7, "a", "b"));
        assertThat(bank().leader()).isEqualTo("a");
        assertThat(bank().attention()).anyMatch(why -> why.contains("its record is gone"));
    }

    @Test
    void aRecordThatIsOlderThanItsWriterOrOfAnotherOneIsSaid() {
        record(BANK, "b", "a", "b");
        leads(BANK, writing("a", 8, "a", "b"));
        assertThat(bank().attention())
                .containsExactly(
                        "a writes in term 8, and the record knows term 7: an older copy of the"
                                + " store was restored");
        record(new PoolKeys("main", "ledger"), "b", "a", "b");
        leads(new PoolKeys("main", "ledger"), writing("a", 7, "a", "b"));
        assertThat(PoolCatalogue.look(store, PoolKeys.ofAll()).get(1).attention())
                .containsExactly("a is announced in term 7, and b has taken over in term 7");
    }

    @Test
    void whatIsNoPoolsOrHasNoRecordIsLeftOut() {
        record(BANK, "a", "a", "b");
        set("farheap/main/other/bank/record", new byte[0]);
        set("farheap/main/pools/record", new byte[0]);
        set("farheap/main/pools/bad name/record", new byte[0]);
        leads(new PoolKeys("main", "absent"), Lead.of("a"));
        assertThat(bank().pool()).isEqualTo("bank");
    }

    @Test
    void oneClustersPoolsMayBeAskedForAlone() {
        record(BANK, "a", "a", "b");
        record(new PoolKeys("east", "bank"), "a", "a", "b");
        record(new PoolKeys("main2", "bank"), "a", "a", "b");
        assertThat(PoolCatalogue.look(store, PoolKeys.ofAll()))
                .extracting(CataloguedPool::cluster)
                .containsExactly("east", "main", "main2");
        assertThat(PoolCatalogue.look(store, PoolKeys.ofCluster("main")))
                .extracting(CataloguedPool::cluster)
                .containsExactly("main");
    }

    /** Keys of pools whose names begin alike do not stand in the order of the names. */
    @Test
    void tenThousandPoolsAreOneListing() {
        for (int i = 0; i < 10_000; i++) {
            PoolKeys keys = new PoolKeys("main", "p" + i);
            record(keys, "a", "a", "b");
            leads(keys, writing("a", 7, "a", "b"));
            waits(keys, "b");
        }
        Counting counting = new Counting(store, new AtomicInteger());

        List<CataloguedPool> pools = PoolCatalogue.look(counting, PoolKeys.ofAll());

        assertThat(pools).hasSize(10_000).allMatch(pool -> pool.attention().isEmpty());
        assertThat(pools).extracting(CataloguedPool::pool).isSorted();
        assertThat(counting.requests()).hasValue(1);
    }

    /** Nothing but the listing is asked for. */
    private record Counting(Coordinator store, AtomicInteger requests)
            implements ForwardingCoordinator {
        @Override
        public List<Listed> list(String prefix) {
            requests.incrementAndGet();
            return store.list(prefix);
        }

        @Override
        public Optional<byte[]> present(String key) {
            throw new AssertionError(key);
        }

        @Override
        public Versioned read(String key) {
            throw new AssertionError(key);
        }

        @Override
        public Swap compareAndSet(String key, long version, byte[] value) {
            throw new AssertionError(key);
        }
    }

    @Test
    void aStoreOrAClusterThatCanNotBeIsRefused() {
        assertThatThrownBy(() -> PoolCatalogue.of("consul:x"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("names no store: write it as etcd:https://");
        assertThatThrownBy(() -> PoolCatalogue.of("zookeeper:z1:2181/pools"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("the artifact io.farheap:farheap-zookeeper, which is not");
        assertThatThrownBy(() -> PoolCatalogue.of("etcd:http://e:2379").cluster("a/b"))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("can't be the name of a cluster");
    }
}
