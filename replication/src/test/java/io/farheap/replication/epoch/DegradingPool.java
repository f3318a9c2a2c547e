package io.farheap.replication.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.layout.Descriptor;
import io.farheap.replication.FakePool;
import io.farheap.replication.FakeTargets;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.dirty.DirtyMapFiles;
import io.farheap.replication.dirty.DirtyMaps;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.Fabrics;
import io.farheap.replication.stream.FakeReplica;
import io.farheap.spi.ReplicaSink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.Supplier;

/** A pool with two fake targets that goes on without those that it can't reach. */
public final class DegradingPool implements AutoCloseable {
    public static final long IMAGE = 5 << 20;
    static final long PLACE = Descriptor.DEFAULT_HEAP_OFFSET + 4096;

    final FakeTargets targets;
    final FakePool pool;
    ReplicationSettings settings = RemoteReplicasTest.SETTINGS;
    ReplicaSink sink;

    /** Where dirty maps are from the next opening on. */
    Supplier<DirtyMaps> maps;

    /** After how many records epochs end, from the next opening on. */
    long mostRecords = Epoch.MOST_RECORDS;

    /** What the user orders at the next openings. */
    AttachOptions options = AttachOptions.NONE;

    /** Is told of every switch. */
    final SwitchRecorder recorder;

    DegradingPool(Path directory) {
        this(directory, ReplicaPolicy.DEGRADE, ReplicaPolicy.DEGRADE);
    }

    /** One target for each policy. */
    DegradingPool(Path directory, ReplicaPolicy... policies) {
        this(directory, SwitchRecorder.NONE, policies);
    }

    /** The same; whoever is told of its switches says how many copies are enough. */
    DegradingPool(Path directory, SwitchRecorder recorder, ReplicaPolicy... policies) {
        this(IMAGE, directory, recorder, policies);
    }

    /** The same of another size. */
    DegradingPool(
            long imageBytes, Path directory, SwitchRecorder recorder, ReplicaPolicy... policies) {
        this.recorder = recorder;
        targets = new FakeTargets(policies.length, imageBytes);
        pool = new FakePool(targets.remotes(), imageBytes, 11);
        for (int i = 0; i < policies.length; i++) {
            setPolicy(i, policies[i]);
        }
        pool.sideFiles = directory.resolve("part0");
        maps = () -> new DirtyMapFiles(pool);
        sink = attach();
    }

    private DegradingPool(DegradingPool crashed, Path directory) {
        recorder = crashed.recorder;
        targets = new FakeTargets(0, IMAGE);
        targets.replicas.addAll(crashed.targets.replicas);
        pool = new FakePool(targets.remotes(), IMAGE, 11);
        pool.image.copyFrom(crashed.pool.image);
        pool.switchRunId(crashed.pool.runId());
        pool.policies.putAll(crashed.pool.policies);
        pool.sideFiles = directory.resolve("part0");
        maps = () -> new DirtyMapFiles(pool);
        settings = crashed.settings;
    }

    /**
     * The pool as a crash leaves it at this instant, not open; this one is of no use any more.
     *
     * @param directory gets a copy of what lies beside the pool
     */
    DegradingPool crash(Path directory) throws IOException {
        DegradingPool after = new DegradingPool(this, directory);
        try (var files = Files.list(pool.sideFiles.getParent())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, directory.resolve(file.getFileName()));
            }
        }
        for (int i = 0; i < targets.replicas.size(); i++) {
            targets.lose(i);
        }
        sink.close();
        targets.replicas.forEach(replica -> replica.stalled = false);
        return after;
    }

    void setPolicy(int index, ReplicaPolicy policy) {
        pool.policies.put(targets.replicas.get(index).remote, policy);
    }

    ReplicaSink attach() {
        EpochSwitch switching =
                new EpochSwitch(
                        pool,
                        settings,
                        targets,
                        Fabrics.only(new TcpFabric(WaitStrategy.BLOCKING)),
                        new Random(7),
                        maps.get(),
                        recorder);
        return RemoteReplicas.attach(pool, options, settings, switching, mostRecords);
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
        if (sink != null) {
            sink.close();
        }
        targets.killAgents();
    }
}
