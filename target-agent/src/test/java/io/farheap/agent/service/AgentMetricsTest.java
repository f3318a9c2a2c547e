package io.farheap.agent.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.agent.base.PoolsetDirectory;
import io.farheap.agent.replica.OpenReplica;
import io.farheap.agent.replica.ReplicaPaths;
import io.farheap.agent.session.TestInitiator;
import io.farheap.agent.store.ReplicaStore;
import io.farheap.layout.PoolUuid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an agent that listens tells of its replicas, whoever has them, or nobody. */
class AgentMetricsTest {
    private static final long JOURNAL_BYTES = 64 << 10;

    @TempDir private Path directory;
    private final ServiceFigures figures = new ServiceFigures();

    @BeforeEach
    void writePoolset() throws IOException {
        Files.writeString(
                directory.resolve("bank.set"),
                "PMEMPOOLSET\n10M " + directory.resolve("part0") + "\n");
    }

    private ReplicaPaths paths() {
        return ReplicaPaths.of(new PoolsetDirectory(directory), "bank.set");
    }

    private OpenReplica create() {
        return OpenReplica.create(
                paths(),
                TestInitiator.header(PoolUuid.random()),
                TestInitiator.IMAGE_BYTES,
                0600,
                JOURNAL_BYTES);
    }

    private String text() {
        Instant expiry = Instant.ofEpochSecond(2_000_000_000);
        return AgentMetrics.of("two:7890", 1_000_500, expiry, figures, 1_002_000);
    }

    private String of(String metric, String more) {
        return "\nfarheap_"
                + metric
                + "{agent=\"two:7890\",poolset=\""
                + directory
                + "/bank.set\",replica=\"0\",host=\"\",name=\""
                + directory
                + "/part0\""
                + more;
    }

    @Test
    void theServiceIsCounted() {
        figures.sessionBegins();
        figures.sessionBegins();
        figures.sessionBegins();
        figures.sessionEnds(true);
        figures.sessionEnds(false);
        figures.connectionRefused();
        assertThat(text())
                .startsWith(AgentMetrics.BEGIN)
                .contains(
                        "\nfarheap_agent_time_seconds{agent=\"two:7890\"} 1002\n",
                        "\nfarheap_agent_start_time_seconds{agent=\"two:7890\"} 1000.5\n",
                        "_certificate_expiry_time_seconds{agent=\"two:7890\"} 2000000000\n",
                        "\nfarheap_agent_sessions_open{agent=\"two:7890\"} 1\n",
                        "\nfarheap_agent_sessions_begun_total{agent=\"two:7890\"} 3\n",
                        "\nfarheap_agent_sessions_broken_total{agent=\"two:7890\"} 1\n",
                        "\nfarheap_agent_connections_refused_total{agent=\"two:7890\"} 1\n");
    }

    @Test
    void aReplicaIsToldAsLongAsItIsThere() throws IOException {
        ReplicaStore store;
        try (OpenReplica replica = create()) {
            store = replica.store();
            figures.holds(paths(), store);
            assertThat(text())
                    .contains(
                            of("agent_replica_held", "} 1\n"),
                            of("agent_replica_insync", ",state=\"NEW\"} 0\n"),
                            of("agent_replica_records_total", "} 0\n"),
                            of("copy_unapplied_records", "} 0\n"),
                            of("agent_replica_journal_bytes", "} " + JOURNAL_BYTES + "\n"));
        }
        assertThat(text()).as("its files are closed").contains(of("agent_replica_held", "} 1\n"));

        figures.leaves(paths(), store);
        assertThat(text())
                .contains(
                        of("agent_replica_held", "} 0\n"),
                        of("agent_replica_insync", ",state=\"NEW\"} 0\n"))
                .as("what nobody knows")
                .doesNotContain("farheap_agent_replica_journal_bytes{");

        Files.delete(directory.resolve("part0.journal"));
        assertThat(text()).doesNotContain("bank.set");
    }

    /** A session that ends late must not hide the one that has the replica since. */
    @Test
    void theNextSessionsReplicaIsHeld() {
        ReplicaStore first;
        try (OpenReplica replica = create()) {
            first = replica.store();
            figures.holds(paths(), first);
        }
        try (OpenReplica replica = OpenReplica.open(paths())) {
            figures.holds(paths(), replica.store());
            figures.leaves(paths(), first);
            assertThat(text()).contains(of("agent_replica_held", "} 1\n"));
        }
    }

    @Test
    void aJournalThatCanNotBeReadIsNoReplicaThatIsGone() throws IOException {
        try (OpenReplica replica = create()) {
            figures.holds(paths(), replica.store());
            figures.leaves(paths(), replica.store());
        }
        Files.write(directory.resolve("part0.journal"), new byte[1 << 20]);
        assertThat(text())
                .contains(of("agent_replica_held", "} 0\n"))
                .doesNotContain("farheap_agent_replica_insync{", "farheap_agent_replica_epoch{");
    }
}
