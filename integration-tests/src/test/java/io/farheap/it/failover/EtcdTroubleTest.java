package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreRefusedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A real etcd that has no space left, and one that was made of an old snapshot: commits go on, no
 * node takes over meanwhile, and nothing that was acknowledged is lost.
 */
@Tag("deep")
@Timeout(600)
class EtcdTroubleTest {
    private static final String FILL = "fill-";
    private static final Pattern STORES =
            Pattern.compile("The store is (\\S+) at revision \\d+, and . has seen (\\S+) at");

    /** Longer than the ttl of the programs, and what a node waits before it stands. */
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(20);

    @TempDir private Path directory;
    @TempDir private Path logs;

    @Test
    void fullUntilThereIsRoomAgain() throws Exception {
        ThreeEtcds etcd = ThreeEtcds.start(directory, "--quota-backend-bytes=8000000");
        try (TurnNodes nodes = new TurnNodes(etcd, 2)) {
            EtcdCommand operator = EtcdCommand.of(etcd.members());
            nodes.logInto(logs);
            nodes.begin();
            fill(etcd);
            Acknowledgements.One before = nodes.acknowledged.last();
            nodes.awaitMore(200);
            assertThat(nodes.acknowledged.last().term()).isEqualTo(before.term());

            nodes.program(before.node()).kill();
            TurnNodes.Program unused = nodes.open(before.node());
            nobodyTakesOver(nodes);
            assertThat(nodes.farheap("ha", "status"))
                    .contains("etcd says \"", "alarm:NOSPACE\": as long as it does");
            for (String node : Nodes.NAMES) {
                assertThat(refusals(nodes, node)).isNotEmpty().doesNotHaveDuplicates();
            }

            operator.makeRoom(FILL);
            assertThat(nodes.awaitTermAfter(before.term()).term()).isGreaterThan(before.term());
            nodes.awaitWhole();
            assertThat(nodes.farheap("ha", "status")).doesNotContain("NOSPACE");
            nodes.judgeCopies(Nodes.NAMES.size());
        }
    }

    private static List<String> refusals(TurnNodes nodes, String node) {
        return nodes.program(node).said().stream()
                .filter(line -> line.contains("database space exceeded"))
                .toList();
    }

    private static void fill(ThreeEtcds etcd) {
        byte[] much = new byte[500_000];
        try (Coordinator client = etcd.connect()) {
            for (int i = 0; i < 100; i++) {
                assertThat(client.compareAndSet(FILL + i, 0, much)).isNotNull();
            }
        } catch (StoreRefusedException e) {
            assertThat(e)
                    .hasMessageContaining("database space exceeded")
                    .hasMessageContaining("alarm list");
            return;
        }
        throw new AssertionError("etcd takes all");
    }

    /** With the token that it had, etcd gives it the identity that it had. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void madeOfAnOldSnapshot(boolean withItsToken) throws Exception {
        Path snapshot = logs.resolve("snapshot");
        Path aside = Files.createDirectory(logs.resolve("aside"));
        ThreeEtcds etcd = ThreeEtcds.start(directory);
        try (TurnNodes nodes = new TurnNodes(etcd, 2)) {
            EtcdCommand operator = EtcdCommand.of(etcd.members());
            nodes.logInto(logs);
            nodes.begin();
            operator.save(snapshot);
            nodes.program("a").kill();
            Acknowledgements.One later = nodes.awaitTermAfter(1);
            nodes.open("a").await("waiting ");
            nodes.awaitWhole();

            String token = etcd.members().token();
            operator.restore(snapshot, aside, withItsToken ? token : token + "-restored");
            TurnNodes.Program writer = nodes.program(later.node());
            for (String node : Nodes.NAMES) {
                if (!node.equals(writer.node)) {
                    assertOfAnotherStore(
                            nodes.program(node).await("waiting The store is "), withItsToken);
                }
            }
            nodes.awaitMore(200);
            assertThat(nodes.acknowledged.last().term()).isEqualTo(later.term());
            String gone = writer.node + " goes on writing: The store is ";
            nodes.patiently().until(() -> timesLogged(nodes, writer.node, gone) == 1);
            nodes.patiently()
                    .pollInterval(Duration.ofSeconds(1))
                    .untilAsserted(
                            () ->
                                    assertThat(nodes.farheap("ha", "status"))
                                            .contains("a waits: The store is ")
                                            .contains("an older copy of the store was restored"));

            writer.kill();
            TurnNodes.Program unused = nodes.open(writer.node);
            nobodyTakesOver(nodes);
            assertThat(nodes.farheap("ha", "status"))
                    .contains(writer.node + " waits: The store is ");

            operator.putBack(aside);
            assertThat(nodes.awaitTermAfter(later.term()).term()).isGreaterThan(later.term());
            nodes.awaitWhole();
            nodes.judgeCopies(Nodes.NAMES.size());
        }
    }

    private static void assertOfAnotherStore(String said, boolean sameIdentity) {
        Matcher found = STORES.matcher(said);
        assertThat(found.find()).as(said).isTrue();
        assertThat(found.group(1).equals(found.group(2))).as(said).isEqualTo(sameIdentity);
        assertThat(said).contains("it was restored or is another one. Nobody takes over");
    }

    private static long timesLogged(TurnNodes nodes, String node, String words) {
        return nodes.logged(node).stream().filter(line -> line.contains(words)).count();
    }

    private static void nobodyTakesOver(TurnNodes nodes) {
        int count = nodes.acknowledged.count();
        long until = System.nanoTime() + LONG_ENOUGH.toNanos();
        Awaitility.await()
                .atMost(LONG_ENOUGH.multipliedBy(2))
                .until(
                        () -> {
                            assertThat(nodes.acknowledged.count()).isEqualTo(count);
                            return System.nanoTime() > until;
                        });
    }
}
