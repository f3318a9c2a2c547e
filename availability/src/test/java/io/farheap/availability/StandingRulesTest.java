package io.farheap.availability;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.availability.StandingRules.Decision;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** When a node stands, and when it leaves that to others. Nobody sleeps: the clock is virtual. */
class StandingRulesTest {
    private static final RandomGenerator NO_DELAY = () -> 0L;
    private static final Lead NOBODY = null;

    /** A program here, or an agent that takes no records. */
    private static final Held A_IS_ALIVE = new Held("a (agent process 5)", 0, 0);

    private final VirtualClock clock = new VirtualClock();
    private final StandingRules b = new StandingRules("b", 0, NO_DELAY);

    /** The writer a, and b and c, which have everything. */
    private static Optional<ClusterRecord> record(String writer, String... set) {
        return Optional.of(
                new ClusterRecord(7, writer, new TreeSet<>(List.of(set)), 12, 0, "0".repeat(32)));
    }

    private static Sight sight(Lead lead, Orders orders, Held held, boolean writerWaits) {
        return new Sight(
                record("a", "a", "b", "c"), Optional.ofNullable(lead), orders, held, writerWaits);
    }

    private static Sight nobodyWrites() {
        return sight(NOBODY, Orders.NONE, Held.BY_NOBODY, false);
    }

    private static Orders to(String node) {
        return new Orders(false, Optional.of(node), 3);
    }

    private Decision decide(Sight sight) {
        return b.decide(sight, clock.nanos());
    }

    @Test
    void whoseCopyWasSetApartIsToldWhatToDo() {
        TreeMap<String, ClusterRecord.Apart> apart = new TreeMap<>();
        apart.put("b", new ClusterRecord.Apart(7, 30));
        TreeSet<String> set = new TreeSet<>(List.of("a"));
        ClusterRecord record = new ClusterRecord(8, "a", set, 12, 0, "0".repeat(32), apart, 0);
        StandingRules rules = new StandingRules("b", 0, new Random(1));
        for (Optional<Lead> lead : List.of(Optional.<Lead>empty(), Optional.of(Lead.of("a")))) {
            Sight sight = new Sight(Optional.of(record), lead, Orders.NONE, Held.BY_NOBODY, false);
            assertThat(rules.decide(sight, 0).why())
                    .contains("was set apart", "farheap ha discard");
        }
    }

    @Test
    void aNodeOfTheSetStandsWhenNobodyWrites() {
        assertThat(decide(nobodyWrites()).stands()).isTrue();
    }

    @Test
    void whoSeesAWriterWaits() {
        Decision decision = decide(sight(Lead.of("a"), Orders.NONE, Held.BY_NOBODY, false));
        assertThat(decision.why()).isEqualTo("a writes");
    }

    @Test
    void aCopyThatMayLackCommitsWaitsForOneThatHasThem() {
        Decision decision =
                new StandingRules("c", 0, NO_DELAY)
                        .decide(
                                new Sight(
                                        record("a", "a", "b"),
                                        Optional.empty(),
                                        Orders.NONE,
                                        Held.BY_NOBODY,
                                        false),
                                clock.nanos());
        assertThat(decision.why()).startsWith("waiting for one of a, b");
    }

    @Test
    void withoutARecordNobodyStands() {
        Decision decision =
                decide(
                        new Sight(
                                Optional.empty(),
                                Optional.empty(),
                                Orders.NONE,
                                Held.BY_NOBODY,
                                false));
        assertThat(decision.why()).contains("no record");
    }

    @Test
    void whilePausedNobodyStands() {
        Orders paused = new Orders(true, Optional.of("b"), 3);
        clock.advance(Duration.ofHours(1));
        assertThat(decide(sight(NOBODY, paused, Held.BY_NOBODY, false)).why()).contains("paused");
    }

    /** The store may have lost the writer's lease: its heartbeats come all the same. */
    @Test
    void whileAWriterHasTheCopyHereNobodyStandsHoweverLongItIsGoneFromTheStore() {
        Decision decision = decide(sight(NOBODY, Orders.NONE, A_IS_ALIVE, false));
        assertThat(decision.why()).contains("a (agent process 5)");
        assertThat(decision.atMost()).isLessThanOrEqualTo(Duration.ofSeconds(1));
        clock.advance(Duration.ofHours(1));
        assertThat(decide(sight(NOBODY, Orders.NONE, A_IS_ALIVE, false)).stands()).isFalse();
        assertThat(decide(nobodyWrites()).stands()).isTrue();
    }

    /** It can't go on where it has lost a copy, too: the store is to be told first. */
    @Test
    void aWriterThatTheStoreHasLostAndThatCommitsNothingIsFollowedAfterSomeSeconds() {
        assertThat(decide(withRecord(12)).why()).contains("one has the copy here");
        clock.advance(Duration.ofSeconds(4));
        assertThat(decide(withRecord(12)).stands()).isFalse();
        clock.advance(Duration.ofSeconds(1));
        assertThat(decide(withRecord(12)).stands()).isTrue();
    }

    @Test
    void aWriterThatTheStoreHasLostGoesOnAsLongAsItCommits() {
        for (long record = 1; record < 100; record++) {
            assertThat(decide(withRecord(record)).stands()).isFalse();
            clock.advance(Duration.ofSeconds(4));
        }
    }

