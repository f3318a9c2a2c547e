package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.MemoryStore;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreFaults;
import io.farheap.availability.coordinator.StoreFaults.Fate;
import io.farheap.availability.coordinator.StoreRefusedException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.base.FarheapException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node waits, says why, and is the only one that takes a turn. The clock is virtual. */
@Timeout(30)
class AwaitedTurnTest {
    private static final PoolKeys KEYS = new PoolKeys("cluster", "pool");
    private static final Duration TTL = Duration.ofSeconds(10);
    private static final String OTHER_MACHINE = "00000000-0000-4000-8000-000000000000/4026531836";

    @TempDir private Path directory;

    private final MemoryStore memory = new MemoryStore(Duration.ofDays(1));
    private final Coordinator others = memory.connect(StoreFaults.NONE);
    private final VirtualClock clock = new VirtualClock();
    private final List<String> told = new ArrayList<>();
    private Fate fate = Fate.ANSWERED;
    private final Coordinator store = memory.connect(() -> fate);
    private Held held = Held.BY_NOBODY;
    private int looksAtTheCopy;
    private Optional<Presence> lead = Optional.empty();

    @BeforeEach
    void aWrites() {
        TreeSet<String> set = new TreeSet<>(List.of("a", "b"));
        ClusterRecord record = new ClusterRecord(7, "a", set, 12, 0, "0".repeat(32));
        assertThat(others.compareAndSet(KEYS.record(), 0, ClusterRecordCodec.encode(record)))
                .extracting(Swap::outcome)
                .isEqualTo(Swap.Outcome.APPLIED);
        lead = others.announce(KEYS.lead(), Lead.of("a").encode(), TTL);
    }

    @AfterEach
    void end() {
        store.close();
        others.close();
    }

    private void aIsLost() {
        lead.orElseThrow().close();
    }

    private AwaitedTurn standing(String node, Coordinator asked) {
        PoolRecord record =
                new PoolRecord(
                        asked, KEYS, node, WaitingStamps.of(directory.resolve("p")), new Random(1));
        return new AwaitedTurn(
                asked,
                KEYS,
                node,
                TTL,
                record::look,
                () -> {
                    looksAtTheCopy++;
                    return held;
                },
                new StandingRules(node, 0, () -> 0L),
                clock,
                told::add);
    }

    private Duration takenAfter(String node) throws InterruptedException {
        return standing(node, store).await(mine -> clock.passed());
    }

    @Test
    void whenTheWriterIsGoneTheNodeAnnouncesItselfAndTakesItsTurn() throws Exception {
        clock.at(Duration.ofSeconds(40), this::aIsLost);
        List<String> leads = new ArrayList<>();
        Duration taken =
                standing("b", store)
                        .await(
                                mine -> {
                                    leads.add(whoLeads());
                                    return clock.passed();
                                });
        assertThat(taken).isEqualTo(Duration.ofSeconds(40));
        assertThat(leads).containsExactly("b");
        assertThat(whoLeads()).isEqualTo("b");
        assertThat(told).containsExactly("a writes");
    }

    private String whoLeads() {
        return others.present(KEYS.lead())
                .map(value -> Lead.decode(KEYS.lead(), value).node())
                .orElse("nobody");
    }

    /** Nothing tells of it: the watch has failed. */
    @Test
    void aChangeThatNobodyTellsOfIsSeenWithinATtl() throws Exception {
        Coordinator counting =
                new BlindStore(store) {
                    @Override
                    public Optional<byte[]> present(String key) {
                        if (++looks == 4) {
                            aIsLost();
                        }
                        return super.present(key);
                    }
                };
        Duration taken = standing("b", counting).await(mine -> clock.passed());
        assertThat(taken).isLessThanOrEqualTo(TTL.multipliedBy(4));
    }

    /** To look at a copy takes its lock for a moment: that is not done while somebody writes. */
    @Test
    void whileSomebodyWritesTheCopyIsLeftAlone() throws Exception {
        clock.at(Duration.ofSeconds(1), () -> assertThat(looksAtTheCopy).isZero());
        clock.at(Duration.ofSeconds(2), this::aIsLost);
        takenAfter("b");
        assertThat(looksAtTheCopy).isPositive();
    }

