package io.farheap.agent.data;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.TargetListener;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

/** A card that can register nothing. */
public class RefusingFabric implements Fabric {
    @Override
    public Connection connect(
            InetSocketAddress target,
            byte[] secret,
            MemorySegment local,
            MemorySegment into,
            Duration bound) {
        throw new AssertionError("a target connects to nobody");
    }

    @Override
    public TargetListener listen(
            InetAddress address,
            int port,
            byte[] secret,
            MemorySegment region,
            MemorySegment published) {
        throw new FarheapException(Category.ENVIRONMENT, "nothing can be registered");
    }
}
