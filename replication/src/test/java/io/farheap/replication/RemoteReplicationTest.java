package io.farheap.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.dirty.DirtyMapFiles;
import io.farheap.replication.epoch.EpochSwitch;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.session.Fabrics;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What begins beside the replicas once they are attached. */
class RemoteReplicationTest {
    private static final long IMAGE = 5 << 20;

    private final FakeTargets targets = new FakeTargets(2, IMAGE);

    @AfterEach
    void end() {
        targets.killAgents();
    }

    @Test
    void whatCanNotBeginLetsTheReplicasGo() {
        FakePool pool = new FakePool(targets.remotes(), IMAGE, 11);
        ReplicationSettings settings = ReplicationSettings.from(Map.of());
        EpochSwitch switching =
                new EpochSwitch(
                        pool,
                        settings,
                        targets,
                        Fabrics.only(new TcpFabric(WaitStrategy.BLOCKING)),
                        new Random(7),
                        new DirtyMapFiles(pool));
        pool.sideFiles = null; // so that nobody can say where the status file is

        assertThatThrownBy(
                        () ->
                                RemoteReplication.attach(
                                        pool, AttachOptions.NONE, settings, switching))
                .isInstanceOf(NullPointerException.class);

        assertThat(targets.agents).as("they were attached").isNotEmpty();
        await().until(() -> targets.replicas.stream().noneMatch(replica -> replica.held));
    }
}