    @Test
    void aWriterThatIsGoneFromTheStoreOnlyIsNotReplaced() throws Exception {
        aIsLost();
        held = new Held("a (agent process 5)", 0, 0);
        clock.at(Duration.ofMinutes(10), () -> held = Held.BY_NOBODY);
        assertThat(takenAfter("b")).isEqualTo(Duration.ofMinutes(10));
        assertThat(told).hasSize(1).allMatch(line -> line.contains("a (agent process 5)"));
    }

    @Test
    void aProcessOfThisNodeThatHasEndedIsNotWaitedFor() throws Exception {
        aIsLost();
        announce("b", endedProcess());
        assertThat(takenAfter("b")).isLessThan(Duration.ofSeconds(1));
    }

    /** Of another machine's processes nobody here knows. */
    @Test
    void onlyItsOwnNodeKnowsThatAProcessHasEnded() throws Exception {
        aIsLost();
        Presence as = announce("a", endedProcess());
        clock.at(Duration.ofSeconds(40), as::close);
        assertThat(takenAfter("b")).isEqualTo(Duration.ofSeconds(40));
    }

    /** It may be one of another container, with numbers of its own. */
    @Test
    void whoHasTheCopyHereHasNotEnded() throws Exception {
        aIsLost();
        Presence bs = announce("b", endedProcess());
        held = new Held("b (process 5)", 0, 0);
        clock.at(
                Duration.ofSeconds(40),
                () -> {
                    held = Held.BY_NOBODY;
                    bs.close();
                });
        assertThat(takenAfter("b")).isEqualTo(Duration.ofSeconds(40));
    }

    /**
     * A machine that is a copy of the writer's has its name and a copy of its files, and none of
     * its processes: that nobody has the number here says nothing of the writer.
     */
    @Test
    void whatAnotherMachineOfThisNameHasAnnouncedIsNotTakenAway() throws Exception {
        aIsLost();
        Presence writer = announce(KEYS.lead(), ofAnotherMachine("a", endedProcess()));
        List<String> leads = new ArrayList<>();
        clock.at(Duration.ofSeconds(9), () -> leads.add(whoLeads()));
        clock.at(Duration.ofSeconds(10), writer::close);
        assertThat(takenAfter("a")).isEqualTo(Duration.ofSeconds(10));
        assertThat(leads).containsExactly("a");
        assertThat(told)
                .singleElement()
                .asString()
                .contains("two machines have the node name a", OTHER_MACHINE, "farheap ha status");
    }

    @Test
    void whatAnEarlierVersionHasAnnouncedIsReadAndNotTakenAway() throws Exception {
        aIsLost();
        String value =
                "{\"format\":1,\"node\":\"a\",\"term\":7,\"endpoint\":\"\",\"pid\":"
                        + endedProcess()
                        + "}";
        Presence writer =
                others.announce(KEYS.lead(), value.getBytes(StandardCharsets.UTF_8), TTL)
                        .orElseThrow();
        clock.at(Duration.ofSeconds(10), writer::close);
        assertThat(takenAfter("a")).isEqualTo(Duration.ofSeconds(10));
        assertThat(told).containsExactly("a writes");
    }

    /** It lives, then, and may be lost to the store alone. */
    @Test
    void whoHasSeenAnotherMachineOfItsNameForLongDoesNotStandWhenThatIsGone() throws Exception {
        aIsLost();
        Presence writer = announce(KEYS.lead(), ofAnotherMachine("a", 5));
        every(Duration.ofSeconds(3), 20);
        clock.at(Duration.ofSeconds(60), writer::close);
        assertThatThrownBy(() -> takenAfter("a")).hasMessage("it waits for ever");
        assertThat(told).hasSize(2).last().asString().contains("does not take over any more");
        assertThat(others.present(KEYS.waiting("a"))).isEmpty();
    }

    @Test
    void thatAStoreDidNotAnswerIsNoSignOfAnotherMachine() throws Exception {
        aIsLost();
        Presence writer = announce(KEYS.lead(), ofAnotherMachine("a", 5));
        clock.at(Duration.ofSeconds(1), () -> fate = Fate.CUT);
        every(Duration.ofSeconds(3), 20);
        clock.at(Duration.ofSeconds(61), () -> fate = Fate.ANSWERED);
        clock.at(Duration.ofSeconds(65), writer::close);
        assertThat(takenAfter("a")).isGreaterThanOrEqualTo(Duration.ofSeconds(65));
    }

