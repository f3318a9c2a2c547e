package io.farheap.replication.fabric.verbs;

import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricContract;
import io.farheap.replication.fabric.WaitStrategy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Tag;

/** On a machine with an RDMA device, whose address the property {@code rdma.address} tells. */
@Tag("rdma")
class VerbsFabricTest extends FabricContract {
    @Override
    protected Fabric newFabric() {
        return VerbsFabrics.open(WaitStrategy.DEFAULT);
    }

    @Override
    protected InetAddress machine() {
        try {
            return InetAddress.getByName(System.getProperty("rdma.address"));
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }
}
