package io.farheap.availability;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.MemoryStore;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreFaults;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.base.FarheapException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a person sees of a pool, and which orders are given. */
@Timeout(30)
class FailOverControlTest {
    private static final PoolKeys KEYS = new PoolKeys("cluster", "pool");
    private static final Duration TTL = Duration.ofSeconds(10);

    private final MemoryStore memory = new MemoryStore(Duration.ofDays(1));
    private final Coordinator others = memory.connect(StoreFaults.NONE);
    private final FailOverControl control =
            new FailOverControl(memory.connect(StoreFaults.NONE), KEYS);

    @AfterEach
    void end() {
        control.close();
        others.close();
    }

    private void write(String writer) {
        TreeSet<String> set = new TreeSet<>(List.of("a", "b"));
        ClusterRecord record = new ClusterRecord(7, writer, set, 12, 0, "0".repeat(32));
        long version = others.read(KEYS.record()).version();
        byte[] value = ClusterRecordCodec.encode(record);
        assertThat(others.compareAndSet(KEYS.record(), version, value).outcome())
                .isEqualTo(Swap.Outcome.APPLIED);
    }

    private Presence present(String key, Lead lead) {
        return others.announce(key, lead.encode(), TTL).orElseThrow();
    }

    @Test
    void itIsSeenWhoWritesAndWhoWaits() {
        write("a");
        present(KEYS.lead(), new Lead("a", 7, "https://a:8443", 5));
        present(KEYS.waiting("b"), Lead.of("b"));
        assertThat(control.look())
                .isEqualTo(
                        new FailOverState(
                                7,
                                "a",
                                List.of("a", "b"),
                                12,
                                "a",
                                7,
                                5,
                                MachineBoot.HERE,
                                "https://a:8443",
                                List.of("b"),
                                false,
                                "",
                                Map.of(),
                                List.of()));
    }

    @Test
    void itIsSeenWhyNodesWaitAndWhatWantsAttention() {
        write("b");
        present(KEYS.lead(), new Lead("a", 8, "", 5));
        present(KEYS.waiting("b"), Lead.of("b").waitingBecause("a writes"));
        String other = "00000000-0000-4000-8000-000000000000/1";
        present(KEYS.waiting("a"), new Lead("a", 0, "", 6, other, "", Lead.Turn.UNKNOWN));
        control.pause();
        FailOverState state = control.look();
        assertThat(state.reasons()).isEqualTo(Map.of("b", "a writes"));
        assertThat(state.attention())
                .hasSize(3)
                .anyMatch(why -> why.contains("an older copy of the store was restored"))
                .anyMatch(why -> why.contains("take-overs are paused"))
                .anyMatch(why -> why.contains("two machines are announced as the node a"));
    }

    /** It waits for ever: the record has its copy as another node's. */
    @Test
    void aNodeThatTheRecordAndTheWriterCallByAnotherNameIsSaid() {
        write("a");
        Lead.Turn turn = new Lead.Turn(1, new TreeSet<>(List.of("a", "b")), 2);
        present(KEYS.lead(), new Lead("a", 7, "", 5).with(turn));
        Presence stranger = present(KEYS.waiting("b.example"), Lead.of("b.example"));
        assertThat(control.lookForNames().attention())
                .containsExactly(
                        "a program waits on b.example, which neither the record nor the REPLICA"
                                + " lines of a name: if they call it b, a node has two names, and"
                                + " does not take over until its program (node) and those of the"
                                + " others (REPLICA, or mate) say the same one");
        assertThat(control.look().attention()).isEmpty();
        stranger.close();
        present(KEYS.waiting("b"), Lead.of("b"));
        assertThat(control.lookForNames().attention()).isEmpty();
        present(KEYS.waiting("c"), Lead.of("c"));
        assertThat(control.lookForNames().attention())
                .containsExactly(
                        "a program waits on c, which neither the record nor the REPLICA lines of a"
                                + " name");
    }

    /** Nobody can take over then, and says so only on that node. */
    @Test
    void soItIsWhereNobodyWritesAnyMore() {
        write("a");
        present(KEYS.waiting("c"), Lead.of("c"));
        assertThat(control.lookForNames().attention())
                .hasSize(2)
                .anyMatch(
                        why ->
                                why.startsWith(
                                        "a program waits on c, which the record does not name: if"
                                                + " they call it a or b, a node has two names"));
    }

    /** The lines may name it: it was left out, or its copy is yet to be made. */
    @Test
    void whereNobodyTellsTheLinesAnOutageIsNoReasonToSayIt() {
        write("a");
        present(KEYS.waiting("c"), Lead.of("c"));
        Presence standing = present(KEYS.lead(), Lead.of("b"));
        assertThat(control.lookForNames().attention()).noneMatch(why -> why.contains("name"));
        standing.close();
        present(KEYS.waiting("b"), Lead.of("b"));
        assertThat(control.lookForNames().attention()).noneMatch(why -> why.contains("name"));
    }

