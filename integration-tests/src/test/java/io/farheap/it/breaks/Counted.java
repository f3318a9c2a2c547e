package io.farheap.it.breaks;

import static org.assertj.core.api.Assertions.assertThat;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.base.ReplicaPolicy;
import io.farheap.base.ReplicaStatus;
import io.farheap.base.ReplicaStatus.State;
import io.farheap.engine.ClassPathReplicas;
import io.farheap.it.support.Machines;
import io.farheap.it.system.PoolState;
import io.farheap.replication.RemoteReplication;
import io.farheap.replication.config.AttachOptions;
import io.farheap.replication.config.ReplicaPolicies;
import io.farheap.replication.config.ReplicationSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;

/**
 * A pool with one replica, opened in the test's process, with real agents: commits are counted in
 * it and beside it.
 */
final class Counted implements AutoCloseable {
    static final String TARGET = "there";
    static final String REPLICA = TARGET + " copy.set";
    static final String LAYOUT = "counted";

    private static final int BYTES = 1000;

    private final Machines machines;
    private final Path set;
    private ObjectPool pool;
    private long count;

    /**
     * @param machines has the target, and its poolset file {@code copy.set}
     */
    Counted(Machines machines, String name, String size) {
        this.machines = machines;
        Path alone = machines.poolSet("here", name + ".set", size);
        ObjectPool.create(alone, LAYOUT).close();
        set = machines.poolSet("here", name + ".set", size, REPLICA);
    }

    /** Opens the pool; what a commit takes must be in order by then. */
    Counted open(ReplicaPolicy policy) {
        return open(policy, machines.settings());
    }

    Counted open(ReplicaPolicy policy, ReplicationSettings settings) {
        ReplicationSettings chosen = settings.withPolicies(new ReplicaPolicies(policy, Map.of()));
        pool =
                ClassPathReplicas.replacedBy(
                        opened -> RemoteReplication.attach(opened, AttachOptions.NONE, chosen),
                        () -> ObjectPool.open(set, LAYOUT));
        assertThat(pool.getLong(pool.root(Long.BYTES), 0)).isEqualTo(count);
        return this;
    }

    ObjectPool pool() {
        return pool;
    }

    Path set() {
        return set;
    }

    Path part() {
        return set.resolveSibling(set.getFileName().toString().replace(".set", ".part0"));
    }

    Path replicaPart() {
        return machines.machine(TARGET).resolve("copy.part0");
    }

    void commit() {
        pool.transaction(
                tx -> {
                    Ref root = tx.root();
                    tx.setLong(root, 0, count + 1);
                    Ref fresh = tx.allocateZeroed(BYTES, 1);
                    tx.setLong(fresh, 0, count + 1);
                });
        count++;
    }

    ReplicaStatus status() {
        return pool.replicas().get(0);
    }

    /** Waits until the replica is in a state for a reason that has all of these in it. */
    ReplicaStatus await(State state, String... reason) {
        Awaitility.await()
                .pollInterval(Duration.ofMillis(10))
                .untilAsserted(
                        () -> {
                            assertThat(status().state()).isEqualTo(state);
                            for (String part : reason) {
                                assertThat(status().reason()).contains(part);
                            }
                        });
        return status();
    }

    /** Commits, closes, and finds the replica to be the pool. */
    void assertCurrent() {
        assertCurrent(replicaPart());
    }

    void assertCurrent(Path replica) {
        var unused = await(State.ATTACHED);
        commit();
        closePool();
        assertThat(PoolState.ofFile(replica).withoutBlocks())
                .isEqualTo(PoolState.ofFile(part()).withoutBlocks());
        assertThat(part().getParent().toFile().list((d, name) -> name.endsWith(".dirty")))
                .isEmpty();
    }

    void closePool() {
        if (pool != null) {
            pool.close();
            pool = null;
        }
    }

    /** Moves the target's files of this pool to another directory on it, or back. */
    void moveReplica(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        for (String name : new String[] {"copy.part0", "copy.part0.journal"}) {
            Files.move(from.resolve(name), to.resolve(name));
        }
    }

    @Override
    public void close() {
        closePool();
    }
}