    @Test
    void thatAnotherMachineWaitsUnderThisNameIsToldOnce() throws Exception {
        assertThat(others.announce(KEYS.waiting("b"), ofAnotherMachine("b", 5).encode(), TTL))
                .isPresent();
        every(Duration.ofSeconds(4), 4);
        clock.at(Duration.ofSeconds(20), this::aIsLost);
        takenAfter("b");
        assertThat(told).hasSize(2).first().isEqualTo("a writes");
        assertThat(told.get(1)).contains("waits as the node b", OTHER_MACHINE, MachineBoot.HERE);
    }

    @Test
    void whoWaitsBesideAnotherMachineOfItsNameForLongDoesNotStand() {
        assertThat(others.announce(KEYS.waiting("b"), ofAnotherMachine("b", 5).encode(), TTL))
                .isPresent();
        every(Duration.ofSeconds(4), 12);
        clock.at(Duration.ofSeconds(50), this::aIsLost);
        assertThatThrownBy(() -> takenAfter("b")).hasMessage("it waits for ever");
        assertThat(told).hasSize(3).last().asString().contains("does not take over any more");
    }

    /**
     * After the power returned to all: the store keeps what b announced before for a ttl, and by
     * the end of b's first turn that is long gone.
     */
    @Test
    void whatHasGoneBeforeATurnThatTookLongIsNoSignOfAnotherMachine() throws Exception {
        Presence earlier = announce(KEYS.waiting("b"), ofAnotherMachine("b", 5));
        every(Duration.ofSeconds(1), 1);
        clock.at(
                Duration.ofSeconds(2),
                () -> {
                    aIsLost();
                    earlier.close();
                });
        assertThat(takenAfterTurnsThatFail("b", 1)).isEqualTo(Duration.ofSeconds(46));
    }

    /**
     * The store may have been away during the turn, and gives every lease a ttl when it is back.
     */
    @Test
    void theTimeOfATurnSaysNothingOfAnotherMachine() throws Exception {
        Presence earlier = announce(KEYS.waiting("b"), ofAnotherMachine("b", 5));
        every(Duration.ofSeconds(1), 1);
        clock.at(Duration.ofSeconds(2), this::aIsLost);
        clock.at(Duration.ofSeconds(45), earlier::close);
        assertThat(takenAfterTurnsThatFail("b", 1)).isEqualTo(Duration.ofSeconds(46));
    }

    @Test
    void betweenTurnsThatFailAnotherMachineIsSeenAllTheSame() {
        announce(KEYS.waiting("b"), ofAnotherMachine("b", 5));
        every(Duration.ofSeconds(1), 1);
        clock.at(Duration.ofSeconds(2), this::aIsLost);
        assertThatThrownBy(() -> takenAfterTurnsThatFail("b", 10)).hasMessage("it waits for ever");
        assertThat(told).last().asString().contains("until it is started again");
    }

    @Test
    void aWriterOfThisNameThatWasGoneMeanwhileIsSeenAnew() throws Exception {
        aIsLost();
        List<Presence> leads = new ArrayList<>();
        leads.add(announce(KEYS.lead(), ofAnotherMachine("a", 5)));
        followedAt(Duration.ofSeconds(2), leads, Lead.of("b"));
        followedAt(Duration.ofSeconds(43), leads, ofAnotherMachine("a", 6));
        clock.at(Duration.ofSeconds(50), () -> leads.get(2).close());
        assertThat(takenAfter("a")).isEqualTo(Duration.ofSeconds(50));
    }

    private void followedAt(Duration time, List<Presence> leads, Lead next) {
        clock.at(
                time,
                () -> {
                    leads.get(leads.size() - 1).close();
                    leads.add(announce(KEYS.lead(), next));
                });
    }