    /** Its copy is made, or it was left out: the lines name it. */
    @Test
    void aNodeOfTheWritersLinesThatIsNotOfTheSetHasOneName() {
        write("a");
        Lead.Turn turn = new Lead.Turn(1, new TreeSet<>(List.of("a", "b", "c")), 2);
        present(KEYS.lead(), new Lead("a", 7, "", 5).with(turn));
        present(KEYS.waiting("c"), Lead.of("c"));
        assertThat(control.lookForNames().attention())
                .containsExactly("commits do without the copy of c");
    }

    /** It may never come to write, and the one that the record names goes on. */
    @Test
    void whoHasOnlyAnnouncedItselfDoesNotWrite() {
        write("a");
        assertThat(control.look().writing()).isEmpty();
        Presence standing = present(KEYS.lead(), Lead.of("b"));
        assertThat(control.look().leader()).isEqualTo("b");
        assertThat(control.look().leaderTerm()).isZero();
        assertThat(control.look().writing()).isEmpty();
        standing.close();
        present(KEYS.lead(), new Lead("a", 7, "", 5));
        assertThat(control.look().writing()).isEqualTo("a");
    }

    /** It looked before the order was given, and a turn that has begun ends as it ends. */
    @Test
    void aTakeOverThatWasUnderWayWhenTheyWerePausedIsSaid() {
        write("a");
        assertThat(control.look().attention()).noneMatch(why -> why.contains("may write yet"));
        control.pause();
        assertThat(control.look().attention())
                .noneMatch(why -> why.contains("stood before"))
                .contains(
                        "the record names a (term 7), and nobody is announced: unless its program"
                                + " was closed, it may only be stopped, and write yet");
        Presence standing = present(KEYS.lead(), Lead.of("b"));
        assertThat(control.look().attention())
                .anyMatch(why -> why.contains("b stood before take-overs were paused"))
                .noneMatch(why -> why.contains("may write yet"));
        standing.close();
        present(KEYS.lead(), new Lead("b", 7, "", 5));
        assertThat(control.look().attention()).noneMatch(why -> why.contains("stood before"));
    }

    @Test
    void aPoolWithoutARecordIsAMistake() {
        assertThatThrownBy(control::look)
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("There is no record farheap/cluster/pools/pool/record");
    }

    @Test
    void aPauseLastsUntilItIsEndedAndKeepsOtherOrders() {
        write("a");
        control.pause();
        assertThat(control.look().paused()).isTrue();
        assertThat(Orders.read(others, KEYS).withTo(Optional.of("b")).write(others, KEYS))
                .isEqualTo(Swap.Outcome.APPLIED);
        control.resume();
        assertThat(control.look().paused()).isFalse();
        assertThat(control.look().ordered()).isEqualTo("b");
    }

    @Test
    void whoMayNotOrDoesNotWaitIsNotOrderedToWrite() {
        write("a");
        assertThatThrownBy(() -> control.switchOver("c", Duration.ofSeconds(5)))
                .hasMessageContaining("its copy is not of the set");
        assertThatThrownBy(() -> control.switchOver("b", Duration.ofSeconds(5)))
                .hasMessageContaining("no program waits there");
        present(KEYS.waiting("b"), Lead.of("b"));
        control.pause();
        assertThatThrownBy(() -> control.switchOver("b", Duration.ofSeconds(5)))
                .hasMessageContaining("paused");
        assertThat(control.look().ordered()).isEmpty();
    }

    /** The order would have the writer close the pool, and nobody stands. */
    @Test
    void aPauseBetweenTheLookAndTheOrderRefusesIt() {
        write("a");
        present(KEYS.waiting("b"), Lead.of("b"));
        Coordinator pausedMeanwhile =
                new Meddled(
                        memory.connect(StoreFaults.NONE),
                        key -> {
                            if (key.equals(KEYS.waiting("b"))) {
                                control.pause();
                            }
                        });
        try (FailOverControl other = new FailOverControl(pausedMeanwhile, KEYS)) {
            assertThatThrownBy(() -> other.switchOver("b", Duration.ofSeconds(5)))
                    .hasMessageContaining("farheap ha resume first");
        }
        assertThat(control.look().ordered()).isEmpty();
    }

    /** A command that is upgraded last changes the orders, too. */
    @Test
    void whatALaterReleaseOrdersIsKept() {
        write("a");
        byte[] more = "{\"format\":1,\"paused\":false,\"more\":[1]}".getBytes(UTF_8);
        assertThat(others.compareAndSet(KEYS.order(), 0, more).outcome())
                .isEqualTo(Swap.Outcome.APPLIED);
        control.pause();
        assertThat(new String(others.read(KEYS.order()).value().orElseThrow(), UTF_8))
                .isEqualTo("{\"format\":1,\"paused\":true,\"more\":[1]}");
    }

