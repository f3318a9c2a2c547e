package io.farheap.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ReplicaPolicy;
import io.farheap.ReplicaStatus.State;
import io.farheap.layout.Descriptor;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.spi.ReplicaSink;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;

/** A pool with two fake targets that goes on without those that it can't reach. */
final class DegradingPool implements AutoCloseable {
    static final long IMAGE = 5 << 20;
    static final long PLACE = Descriptor.DEFAULT_HEAP_OFFSET + 4096;
    private static final ReplicationSettings SETTINGS =
            RemoteReplicasTest.SETTINGS.withPolicies(
                    new ReplicaPolicies(ReplicaPolicy.DEGRADE, Map.of()));

    final FakeTargets targets = new FakeTargets(2, IMAGE);
    final FakePool pool = new FakePool(targets.remotes(), IMAGE, 11);
    ReplicaSink sink;

    DegradingPool(Path directory) {
        pool.sideFiles = directory.resolve("part0");
        sink = attach();
    }

    ReplicaSink attach() {
        EpochSwitch switching =
                new EpochSwitch(
                        pool,
                        SETTINGS,
                        targets,
                        new TcpFabric(WaitStrategy.BLOCKING),
                        new Random(7),
                        new DirtyMapFiles(pool));
        return RemoteReplication.attach(pool, AttachOptions.NONE, SETTINGS, switching);
    }

    void reopen() {
        sink.close();
        sink = attach();
    }

    void commit(long place, long value) {
        pool.commit(sink, place, value);
    }

    State state(int index) {
        return sink.replicas().get(index).state();
    }

    FakeReplica replica(int index) {
        return targets.replicas.get(index);
    }

    void assertSame(int index) {
        assertThat(replica(index).differs(pool)).as("replica " + index).isEqualTo(-1);
        assertThat(replica(index).cur).isEqualTo(pool.runId());
        assertThat(replica(index).state).isEqualTo(ReplicaState.INSYNC);
    }

    @Override
    public void close() {
        sink.close();
        targets.killAgents();
    }
}
