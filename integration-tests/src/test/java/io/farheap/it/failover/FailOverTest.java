package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.availability.StoredPool;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real programs, agents, files, and an etcd of three: whatever happens to the writer, the next one
 * has every number that was acknowledged, with the term in which it was, and no two acknowledge.
 */
@Timeout(900)
class FailOverTest {
    private static final int USUAL_ROUNDS = 2;
    private static final int DEEP_ROUNDS = 5;

    @TempDir private Path directory;

    private TurnNodes nodes;

    /** What happens to a writer. */
    private enum Fault {
        KILL_WRITER,
        STOP_WRITER,
        KILL_STORES_LEADER,
        CLOSE,
        SWITCH_OVER
    }

    @BeforeEach
    void start() throws Exception {
        nodes = new TurnNodes(directory, 2);
    }

    @AfterEach
    void end() throws Exception {
        nodes.close();
    }

    @Test
    void severalRounds() throws Exception {
        rounds(USUAL_ROUNDS);
    }

    /** Many with {@code -Dturns.rounds=200}. */
    @Test
    @Tag("long")
    void manyRounds() throws Exception {
        rounds(Integer.getInteger("turns.rounds", DEEP_ROUNDS));
    }

    private void rounds(int count) throws Exception {
        long seed = Long.getLong("turns.seed", new Random().nextLong() >>> 16);
        System.out.println("turns.seed=" + seed);
        Random random = new Random(seed);
        nodes.begin();
        nodes.awaitCatalogued();
        List<Fault> faults = new ArrayList<>();
        for (int round = 0; round < count; round++) {
            if (faults.isEmpty()) {
                faults.addAll(Arrays.asList(Fault.values()));
                Collections.shuffle(faults, random);
            }
            Fault fault = faults.remove(0);
            String writer = nodes.acknowledged.last().node();
            long at = System.nanoTime();
            suffer(fault);
            nodes.awaitMore(20);
            nodes.awaitWhole();
            System.out.printf(
                    "round %d, %s on %s: %d ms without commits, whole again after %d ms, term %d"
                            + " by %s%n",
                    round,
                    fault,
                    writer,
                    nodes.acknowledged.longestGapSince(at).toMillis(),
                    (System.nanoTime() - at) / 1_000_000,
                    nodes.acknowledged.last().term(),
                    nodes.acknowledged.last().node());
        }
        nodes.judgeCopies(count > USUAL_ROUNDS ? Nodes.NAMES.size() : 2);
    }

    private void suffer(Fault fault) throws Exception {
        Acknowledgements.One before = nodes.acknowledged.last();
        TurnNodes.Program writer = nodes.program(before.node());
        switch (fault) {
            case KILL_WRITER -> {
                writer.kill();
                nodes.awaitTermAfter(before.term());
                nodes.open(before.node());
            }
            case STOP_WRITER -> {
                int heard = writer.said().size();
                writer.stop();
                nodes.awaitTermAfter(before.term());
                writer.goOn();
                writer.awaitAfter(heard, "lost ");
                writer.awaitAfter(heard, "waiting ");
            }
            case KILL_STORES_LEADER -> {
                int leader = nodes.servers.leader();
                nodes.servers.kill(leader);
                nodes.awaitMore(100);
                nodes.servers.start(leader);
                assertThat(nodes.acknowledged.last().term()).isEqualTo(before.term());
            }
            case CLOSE -> {
                writer.close();
                // Nobody waits for its ttl.
                assertThat(nodes.lead().map(StoredPool.Announced::node))
                        .isNotEqualTo(Optional.of(before.node()));
                nodes.awaitTermAfter(before.term());
                nodes.open(before.node());
            }
            case SWITCH_OVER -> {
                String to = Nodes.NAMES.get((Nodes.NAMES.indexOf(before.node()) + 1) % 3);
                int heard = writer.said().size();
                assertThat(nodes.farheap("ha", "switchover", "--to", to))
                        .contains("writer : " + to);
                writer.awaitAfter(heard, "lost ");
                assertThat(nodes.awaitTermAfter(before.term()).node()).isEqualTo(to);
            }
        }
    }
}