    @Test
    void theSecondsBeginAnewWhenTheStoreDidNotAnswerOrHadAWriter() {
        assertThat(decide(withRecord(12)).stands()).isFalse();
        b.sawNothing();
        clock.advance(Duration.ofSeconds(9));
        assertThat(decide(withRecord(12)).stands()).isFalse();
        assertThat(decide(sight(Lead.of("a"), Orders.NONE, Held.BY_NOBODY, false)).stands())
                .isFalse();
        clock.advance(Duration.ofSeconds(9));
        assertThat(decide(withRecord(12)).stands()).isFalse();
    }

    private static Sight withRecord(long record) {
        return sight(NOBODY, Orders.NONE, new Held("a (agent process 5)", 12, record), false);
    }

    @Test
    void theRecordedWritersOwnNodeIsFirstForSomeSecondsIfItWaits() {
        Sight writerWaits = sight(NOBODY, Orders.NONE, Held.BY_NOBODY, true);
        assertThat(decide(writerWaits).why()).contains("a wrote last");
        clock.advance(Duration.ofMillis(2_900));
        assertThat(decide(writerWaits).stands()).isFalse();
        clock.advance(Duration.ofMillis(200));
        assertThat(decide(writerWaits).stands()).isTrue();
    }

    @Test
    void theRecordedWritersOwnNodeStandsAtOnce() {
        StandingRules a = new StandingRules("a", 9, NO_DELAY);
        assertThat(a.decide(nobodyWrites(), clock.nanos()).stands()).isTrue();
    }

    @Test
    void aHigherPriorityLeavesTheOthersTheirTime() {
        StandingRules late = new StandingRules("c", 2, NO_DELAY);
        Decision first = late.decide(nobodyWrites(), clock.nanos());
        assertThat(first.stands()).isFalse();
        clock.advance(Duration.ofMillis(900));
        assertThat(late.decide(nobodyWrites(), clock.nanos()).atMost())
                .isEqualTo(Duration.ofMillis(100));
        clock.advance(Duration.ofMillis(100));
        assertThat(late.decide(nobodyWrites(), clock.nanos()).stands()).isTrue();
    }

    @Test
    void nodesOfOnePriorityStandAtDifferentTimes() {
        Set<Duration> delays = new HashSet<>();
        for (int seed = 0; seed < 20; seed++) {
            StandingRules any = new StandingRules("c", 0, new Random(seed));
            delays.add(any.decide(nobodyWrites(), clock.nanos()).atMost());
        }
        assertThat(delays).hasSizeGreaterThan(10);
        assertThat(delays).allMatch(delay -> delay.compareTo(Duration.ofMillis(300)) <= 0);
    }

    /** A writer that comes and goes again begins all delays anew. */
    @Test
    void aDelayCountsFromTheLastSignOfAWriter() {
        Sight writerWaits = sight(NOBODY, Orders.NONE, Held.BY_NOBODY, true);
        assertThat(decide(writerWaits).stands()).isFalse();
        clock.advance(Duration.ofSeconds(2));
        assertThat(decide(sight(Lead.of("a"), Orders.NONE, Held.BY_NOBODY, true)).stands())
                .isFalse();
        clock.advance(Duration.ofSeconds(2));
        assertThat(decide(writerWaits).stands()).isFalse();
        clock.advance(Duration.ofSeconds(2));
        assertThat(decide(sight(NOBODY, Orders.NONE, A_IS_ALIVE, true)).stands()).isFalse();
        clock.advance(Duration.ofSeconds(2));
        assertThat(decide(writerWaits).stands()).isFalse();
    }

    @Test
    void whoIsOrderedToStandDoesSoBeforeTheFormerWriterAndWhateverItsPriority() {
        StandingRules ordered = new StandingRules("c", 9, NO_DELAY);
        assertThat(
                        ordered.decide(sight(NOBODY, to("c"), Held.BY_NOBODY, true), clock.nanos())
                                .stands())
                .isTrue();
    }

    @Test
    void anotherNodeThatIsOrderedToStandHasTenSeconds() {
        Sight ordered = sight(NOBODY, to("c"), Held.BY_NOBODY, false);
        assertThat(decide(ordered).why()).contains("c is to be the next writer");
        clock.advance(Duration.ofMillis(9_900));
        assertThat(decide(ordered).stands()).isFalse();
        clock.advance(Duration.ofMillis(200));
        assertThat(decide(ordered).stands()).isTrue();
    }

    /** Each pause is longer than others wait for this node, so that they have a turn. */
    @Test
    void afterATurnThatFailedThereIsALongerPauseEachTime() {
        assertThat(StandingRules.FIRST_PAUSE).isGreaterThan(StandingRules.WRITER_FIRST);
        for (long seconds : new long[] {4, 8, 16, 16}) {
            assertThat(decide(nobodyWrites()).stands()).isTrue();
            b.failed(clock.nanos());
            clock.advance(Duration.ofSeconds(seconds).minusMillis(1));
            assertThat(decide(nobodyWrites()).why()).contains("after a pause");
            clock.advance(Duration.ofMillis(1));
        }
    }
}
