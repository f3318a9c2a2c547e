package io.farheap.it.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real programs, agents, files, and three servers of ZooKeeper: as {@link FailOverTest} with etcd,
 * once each.
 */
@Tag("deep")
@Timeout(900)
class ZooKeeperFailOverTest {
    @TempDir private Path directory;

    private TurnNodes nodes;

    @BeforeEach
    void start() throws Exception {
        nodes = new TurnNodes(ThreeZooKeepers.start(directory), 2);
    }

    @AfterEach
    void end() throws Exception {
        nodes.close();
    }

    @Test
    void whatWasAcknowledgedIsThereWhenTheWriterIsKilledAndWhenTheStoresLeaderIs()
            throws Exception {
        nodes.begin();
        nodes.awaitCatalogued();

        Acknowledgements.One first = nodes.acknowledged.last();
        nodes.program(first.node()).kill();
        Acknowledgements.One second = nodes.awaitTermAfter(first.term());
        assertThat(second.node()).isNotEqualTo(first.node());
        nodes.open(first.node());
        nodes.awaitMore(20);
        nodes.awaitWhole();

        int leader = nodes.servers.leader();
        nodes.servers.kill(leader);
        nodes.awaitMore(100);
        nodes.servers.start(leader);
        assertThat(nodes.acknowledged.last().term()).isEqualTo(second.term());
        nodes.awaitWhole();

        assertThat(nodes.farheap("ha", "status")).contains("writer : " + second.node());
        assertThat(nodes.farheap("ha", "switchover", "--to", first.node()))
                .contains("writer : " + first.node());
        assertThat(nodes.awaitTermAfter(second.term()).node()).isEqualTo(first.node());

        nodes.judgeCopies(2);
    }
}
