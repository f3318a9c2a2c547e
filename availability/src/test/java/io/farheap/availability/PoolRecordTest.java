package io.farheap.availability;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.availability.RecordOutcome.Kind;
import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.MemoryStore;
import io.farheap.availability.coordinator.StoreFaults.Fate;
import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The record is created, taken over and changed, whatever the store answers. */
class PoolRecordTest {
    private static final PoolKeys KEYS = new PoolKeys("cluster", "pool");
    private static final OwnCopy CURRENT = new OwnCopy(true, 100, 0);

    private final MemoryStore store = new MemoryStore(Duration.ofDays(1));
    private final Deque<Fate> fates = new ArrayDeque<>();
    private final List<StoreStamp> kept = new ArrayList<>();

    /** Remembers for one node. */
    private final class Stamps implements SeenStamps {
        private StoreStamp newest;

        @Override
        public Optional<StoreStamp> newest() {
            return Optional.ofNullable(newest);
        }

        @Override
        public void keep(StoreStamp stamp) {
            newest = stamp;
            kept.add(stamp);
        }
    }

    private PoolRecord node(String name) {
        return node(name, new Stamps());
    }

    private PoolRecord node(String name, SeenStamps stamps) {
        Coordinator client =
                store.connect(() -> fates.isEmpty() ? Fate.ANSWERED : fates.removeFirst());
        return new PoolRecord(client, KEYS, name, stamps, new Random(name.hashCode()));
    }

    private static TreeSet<String> set(String... nodes) {
        return new TreeSet<>(List.of(nodes));
    }

    /** Node a writes, with b in the set, in the epoch 100. */
    private PoolRecord writer() {
        PoolRecord a = node("a");
        assertThat(a.create(2, 0).kind()).isEqualTo(Kind.RECORDED);
        assertThat(a.record(set("a", "b"), 100).kind()).isEqualTo(Kind.RECORDED);
        return a;
    }

    private ClusterRecord there() {
        return node("judge").look().orElseThrow();
    }

    /** As an earlier build writes it, or a store that went back to before it had one. */
    @Test
    void aRecordWhoseIdWasLostGetsTheOneThatTheCopyKnows() {
        PoolRecord a = node("a");
        a.create(100, 0);
        a.record(set("a", "b"), 100);
        Versioned now = store.connect(() -> Fate.ANSWERED).read(KEYS.record());
        ClusterRecord known = ClusterRecordCodec.decode(KEYS.record(), now.value().orElseThrow());
        assertThat(known.id()).isNotZero();
        Swap lost =
                store.connect(() -> Fate.ANSWERED)
                        .compareAndSet(
                                KEYS.record(),
                                now.version(),
                                ClusterRecordCodec.encode(known.identified(0)));
        assertThat(lost.outcome()).isEqualTo(Swap.Outcome.APPLIED);
        PoolRecord b = node("b");
        assertThat(b.takeOver(new OwnCopy(true, 100, 0, known.id())).kind())
                .isEqualTo(Kind.RECORDED);
        assertThat(b.mine().orElseThrow().id()).isEqualTo(known.id());
    }

    @Test
    void aRecordIsCreatedOnce() {
        assertThat(node("a").look()).isEmpty();
        assertThat(node("a").takeOver(CURRENT).kind()).isEqualTo(Kind.NOT_ALLOWED);

        assertThat(node("a").create(100, 0).kind()).isEqualTo(Kind.RECORDED);
        RecordOutcome second = node("b").create(200, 0);

        assertThat(second.kind()).isEqualTo(Kind.OVER);
        assertThat(second.why()).contains("term 1, writer a, set [a], number 100");
        assertThat(there().writer()).isEqualTo("a");
    }

    @Test
    void aSwitchKeepsTheTermAndATakeOverTheSetAndTheNumber() {
        writer();
        ClusterRecord before = there();
        assertThat(before.term()).isEqualTo(1);
        assertThat(before.set()).containsExactly("a", "b");

        assertThat(node("b").takeOver(CURRENT).kind()).isEqualTo(Kind.RECORDED);

        ClusterRecord after = there();
        assertThat(after.term()).isEqualTo(2);
        assertThat(after.writer()).isEqualTo("b");
        assertThat(after.set()).isEqualTo(before.set());
        assertThat(after.number()).isEqualTo(before.number());
    }

