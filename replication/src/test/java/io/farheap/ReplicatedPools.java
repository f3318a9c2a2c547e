package io.farheap;

import io.farheap.engine.PoolEngine;
import io.farheap.engine.TxSettings;
import io.farheap.layout.Descriptor;
import io.farheap.spi.ReplicaSink;
import io.farheap.testing.CrashSimulation;
import java.time.Duration;

/** Pools in memory whose replicas a test brings along. */
public final class ReplicatedPools {
    private static final long SIZE = 8 << 20;

    private ReplicatedPools() {}

    /** A new pool; everything it commits leaves by {@code sink}. */
    public static ObjectPool create(ReplicaSink sink) {
        CrashSimulation machine = new CrashSimulation(SIZE);
        Descriptor descriptor = new Descriptor(machine.memory());
        descriptor.format("test");
        PoolOpening.format(machine.memory());
        descriptor.seal();
        TxSettings settings = new TxSettings(Duration.ofSeconds(30), Duration.ofSeconds(30), 16);
        return ObjectPool.over(
                PoolEngine.open(machine.memory(), settings, (found, committed) -> sink), 1);
    }
}
