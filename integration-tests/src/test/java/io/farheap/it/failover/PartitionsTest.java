package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.availability.etcd.EtcdProcesses;
import io.farheap.it.failover.Cuts.Cut;
import io.farheap.it.failover.Cuts.Fate;
import io.farheap.it.failover.Cuts.Way;
import io.farheap.it.support.Network;
import io.farheap.it.support.SshServers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each partition of a network of three nodes and a store of three, both ways and one way, by
 * packets that are lost: who goes on, who takes over, and that the nodes find together again. What
 * was acknowledged is judged after each.
 */
@Tag("long")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
class PartitionsTest {
    /** Longer than the ttl of the nodes' leases, and than the bounds of their heartbeats. */
    private static final Duration LONG = Duration.ofSeconds(12);

    /** For a commit that waits for nobody, on a busy machine. */
    private static final Duration AT_ONCE = Duration.ofSeconds(3);

    /** Several times what it takes on a busy machine; not as long as a resolver that is asked. */
    private static final Duration TAKE_OVER = Duration.ofSeconds(40);

    private TurnNodes nodes;
    private Network network;
    private Cuts cuts;
    private final List<Cut> made = new ArrayList<>();

    /** Who writes when a test begins, and the others. */
    private Acknowledgements.One before;

    private List<String> others;

    /** In what ways packets are lost between two sides. */
    private enum Lost {
        BOTH_WAYS(Way.BOTH, Fate.HELD),
        TO_THE_SECOND(Way.OUT, Fate.HELD),
        TO_THE_FIRST(Way.IN, Fate.HELD),
        BOTH_WAYS_AND_SENDERS_ARE_TOLD(Way.BOTH, Fate.LOST),
        TO_THE_SECOND_AND_SENDERS_ARE_TOLD(Way.OUT, Fate.LOST),
        TO_THE_FIRST_AND_SENDERS_ARE_TOLD(Way.IN, Fate.LOST);

        private final Way way;
        private final Fate fate;