    /** By it copies know their record from an earlier one, which began with term 1, too. */
    @Test
    void aRecordHasAnIdThatStays() {
        writer();
        long id = there().id();
        assertThat(id).isPositive();
        node("b").takeOver(CURRENT);
        assertThat(there().id()).isEqualTo(id);
    }

    /** Which copies are its own is known from then on. */
    @Test
    void whoTakesOverGivesAnEarlierReleasesRecordAnId() {
        writer();
        Coordinator client = store.connect(() -> Fate.ANSWERED);
        Versioned now = client.read(KEYS.record());
        ClusterRecord old =
                new ClusterRecord(
                        3, "a", set("a", "b"), 100, 0, "00112233445566778899aabbccddeeff");
        var unused =
                client.compareAndSet(KEYS.record(), now.version(), ClusterRecordCodec.encode(old));
        assertThat(there().id()).isZero();
        PoolRecord b = node("b");
        assertThat(b.takeOver(CURRENT).kind()).isEqualTo(Kind.RECORDED);
        long id = there().id();
        assertThat(id).isPositive();
        assertThat(b.record(set("b"), 300).kind()).isEqualTo(Kind.RECORDED);
        assertThat(there().id()).isEqualTo(id);
    }

    @Test
    void theDeposedWriterChangesNothing() {
        PoolRecord a = writer();
        node("b").takeOver(CURRENT);

        RecordOutcome outcome = a.record(set("a"), 300);

        assertThat(outcome.kind()).isEqualTo(Kind.OVER);
        assertThat(outcome.why())
                .isEqualTo(
                        "farheap/cluster/pools/pool/record is another's:"
                                + " term 2, writer b, set [a, b], number 100.");
        assertThat(there().number()).isEqualTo(100);
        assertThatThrownBy(() -> a.record(set("a"), 400)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whoIsNotOfTheSetMayNotTakeOver() {
        writer();

        RecordOutcome outcome = node("c").takeOver(CURRENT);

        assertThat(outcome.kind()).isEqualTo(Kind.NOT_ALLOWED);
        assertThat(outcome.why()).startsWith("c is not of the set");
        assertThat(there().term()).isEqualTo(1);
    }

    @Test
    void aCopyThatDoesNotKnowTheNumberMayNotTakeOver() {
        writer();

        RecordOutcome old = node("b").takeOver(new OwnCopy(true, 90, 80));
        RecordOutcome half = node("b").takeOver(new OwnCopy(false, 100, 0));

        assertThat(old.kind()).isEqualTo(Kind.NOT_ALLOWED);
        assertThat(old.why()).contains("has a copy with number 90, next 80");
        assertThat(half.kind()).isEqualTo(Kind.NOT_ALLOWED);
        assertThat(half.why()).contains("half copied");
        assertThat(there().term()).isEqualTo(1);
    }

    @Test
    void aCopyThatWasPreparedForTheNumberMay() {
        writer();
        assertThat(node("b").takeOver(new OwnCopy(false, 0, 100)).kind()).isEqualTo(Kind.RECORDED);
    }

    @Test
    void ofTwoThatTakeOverOneDoes() {
        writer();
        PoolRecord b = node("b");
        PoolRecord again = node("a");
        assertThat(again.takeOver(CURRENT).kind()).isEqualTo(Kind.RECORDED);
        assertThat(b.takeOver(CURRENT).kind()).isEqualTo(Kind.RECORDED);

        assertThat(again.record(set("a"), 300).kind()).isEqualTo(Kind.OVER);
        assertThat(b.record(set("b"), 300).kind()).isEqualTo(Kind.RECORDED);
        assertThat(there().term()).isEqualTo(3);
    }

    /** The three requests there are. */
    enum Asked {
        CREATE,
        RECORD,
        TAKE_OVER;

        /** Reads come before: the store must answer those. */
        int readsBefore() {
            return this == CREATE ? 0 : 1;
        }
    }

    private PoolRecord ready(Asked asked) {
        if (asked == Asked.CREATE) {
            return node("a");
        }
        PoolRecord a = writer();
        return asked == Asked.RECORD ? a : node("b");
    }

    private static RecordOutcome ask(Asked asked, PoolRecord node) {
        return switch (asked) {
            case CREATE -> node.create(100, 0);
            case RECORD -> node.record(set("a"), 300);
            case TAKE_OVER -> node.takeOver(CURRENT);
        };
    }

    private void fate(Asked asked, Fate... next) {
        for (int i = 0; i < asked.readsBefore(); i++) {
            fates.add(Fate.ANSWERED);
        }
        fates.addAll(List.of(next));
    }

    @ParameterizedTest
    @EnumSource
    void anAnswerThatIsLostIsReplacedByARead(Asked asked) {
        PoolRecord node = ready(asked);
        fate(asked, Fate.ANSWER_LOST);

        assertThat(ask(asked, node).kind()).isEqualTo(Kind.RECORDED);
        assertThat(node.mine()).contains(there());
        assertThat(node.isSettled()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void aRequestThatDidNotArriveIsMadeAgain(Asked asked) {
        PoolRecord node = ready(asked);
        fate(asked, Fate.CUT);

        assertThat(ask(asked, node).kind()).isEqualTo(Kind.UNSETTLED);
        assertThat(node.settle().kind()).isEqualTo(Kind.RECORDED);
        assertThat(node.mine()).contains(there());
    }

    @ParameterizedTest
    @EnumSource
    void aRequestThatArrivesLateIsTheSameRequest(Asked asked) {
        PoolRecord node = ready(asked);
        fate(asked, Fate.LATE);
        assertThat(ask(asked, node).kind()).isEqualTo(Kind.UNSETTLED);

        assertThat(store.deliverLate()).isTrue();

        assertThat(node.settle().kind()).isEqualTo(Kind.RECORDED);
        assertThat(node.mine()).contains(there());
    }

    /** The second of two that are the same comes too late: the first was it. */
    @ParameterizedTest
    @EnumSource
    void aLateRequestBehindItsRepetitionChangesNothing(Asked asked) {
        PoolRecord node = ready(asked);
        fate(asked, Fate.LATE);
        ask(asked, node);
        assertThat(node.settle().kind()).isEqualTo(Kind.RECORDED);
        ClusterRecord recorded = there();

        store.deliverLate();

        assertThat(there()).isEqualTo(recorded);
        if (asked == Asked.RECORD) {
            assertThat(node.record(set("a", "b"), 500).kind()).isEqualTo(Kind.RECORDED);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RECORD", "TAKE_OVER"})
    void aLateRequestBehindAnothersTakeOverIsLost(Asked asked) {
        PoolRecord node = ready(asked);
        fate(asked, Fate.LATE);
        ask(asked, node);
        PoolRecord other = node(asked == Asked.RECORD ? "b" : "a");
        assertThat(other.takeOver(CURRENT).kind()).isEqualTo(Kind.RECORDED);

        store.deliverLate();

        assertThat(node.settle().kind()).isEqualTo(Kind.OVER);
        assertThat(other.mine()).contains(there());
        assertThat(node.mine()).isEmpty();
    }

    /** It was carried out and then replaced: the read shows only the latter. */
    @Test
    void aRequestThatWasReplacedBeforeItsReadIsOver() {
        PoolRecord a = writer();
        fate(Asked.RECORD, Fate.ANSWER_LOST, Fate.CUT);
        assertThat(a.record(set("a"), 300).kind()).isEqualTo(Kind.UNSETTLED);
        assertThat(node("a").takeOver(new OwnCopy(true, 100, 300)).kind()).isEqualTo(Kind.RECORDED);

        assertThat(a.settle().kind()).isEqualTo(Kind.OVER);
    }

    @Test
    void withoutTheStoreNothingIsAskedFor() {
        PoolRecord a = writer();
        fates.add(Fate.CUT);
        assertThatThrownBy(() -> a.record(set("a"), 300))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(a.isSettled()).isTrue();

        PoolRecord b = node("b");
        fates.add(Fate.CUT);
        assertThatThrownBy(() -> b.takeOver(CURRENT)).isInstanceOf(StoreUnavailableException.class);
        assertThat(b.isSettled()).isTrue();
    }

    @Test
    void nothingElseIsAskedForBeforeItIsSettled() {
        PoolRecord a = writer();
        fate(Asked.RECORD, Fate.LATE);
        a.record(set("a"), 300);

        assertThatThrownBy(() -> a.record(set("a", "b"), 400))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> a.takeOver(CURRENT)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> a.create(1, 0)).isInstanceOf(IllegalStateException.class);
        assertThat(a.isSettled()).isFalse();
        a.settle();
        assertThatThrownBy(a::settle).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStoreThatWentBackIsNotWrittenTo(boolean asNewStore) {
        Stamps stamps = new Stamps();
        PoolRecord a = writer();
        MemoryStore.Backup backup = store.backup();
        PoolRecord b = node("b", stamps);
        assertThat(b.takeOver(CURRENT).kind()).isEqualTo(Kind.RECORDED);
        store.restore(backup, asNewStore);

        RecordOutcome switched = b.record(set("b"), 300);
        RecordOutcome taken = node("b", stamps).takeOver(CURRENT);

        assertThat(switched.kind()).isEqualTo(Kind.STORE_WENT_BACK);
        assertThat(taken.kind()).isEqualTo(Kind.STORE_WENT_BACK);
        assertThat(taken.why())
                .contains("was restored or is another one")
                .endsWith("until a person has looked at it; commits go on.");
        assertThat(there().term()).isEqualTo(1);
        assertThat(a.isSettled()).isTrue();
    }

    /** Its program, which only waits, is started again after the store was restored. */
    @Test
    void aNodeThatHasNeverWrittenKnowsTheStoreThatItHasSeen(@TempDir Path directory)
            throws IOException {
        PoolRecord unused = writer();
        Path part = Files.createFile(directory.resolve("pool.part0"));
        assertThat(node("b", WaitingStamps.of(part)).look()).isPresent();
        store.restore(store.backup(), true);

        RecordOutcome taken = node("b", TermFile.beside(part)).takeOver(CURRENT);

        assertThat(taken.kind()).isEqualTo(Kind.STORE_WENT_BACK);
        assertThatThrownBy(node("b", WaitingStamps.of(part))::look)
                .hasMessageContaining("it was restored or is another one");
    }

    @Test
    void aStoreThatKnowsNothingOfThePoolIsNotRemembered() {
        Stamps stamps = new Stamps();
        assertThat(node("b", stamps).look()).isEmpty();
        assertThat(stamps.newest()).isEmpty();
        PoolRecord unused = writer();
        assertThat(node("b", stamps).look()).isPresent();
        assertThat(stamps.newest()).isPresent();
    }

    /** It stays unsettled: a person decides. */
    @Test
    void aRequestToARestoredStoreIsNotMadeAgain() {
        PoolRecord a = writer();
        MemoryStore.Backup backup = store.backup();
        fate(Asked.RECORD, Fate.CUT);
        assertThat(a.record(set("a"), 300).kind()).isEqualTo(Kind.UNSETTLED);

        store.restore(backup, true);

        assertThat(a.settle().kind()).isEqualTo(Kind.STORE_WENT_BACK);
        assertThat(a.isSettled()).isFalse();
    }

    @Test
    void whatTheStoreSaidIsKeptBeforeItIsActedOn() {
        writer();
        kept.clear();
        PoolRecord b = node("b");
        fate(Asked.TAKE_OVER, Fate.CUT);

        b.takeOver(CURRENT);

        assertThat(kept).as("the stamp of the read, before the request was answered").hasSize(1);
        b.settle();
        assertThat(kept).hasSize(2);
        assertThat(kept.get(1).follows(kept.get(0))).isTrue();
    }

    /** As ZooKeeper is before its first change: nobody keeps that, for an identity comes next. */
    @Test
    void aStoreWithoutAnIdentityIsTrustedByWhoHasSeenNoneOnly() {
        Stamps stamps = new Stamps();
        PoolRecord fresh = new PoolRecord(blank(), KEYS, "a", stamps, new Random(1));

        assertThat(fresh.look()).isEmpty();
        assertThat(stamps.newest()).isEmpty();
        assertThat(fresh.create(2, 0).kind()).isEqualTo(Kind.RECORDED);
        assertThat(stamps.newest()).isPresent();

        PoolRecord again = new PoolRecord(blank(), KEYS, "a", stamps, new Random(1));
        assertThat(again.takeOver(CURRENT).kind()).isEqualTo(Kind.STORE_WENT_BACK);
        assertThat(again.takeOver(CURRENT).why()).contains("one without an identity");
    }

    /** As when a backup of ZooKeeper was put back and its identity taken away. */
    @Test
    void aRecordWhoseStoreHasLostItsIdentityIsTrustedByNobody() {
        writer();
        Stamps stamps = new Stamps();
        PoolRecord b = new PoolRecord(nameless(), KEYS, "b", stamps, new Random(1));

        assertThatThrownBy(b::look).hasMessageContaining("one without an identity");
        assertThat(b.takeOver(CURRENT).kind()).isEqualTo(Kind.STORE_WENT_BACK);
        assertThat(stamps.newest()).isEmpty();
        assertThat(there().term()).isEqualTo(1);
    }

    /** Of another's there is one already, of which nobody knows how old it is. */
    @Test
    void whatBecameOfARequestSaysNoStoreThatHasLostItsIdentity() {
        writer();
        Coordinator reads = nameless();
        PoolRecord b = new PoolRecord(reads, KEYS, "b", new Stamps(), new Random(1));

        assertThat(b.create(2, 0).kind()).isEqualTo(Kind.STORE_WENT_BACK);
        assertThat(b.isSettled()).isFalse();
    }

    private Coordinator blank() {
        return reading(now -> new Versioned(Optional.empty(), 0, StoreStamp.NONE));
    }

    private Coordinator nameless() {
        return reading(now -> new Versioned(now.value(), now.version(), StoreStamp.NONE));
    }

    /**
     * @param seen what becomes of an answer
     */
    private Coordinator reading(UnaryOperator<Versioned> seen) {
        Coordinator client = store.connect(() -> Fate.ANSWERED);
        return new ForwardingCoordinator() {
            @Override
            public Coordinator store() {
                return client;
            }

            @Override
            public Versioned read(String key) {
                return seen.apply(client.read(key));
            }

            @Override
            public Swap compareAndSet(String key, long version, byte[] value) {
                return client.compareAndSet(key, version, value);
            }
        };
    }

    private void order(boolean paused) {
        Coordinator person = store.connect(() -> Fate.ANSWERED);
        assertThat(Orders.read(person, KEYS).withPaused(paused).write(person, KEYS))
                .isEqualTo(Swap.Outcome.APPLIED);
    }

    /** The node may have been stopped for long, and nobody sees any more that it stood. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoWasStoppedBetweenTheOrdersAndTheRecordHeedsAPause(boolean ordersBefore) {
        writer();
        if (ordersBefore) {
            order(false);
        }
        PoolRecord b = node("b");
        b.heed(Orders.read(store.connect(() -> Fate.ANSWERED), KEYS));
        order(true);
        RecordOutcome outcome = b.takeOver(CURRENT);
        assertThat(outcome.kind()).isEqualTo(Kind.NOT_ALLOWED);
        assertThat(outcome.why()).contains("paused");
        assertThat(b.isSettled()).isTrue();
        assertThat(there().writer()).isEqualTo("a");
        order(false);
        b.heed(Orders.read(store.connect(() -> Fate.ANSWERED), KEYS));
        assertThat(b.takeOver(CURRENT).kind()).isEqualTo(Kind.RECORDED);
        assertThat(b.record(set("a", "b"), 200).kind()).isEqualTo(Kind.RECORDED);
    }

    /** Or was built before there was more: it looks before. */
    @Test
    void anEngineThatComparesOneKeyOnlyHeedsAPauseThatItSees() {
        writer();
        PoolRecord b = new PoolRecord(reading(now -> now), KEYS, "b", new Stamps(), new Random(1));
        b.heed(Orders.read(store.connect(() -> Fate.ANSWERED), KEYS));
        order(true);
        assertThat(b.takeOver(CURRENT).kind()).isEqualTo(Kind.NOT_ALLOWED);
        assertThat(there().writer()).isEqualTo("a");
        order(false);
        b.heed(Orders.read(store.connect(() -> Fate.ANSWERED), KEYS));
        assertThat(b.takeOver(CURRENT).kind()).isEqualTo(Kind.RECORDED);
        assertThat(there().writer()).isEqualTo("b");
    }

    /** Nothing was asked for, and nobody knows what is beside. */
    @Test
    void anEngineThatComparesOneKeyOnlyAsksForNothingWhereItDoesNotSeeTheOther() {
        writer();
        Coordinator client = store.connect(() -> Fate.ANSWERED);
        Coordinator blind =
                reading(
                        now -> {
                            throw new StoreUnavailableException("The store is away.");
                        });
        long version = client.read(KEYS.record()).version();
        Swap swap = blind.compareAndSet(KEYS.record(), version, new byte[1], KEYS.order(), 0);
        assertThat(swap.outcome()).isEqualTo(Swap.Outcome.UNKNOWN);
        assertThat(client.read(KEYS.record()).version()).isEqualTo(version);
    }

    /** What a later release orders may be a pause. */
    @Test
    void whoCannotUnderstandTheOrdersThatCameBetweenDoesNotTakeOver() {
        writer();
        PoolRecord b = node("b");
        b.heed(Orders.read(store.connect(() -> Fate.ANSWERED), KEYS));
        Swap spoilt =
                store.connect(() -> Fate.ANSWERED)
                        .compareAndSet(KEYS.order(), 0, "{\"format\":2}".getBytes(UTF_8));
        assertThat(spoilt.outcome()).isEqualTo(Swap.Outcome.APPLIED);
        RecordOutcome outcome = b.takeOver(CURRENT);
        assertThat(outcome.kind()).isEqualTo(Kind.NOT_ALLOWED);
        assertThat(outcome.why()).contains("is no order that this version understands");
        assertThat(b.isSettled()).isTrue();
        assertThat(there().writer()).isEqualTo("a");
    }

    /** Its request arrives when nobody waits for it any more. */
    @Test
    void aLateRequestHeedsAPause() {
        writer();
        PoolRecord b = node("b");
        b.heed(Orders.read(store.connect(() -> Fate.ANSWERED), KEYS));
        fates.addAll(List.of(Fate.ANSWERED, Fate.LATE));
        assertThat(b.takeOver(CURRENT).kind()).isEqualTo(Kind.UNSETTLED);
        order(true);
        assertThat(store.deliverLate()).isTrue();
        assertThat(there().writer()).isEqualTo("a");
        assertThat(b.settle().kind()).isEqualTo(Kind.NOT_ALLOWED);
        assertThat(there().writer()).isEqualTo("a");
    }

    /** It was there first: the turn goes on. */
    @Test
    void whatWasCarriedOutBeforeThePauseIsRecorded() {
        writer();
        PoolRecord b = node("b");
        b.heed(Orders.read(store.connect(() -> Fate.ANSWERED), KEYS));
        fates.addAll(List.of(Fate.ANSWERED, Fate.ANSWER_LOST, Fate.CUT));
        assertThat(b.takeOver(CURRENT).kind()).isEqualTo(Kind.UNSETTLED);
        order(true);
        assertThat(b.settle().kind()).isEqualTo(Kind.RECORDED);
        assertThat(there().writer()).isEqualTo("b");
    }

    @Test
    void otherOrdersThanAPauseAreNoObstacle() {
        writer();
        PoolRecord b = node("b");
        b.heed(Orders.read(store.connect(() -> Fate.ANSWERED), KEYS));
        order(false);
        fates.addAll(List.of(Fate.ANSWERED, Fate.ANSWERED, Fate.ANSWERED, Fate.CUT));
        assertThat(b.takeOver(CURRENT).kind()).isEqualTo(Kind.UNSETTLED);
        assertThat(b.settle().kind()).isEqualTo(Kind.UNSETTLED);
        assertThat(b.settle().kind()).isEqualTo(Kind.RECORDED);
        assertThat(there().writer()).isEqualTo("b");
    }
}
