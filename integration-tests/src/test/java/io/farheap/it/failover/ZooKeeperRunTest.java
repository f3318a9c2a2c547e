package io.farheap.it.failover;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;

/** The same with a real ZooKeeper. */
@Tag("deep")
class ZooKeeperRunTest extends FarheapRunTest {
    @Override
    StoreServers servers(Path place) throws Exception {
        return ThreeZooKeepers.start(place);
    }
}