    @Test
    void aPauseWhileTheOrderIsCarriedOutWithdrawsIt() {
        write("a");
        present(KEYS.waiting("b"), Lead.of("b"));
        Coordinator pausedMeanwhile =
                new Meddled(
                        memory.connect(StoreFaults.NONE),
                        key -> {
                            if (!Orders.read(others, KEYS).to().isEmpty()) {
                                control.pause();
                            }
                        });
        try (FailOverControl other = new FailOverControl(pausedMeanwhile, KEYS)) {
            assertThatThrownBy(() -> other.switchOver("b", Duration.ofSeconds(1)))
                    .hasMessageContaining("were paused while b was about to write");
        }
        assertThat(control.look().ordered()).isEmpty();
        assertThat(control.look().paused()).isTrue();
    }

    /** Something else happens whenever somebody is looked for. */
    private record Meddled(Coordinator store, Consumer<String> meanwhile)
            implements ForwardingCoordinator {
        @Override
        public Optional<byte[]> present(String key) {
            Optional<byte[]> found = store.present(key);
            meanwhile.accept(key);
            return found;
        }

        @Override
        public Versioned read(String key) {
            Versioned found = store.read(key);
            meanwhile.accept(key);
            return found;
        }

        @Override
        public Swap compareAndSet(String key, long version, byte[] value) {
            return store.compareAndSet(key, version, value);
        }
    }

    @Test
    void anOrderThatIsNotFollowedInTimeIsWithdrawn() {
        write("a");
        present(KEYS.waiting("b"), Lead.of("b"));
        assertThatThrownBy(() -> control.switchOver("b", Duration.ZERO))
                .hasMessageContaining("the order is withdrawn");
        assertThat(control.look().ordered()).isEmpty();
    }

    @Test
    void whoWritesAlreadyNeedsNoOrder() throws Exception {
        write("b");
        present(KEYS.lead(), new Lead("b", 7, "", 5));
        control.switchOver("b", Duration.ZERO);
        assertThat(Orders.read(others, KEYS).version()).isZero();
    }

    /** What its files are is judged with real ones, in ReinitTest. */
    @Test
    void aCopyIsMovedAsideOnlyWhileAnotherNodeWritesThatHasItMadeAnew(@TempDir Path directory)
            throws IOException {
        Path copy = directory.resolve("copy.set");
        Files.writeString(copy, "PMEMPOOLSET\n16M " + directory.resolve("part") + "\n");
        write("a");
        assertRefused("c", copy, "nobody is announced as the writer");
        TreeSet<String> lines = new TreeSet<>(List.of("a", "b", "c"));
        Lead.Turn turn = new Lead.Turn(0, lines, 2);
        Presence lead = present(KEYS.lead(), new Lead("a", 6, "", 5, "", "", turn));
        assertRefused("c", copy, "nobody is announced as the writer");
        lead.close();
        present(KEYS.lead(), new Lead("a", 7, "", 5, "", "", turn));
        assertRefused("a", copy, "a writes the pool");
        assertRefused("b", copy, "the record names b");
        assertRefused("d", copy, "no REPLICA line of a leads to d");
        assertThatThrownBy(() -> control.requireLeftOut("c", copy, false))
                .hasMessageContaining("nothing in the copy proves that it is of this pool");
        control.requireLeftOut("c", copy, true);
        Presence waits = present(KEYS.waiting("c"), Lead.of("c"));
        assertRefused("c", copy, "a program waits on c");
        waits.close();
        Files.writeString(
                directory.resolve("part.term"),
                "{\"format\":1,\"term\":0,\"current\":0,\"next\":0,"
                        + "\"store\":\"another\",\"revision\":3}");
        assertRefused("c", copy, "the store is another or an older one");
        Files.writeString(
                directory.resolve("part.term"),
                "{\"format\":1,\"term\":8,\"current\":0,\"next\":0,"
                        + "\"record\":{\"id\":9,\"term\":8}}");
        control.requireLeftOut("c", copy, true);
        identify(9);
        assertRefused("c", copy, "it has heard a writer of term 8, and the record is at term 7");
    }

    private void identify(long id) {
        Versioned now = others.read(KEYS.record());
        ClusterRecord record =
                ClusterRecordCodec.decode(KEYS.record(), now.value().orElseThrow()).identified(id);
        byte[] value = ClusterRecordCodec.encode(record);
        assertThat(others.compareAndSet(KEYS.record(), now.version(), value).outcome())
                .isEqualTo(Swap.Outcome.APPLIED);
    }

    private void assertRefused(String node, Path copy, String why) {
        assertThatThrownBy(() -> control.requireLeftOut(node, copy, true))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("stays as it is")
                .hasMessageContaining(why);
    }
}