        Lost(Way way, Fate fate) {
            this.way = way;
            this.fate = fate;
        }
    }

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        Network.require();
        SshServers.require();
        EtcdProcesses.requireInstalled();
        network = Network.of(directory, TurnNodes.hosts());
        nodes = TurnNodes.on(network, directory, 2);
        cuts = new NetworkCuts(network);
        nodes.begin();
    }

    @BeforeEach
    void lookAround() {
        before = nodes.acknowledged.last();
        others = Nodes.NAMES.stream().filter(node -> !node.equals(before.node())).toList();
    }

    @AfterEach
    void allIsMendedAndWhole(TestInfo test) {
        long at = System.nanoTime();
        mend();
        nodes.awaitMore(20);
        nodes.awaitWhole();
        nodes.judge();
        System.out.printf(
                "PartitionsTest %s %s: ms without commits %d, whole %d ms after it was mended,"
                        + " terms %d to %d%n",
                test.getTestMethod().orElseThrow().getName(),
                test.getDisplayName(),
                nodes.acknowledged.longestGapSince(before.returned()).toMillis(),
                (System.nanoTime() - at) / 1_000_000,
                before.term(),
                nodes.acknowledged.last().term());
    }

    @AfterAll
    void end() throws Exception {
        if (nodes != null) {
            try {
                nodes.judgeCopies(Nodes.NAMES.size());
            } finally {
                nodes.close();
            }
        }
    }

    private void lose(List<String> first, List<String> second, Lost lost) {
        for (String one : first) {
            for (String other : second) {
                Cut cut = new Cut(one, other, lost.way, lost.fate);
                made.add(cut);
                cuts.make(cut);
            }
        }
    }

    private void mend() {
        List<Cut> all = List.copyOf(made);
        made.clear();
        all.forEach(cuts::mend);
    }

    /** The time that the partition lasts. */
    private static void pass(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        Awaitility.await().atMost(time.multipliedBy(2)).until(() -> System.nanoTime() - until >= 0);
    }

    private List<String> writer() {
        return List.of(before.node());
    }

    /** Without another writer, and without a longer wait. */
    private void commitsGoOnFor(Duration time) {
        long at = System.nanoTime();
        pass(time);
        Duration sinceLast =
                Duration.ofNanos(System.nanoTime() - nodes.acknowledged.last().returned());
        assertThat(sinceLast).isLessThan(AT_ONCE);
        assertThat(nodes.acknowledged.longestGapSince(at)).isLessThan(AT_ONCE);
        assertThat(nodes.acknowledged.last().term()).isEqualTo(before.term());
    }

    private void anotherNodeTakesOver() {
        assertThat(nodes.awaitTermAfter(before.term()).node()).isIn(others);
        nodes.awaitMore(20);
        assertThat(nodes.acknowledged.longestGapSince(before.returned())).isLessThan(TAKE_OVER);
    }

    private void nobodyCommits() {
        pass(LONG);
        int count = nodes.acknowledged.count();
        pass(LONG);
        assertThat(nodes.acknowledged.count()).isEqualTo(count);
    }

    private void isLeftOut(String node) {
        nodes.patiently()
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(nodes.record().set()).doesNotContain(node));
    }

    @ParameterizedTest
    @EnumSource
    void aCopyThatTheWriterDoesNotReachIsLeftOut(Lost lost) {
        String copy = others.get(0);
        lose(writer(), List.of(copy), lost);
        isLeftOut(copy);
        nodes.awaitMore(20);
        commitsGoOnFor(LONG);
    }

    @ParameterizedTest
    @EnumSource
    void aNodeThatReachesNobodyIsLeftOut(Lost lost) {
        String node = others.get(1);
        List<String> rest = new ArrayList<>(TurnNodes.hosts());
        rest.remove(node);
        lose(List.of(node), rest, lost);
        isLeftOut(node);
        nodes.awaitMore(20);
        commitsGoOnFor(LONG);
    }

    @ParameterizedTest
    @EnumSource
    void commitsGoOnWithoutTheStore(Lost lost) {
        lose(writer(), TurnNodes.STORES, lost);
        commitsGoOnFor(LONG);
        assertThat(nodes.record().set()).hasSize(Nodes.NAMES.size());
    }

    @ParameterizedTest
    @EnumSource
    void commitsGoOnWhenOnlyTheWriterReachesTheStore(Lost lost) {
        lose(others, TurnNodes.STORES, lost);
        commitsGoOnFor(LONG);
        assertThat(nodes.record().set()).hasSize(Nodes.NAMES.size());
    }

    @ParameterizedTest
    @EnumSource
    void commitsGoOnWhenTheOthersDoNotReachEachOther(Lost lost) {
        lose(List.of(others.get(0)), List.of(others.get(1)), lost);
        commitsGoOnFor(LONG);
        assertThat(nodes.record().set()).hasSize(Nodes.NAMES.size());
    }

    @ParameterizedTest
    @EnumSource
    void anotherNodeTakesOverFromAWriterThatReachesNobody(Lost lost) {
        List<String> rest = new ArrayList<>(TurnNodes.hosts());
        rest.remove(before.node());
        lose(writer(), rest, lost);
        anotherNodeTakesOver();
    }

    /** A room, or a rack, with a machine of each kind. */
    @ParameterizedTest
    @EnumSource
    void anotherNodeTakesOverFromAWriterAndAServerOfTheStoreThatAreApart(Lost lost) {
        List<String> servers = new ArrayList<>(TurnNodes.STORES);
        List<String> room = List.of(before.node(), servers.remove(0));
        lose(room, Stream.concat(others.stream(), servers.stream()).toList(), lost);
        anotherNodeTakesOver();
    }

    @ParameterizedTest
    @EnumSource
    void anotherNodeTakesOverFromAWriterThatReachesNeitherTheStoreNorACopy(Lost lost) {
        List<String> rest = new ArrayList<>(TurnNodes.STORES);
        rest.add(others.get(1));
        lose(writer(), rest, lost);
        anotherNodeTakesOver();
    }

    @ParameterizedTest
    @EnumSource
    void aCopyAndAServerOfTheStoreThatAreApartAreDoneWithout(Lost lost) {
        List<String> servers = new ArrayList<>(TurnNodes.STORES);
        List<String> room = List.of(others.get(1), servers.remove(0));
        List<String> rest = List.of(before.node(), others.get(0), servers.get(0), servers.get(1));
        lose(room, rest, lost);
        isLeftOut(others.get(1));
        nodes.awaitMore(20);
        commitsGoOnFor(LONG);
    }

    /** Two copies are there, without the store; the store is there, with one copy. */
    @ParameterizedTest
    @EnumSource
    void nobodyGoesOnWithoutTwoCopiesAndTheStore(Lost lost) {
        List<String> servers = new ArrayList<>(TurnNodes.STORES);
        List<String> room = List.of(before.node(), others.get(0), servers.remove(0));
        List<String> rest = List.of(others.get(1), servers.get(0), servers.get(1));
        lose(room, rest, lost);
        nobodyCommits();
    }

    /** A writer with the store has no copy; copies without it may not take over. */
    @ParameterizedTest
    @EnumSource
    void nobodyGoesOnWhereTheStoreIsWithAWriterWithoutCopies(Lost lost) {
        List<String> servers = new ArrayList<>(TurnNodes.STORES);
        List<String> rest = List.of(others.get(0), others.get(1), servers.remove(0));
        lose(List.of(before.node(), servers.get(0), servers.get(1)), rest, lost);
        nobodyCommits();
    }

    /**
     * As where a resolver alone knows them, and is behind the broken network. A copy that is lost
     * then comes back when names are known.
     */
    @Test
    void commitsGoOnWithoutNamesAsLongAsNoCopyIsLost() throws Exception {
        network.knowNames(false);
        try {
            commitsGoOnFor(LONG);
            lose(writer(), List.of(others.get(0)), Lost.BOTH_WAYS);
            pass(LONG);
        } finally {
            network.knowNames(true);
        }
    }

    @Test
    void aStoreThatIsApartHoldsUpOnlyChangesOfTheSet() {
        for (String server : TurnNodes.STORES) {
            List<String> rest = new ArrayList<>(TurnNodes.STORES);
            rest.remove(server);
            lose(List.of(server), rest, Lost.TO_THE_SECOND);
        }
        commitsGoOnFor(LONG);

        lose(writer(), List.of(others.get(0)), Lost.BOTH_WAYS);
        nobodyCommits();
    }

    @ParameterizedTest
    @EnumSource
    void aPoolChangesItsWriterWhenTheLeaderOfTheStoreIsApartFromItsOwn(Lost lost) throws Exception {
        List<String> rest = new ArrayList<>(TurnNodes.STORES);
        String leader = rest.remove(nodes.servers.leader());
        lose(List.of(leader), rest, lost);
        commitsGoOnFor(LONG);
        nodes.program(before.node()).close();
        assertThat(nodes.awaitTermAfter(before.term()).node()).isIn(others);
        TurnNodes.Program unused = nodes.open(before.node());
    }
}
