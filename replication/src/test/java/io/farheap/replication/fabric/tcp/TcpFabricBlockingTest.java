package io.farheap.replication.fabric.tcp;

import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricContract;
import io.farheap.replication.fabric.WaitStrategy;

/** The same where every wait blocks at once. */
class TcpFabricBlockingTest extends FabricContract {
    @Override
    protected Fabric newFabric() {
        return new TcpFabric(WaitStrategy.BLOCKING);
    }
}
