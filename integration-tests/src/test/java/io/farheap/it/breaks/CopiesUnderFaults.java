package io.farheap.it.breaks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.farheap.it.support.Machines;
import io.farheap.it.system.PoolState;
import io.farheap.it.system.ReplicaCopy;
import io.farheap.replication.journal.ReplicaSlot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A pool of one part here, and its copies on targets that fail. */
abstract class CopiesUnderFaults implements AutoCloseable {
    private static final Duration BACK_BOUND = Duration.ofSeconds(60);

    final Machines machines;
    final Path local;
    private final List<String> targets;

    CopiesUnderFaults(List<String> targets) {
        this.targets = targets;
        this.machines = Machines.with(targets.toArray(String[]::new));
        this.local = machines.here().resolve("pool.part0");
    }

    Path part(int target) {
        return machines.machine(targets.get(target)).resolve("copy.part0");
    }

    boolean hasSlot(int target) {
        return part(target).resolveSibling("copy.part0.journal").toFile().exists();
    }

    ReplicaSlot slot(int target) {
        return ReplicaCopy.slotOf(part(target));
    }

    long localNumber() {
        return PoolState.numberOf(local);
    }

    /** A dead program's agents end by themselves, within their bound. */
    void awaitNoAgent(int target) {
        await("the end of the agent on " + targets.get(target))
                .pollInterval(Duration.ofMillis(2))
                .atMost(BACK_BOUND)
                .until(() -> !machines.isBusy(targets.get(target)));
    }

    /** The program pauses: soon all copies are the pool. */
    void awaitAllArePool() {
        PoolState here = PoolState.ofFile(local).withoutBlocks();
        for (int i = 0; i < targets.size(); i++) {
            Path there = part(i);
            await("the replica on " + targets.get(i) + " is the pool")
                    .atMost(BACK_BOUND)
                    .pollInterval(Duration.ofMillis(20))
                    .untilAsserted(
                            () ->
                                    assertThat(PoolState.ofFile(there).withoutBlocks())
                                            .isEqualTo(here));
        }
    }

    @Override
    public void close() {
        machines.close();
    }
}