    @Test
    void whatHasGoneWhileTheStoreTakesNoAnnouncementIsNoSignOfAnotherMachine() throws Exception {
        Presence earlier = announce(KEYS.waiting("b"), ofAnotherMachine("b", 5));
        every(Duration.ofSeconds(1), 1);
        clock.at(Duration.ofSeconds(2), earlier::close);
        every(Duration.ofSeconds(4), 12);
        clock.at(Duration.ofSeconds(50), this::aIsLost);
        Coordinator full = refusing(Duration.ofSeconds(2), Duration.ofSeconds(60));
        Duration taken = standing("b", full).await(mine -> clock.passed());
        assertThat(taken).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(62));
    }

    @Test
    void norIsItWhereATurnCouldNotBeAnnounced() throws Exception {
        Presence earlier = announce(KEYS.waiting("b"), ofAnotherMachine("b", 5));
        every(Duration.ofSeconds(1), 1);
        clock.at(
                Duration.ofSeconds(2),
                () -> {
                    aIsLost();
                    earlier.close();
                });
        Coordinator full = refusing(Duration.ofSeconds(2), Duration.ofSeconds(60));
        Duration taken = standing("b", full).await(mine -> clock.passed());
        assertThat(taken).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(62));
    }

    /** Each of them takes 40 seconds. */
    private Duration takenAfterTurnsThatFail(String node, int times) throws InterruptedException {
        int[] turns = new int[1];
        return standing(node, store)
                .await(
                        mine -> {
                            if (turns[0]++ < times) {
                                clock.advance(Duration.ofSeconds(40));
                                throw FarheapException.replica("too few copies");
                            }
                            return clock.passed();
                        });
    }

    /** An etcd without space reads, and grants no lease; so does one that takes a role away. */
    private Coordinator refusing(Duration from, Duration until) {
        return new BlindStore(store) {
            @Override
            public Optional<Presence> announce(String key, byte[] value, Duration ttl) {
                Duration now = clock.passed();
                if (now.compareTo(from) >= 0 && now.compareTo(until) < 0) {
                    throw new StoreRefusedException("etcd refuses /v3/lease/grant", null);
                }
                return super.announce(key, value, ttl);
            }
        };
    }

    /** As the store's watch wakes who waits. */
    private void every(Duration interval, int times) {
        for (int i = 1; i <= times; i++) {
            clock.at(interval.multipliedBy(i), () -> {});
        }
    }

    private static Lead ofAnotherMachine(String node, long pid) {
        return new Lead(node, 7, "", pid, OTHER_MACHINE, "", Lead.Turn.UNKNOWN);
    }

    private Presence announce(String key, Lead value) {
        return others.announce(key, value.encode(), TTL).orElseThrow();
    }

    private Presence announce(String node, long pid) {
        return others.announce(KEYS.lead(), new Lead(node, 7, "", pid).encode(), TTL).orElseThrow();
    }

    private static long endedProcess() throws Exception {
        Process process = new ProcessBuilder("true").start();
        assertThat(process.waitFor()).isZero();
        return process.pid();
    }

    @Test
    void othersSeeThatANodeWaits() throws Exception {
        clock.at(
                Duration.ofSeconds(1),
                () -> assertThat(others.present(KEYS.waiting("b"))).isPresent());
        clock.at(Duration.ofSeconds(2), this::aIsLost);
        takenAfter("b");
        assertThat(others.present(KEYS.waiting("b"))).isEmpty();
    }

    @Test
    void othersSeeWhyANodeWaits() throws Exception {
        List<String> seen = new ArrayList<>();
        Runnable look =
                () ->
                        others.present(KEYS.waiting("b"))
                                .map(value -> Lead.decode(KEYS.waiting("b"), value).why())
                                .ifPresent(seen::add);
        clock.at(Duration.ofSeconds(1), look);
        clock.at(
                Duration.ofSeconds(10),
                () -> {
                    held = new Held("a (agent process 5)", 0, 0);
                    aIsLost();
                });
        clock.at(Duration.ofSeconds(20), look);
        clock.at(Duration.ofSeconds(21), () -> held = Held.BY_NOBODY);
        takenAfter("b");
        assertThat(seen).hasSize(2).first().isEqualTo("a writes");
        assertThat(seen.get(1)).contains("one has the copy here: a (agent process 5)");
    }

    @Test
    void theFormerWritersNodeIsLeftSomeTimeIfItWaits() throws Exception {
        aIsLost();
        assertThat(others.announce(KEYS.waiting("a"), Lead.of("a").encode(), TTL)).isPresent();
        assertThat(takenAfter("b")).isEqualTo(StandingRules.WRITER_FIRST);
    }

    @Test
    void whileTheStoreDoesNotAnswerNobodyStandsAndOneLineSaysSo() throws Exception {
        aIsLost();
        fate = Fate.CUT;
        clock.at(Duration.ofMinutes(5), () -> fate = Fate.ANSWERED);
        assertThat(takenAfter("b")).isGreaterThanOrEqualTo(Duration.ofMinutes(5));
        assertThat(told).hasSize(1).allMatch(line -> line.contains("the store does not answer"));
    }

    @Test
    void whenTheStoreWentBackNobodyStandsAndOneLineSaysSo() {
        MemoryStore.Backup backup = memory.backup();
        clock.at(
                Duration.ofSeconds(10),
                () -> {
                    memory.restore(backup, true);
                });
        assertThatThrownBy(() -> takenAfter("b")).hasMessage("it waits for ever");
        assertThat(told).hasSize(2).last().asString().contains("until a person has looked");
    }

    @Test
    void whoIsSlowerThanAnotherNodeWaits() throws Exception {
        aIsLost();
        Optional<Presence> faster = others.announce(KEYS.lead(), Lead.of("c").encode(), TTL);
        clock.at(Duration.ofSeconds(30), () -> faster.orElseThrow().close());
        Coordinator blind =
                new BlindStore(store) {
                    @Override
                    public Optional<byte[]> present(String key) {
                        return looks++ == 0 ? Optional.empty() : super.present(key);
                    }
                };
        Duration taken = standing("b", blind).await(mine -> clock.passed());
        assertThat(taken).isEqualTo(Duration.ofSeconds(30));
        assertThat(told).containsExactly("c writes");
    }

    @Test
    void aStoreThatTakesNoAnnouncementIsWaitedForAndOneLineForEachSaysSo() throws Exception {
        Coordinator full = refusing(Duration.ZERO, Duration.ofMinutes(1));
        every(Duration.ofSeconds(3), 5);
        clock.at(Duration.ofSeconds(20), this::aIsLost);
        Duration taken = standing("b", full).await(mine -> clock.passed());
        assertThat(taken).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(63));
        assertThat(told)
                .containsExactly(
                        "a writes",
                        "the store does not let it be announced that this node waits: etcd refuses"
                                + " /v3/lease/grant",
                        "it is this node's turn, and the store does not let it be announced,"
                                + " without which nobody takes over: etcd refuses /v3/lease/grant");
    }

    @Test
    void aTurnThatTheStoreRefusesIsTriedAgain() throws Exception {
        aIsLost();
        int[] turns = new int[1];
        String taken =
                standing("b", store)
                        .await(
                                mine -> {
                                    if (turns[0]++ == 0) {
                                        throw new StoreRefusedException("no space", null);
                                    }
                                    return "taken";
                                });
        assertThat(taken).isEqualTo("taken");
        assertThat(told).singleElement().asString().contains("no space");
    }

    /** Sees at first no more than somebody who looked a moment ago. */
    private abstract static class BlindStore implements ForwardingCoordinator {
        private final Coordinator store;
        int looks;

        BlindStore(Coordinator store) {
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
            return store.compareAndSet(key, version, value);
        }
    }

    @Test
    void aTurnThatFailsIsTriedAgainAndEachReasonIsToldOnce() throws Exception {
        aIsLost();
        int[] turns = new int[1];
        List<String> between = new ArrayList<>();
        clock.at(Duration.ofSeconds(1), () -> between.add(whoLeads()));
        String taken =
                standing("b", store)
                        .await(
                                mine -> {
                                    turns[0]++;
                                    if (turns[0] < 5) {
                                        throw FarheapException.replica(
                                                turns[0] < 4
                                                        ? "attempt " + turns[0] + ": too few copies"
                                                        : "the store did not answer");
                                    }
                                    return "taken";
                                });
        assertThat(taken).isEqualTo("taken");
        assertThat(between).containsExactly("nobody");
        assertThat(clock.passed()).isEqualTo(Duration.ofSeconds(4 + 8 + 16 + 16));
        assertThat(told.stream().filter(line -> line.contains("too few copies"))).hasSize(1);
        assertThat(told.stream().filter(line -> line.contains("did not answer"))).hasSize(1);
    }

    @Test
    void whatAnotherAttemptDoesNotMendIsThrown() {
        aIsLost();
        assertThatThrownBy(
                        () ->
                                standing("b", store)
                                        .await(
                                                mine -> {
                                                    throw FarheapException.wrongUse(
                                                            "another layout");
                                                }))
                .hasMessage("another layout");
        assertThat(whoLeads()).isEqualTo("nobody");
        assertThat(others.present(KEYS.waiting("b"))).isEmpty();
    }
}
