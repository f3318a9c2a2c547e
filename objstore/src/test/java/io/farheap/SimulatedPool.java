package io.farheap;

import io.farheap.engine.PoolEngine;
import io.farheap.engine.TxSettings;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.spi.ReplicaSink;
import io.farheap.testing.CrashSimulation;
import java.time.Duration;

/** A pool in the memory of a machine that may lose power. */
final class SimulatedPool {
    static final long POOL_ID = 0x5eed_0000_0000_0001L;
    static final long SIZE = 8 << 20;
    static final TxSettings SETTINGS =
            new TxSettings(Duration.ofSeconds(30), Duration.ofSeconds(30), 16);
    static final TxSettings IMPATIENT =
            new TxSettings(Duration.ofMillis(200), Duration.ofMillis(200), 16);

    /** Bytes that the heap leaves of an image of the usual size: an extension takes them in. */
    static final long REST = 2 << 18;

    private SimulatedPool() {}

    /** A machine with an empty pool, closed. */
    static CrashSimulation formatted() {
        return formatted(SIZE);
    }

    static CrashSimulation formatted(long size) {
        CrashSimulation machine = new CrashSimulation(size);
        format(machine.memory());
        return machine;
    }

    /** Makes an empty pool of memory that is all zero. */
    static void format(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        descriptor.format("test");
        if (memory.size() >= SIZE) {
            descriptor.setHeapSize(descriptor.heapSize() - REST);
        }
        PoolOpening.format(memory);
        descriptor.seal();
    }

    static ObjectPool open(CrashSimulation machine) {
        return open(machine, SETTINGS);
    }

    static ObjectPool open(CrashSimulation machine, TxSettings settings) {
        return ObjectPool.over(PoolEngine.open(machine.memory(), settings, null), POOL_ID);
    }

    /** Opens it with the sink as its one remote replica. */
    static ObjectPool open(CrashSimulation machine, ReplicaSink sink) {
        return open(machine.memory(), sink);
    }

    /** As above, over any memory; null: no remote replica. */
    static ObjectPool open(PoolMemory memory, ReplicaSink sink) {
        PoolEngine.Attachment attachment =
                (descriptor, committed) -> {
                    if (sink instanceof RecordingSink recording) {
                        recording.committed = committed;
                    }
                    descriptor.switchRunId(descriptor.runId() + (2L << 20));
                    return sink;
                };
        return ObjectPool.over(
                PoolEngine.open(memory, SETTINGS, sink == null ? null : attachment), POOL_ID);
    }
}
