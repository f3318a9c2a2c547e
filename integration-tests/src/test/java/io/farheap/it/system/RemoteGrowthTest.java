package io.farheap.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.ObjectPool;
import io.farheap.base.Ref;
import io.farheap.base.StatisticsMode;
import io.farheap.engine.ClassPathReplicas;
import io.farheap.it.support.Machines;
import io.farheap.layout.Descriptor;
import io.farheap.replication.RemoteReplication;
import io.farheap.replication.config.AttachOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pool that grows in a directory while a replica on another machine follows. */
@Timeout(200)
class RemoteGrowthTest {
    private static final long M = 1 << 20;
    private static final long STEP = 4 * M;
    private static final long TYPE = 5;

    private final Machines machines = Machines.with("there");
    private final Path set = machines.here().resolve("pool.set");
    private final Path copy = machines.machine("there").resolve("copy.part0");

    @BeforeEach
    void writeSets() throws IOException {
        Path parts = Files.createDirectory(machines.here().resolve("parts"));
        machines.write(
                set, "PMEMPOOLSET\nOPTION SINGLEHDR\n64M " + parts + "\nREPLICA there copy.set\n");
        machines.write(
                machines.machine("there").resolve("copy.set"),
                "PMEMPOOLSET\nOPTION SINGLEHDR\n20M " + copy + "\n");
    }

    @AfterEach
    void endAll() {
        machines.close();
    }

    private ObjectPool open() {
        return ClassPathReplicas.replacedBy(
                pool -> RemoteReplication.attach(pool, AttachOptions.NONE, machines.settings()),
                () -> ObjectPool.open(set, "grow"));
    }

    private static void allocate(ObjectPool pool) {
        pool.transaction(
                tx -> {
                    Ref object = tx.allocateZeroed(3 * M, TYPE);
                    tx.setLong(object, 2 * M, object.offset());
                });
    }

    private void assertReplicaIsEqual() {
        PoolState here = PoolState.ofLocalCopies(set).get(0);
        PoolState there = PoolState.ofFile(copy);
        assertThat(there.withoutBlocks()).isEqualTo(here.withoutBlocks());
        assertThat(there.inconsistencies()).isEmpty();
    }

    @Test
    void theReplicaGrowsAlongAndNoFurtherThanItsImage() throws IOException {
        Path alone = machines.here().resolve("alone.set");
        machines.write(alone, Files.readString(set).replaceAll("(?m)^REPLICA \\S.*\n", ""));
        ObjectPool.create(alone, "grow").close();
        try (ObjectPool pool = open()) {
            pool.heap().setGranularity(STEP);
            pool.control().setStatistics(StatisticsMode.PERSISTENT);
            allocate(pool);
            allocate(pool);
            allocate(pool);
            assertThat(pool.heap().size()).isGreaterThan(8 * M);
        }
        assertReplicaIsEqual();

        try (ObjectPool pool = open()) {
            pool.heap().setGranularity(STEP);
            assertThatThrownBy(
                            () -> {
                                while (true) {
                                    allocate(pool);
                                }
                            })
                    .hasMessageContaining("no room");
            assertThat(pool.heap().size()).isEqualTo(20 * M - Descriptor.DEFAULT_HEAP_OFFSET);
            assertThatThrownBy(() -> pool.heap().extend(STEP))
                    .hasMessageContaining("exceeded reservation size")
                    .hasMessageContaining("replicas");
        }
        assertReplicaIsEqual();
        Path there = machines.machine("there").resolve("copy.set");
        try (ObjectPool replica = ObjectPool.open(there, "grow")) {
            int objects = 0;
            for (Ref object : replica.objects(TYPE)) {
                assertThat(replica.getLong(object, 2 * M)).isEqualTo(object.offset());
                objects++;
            }
            assertThat(objects).isGreaterThan(3);
        }
    }
}
