package io.farheap.zookeeper;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.StoreEngine;
import io.farheap.availability.coordinator.StoreSettings;

/** ZooKeeper by its address. */
public final class ZooKeeperEngine implements StoreEngine {
    /** For the service loader. */
    public ZooKeeperEngine() {}

    @Override
    public String kind() {
        return "zookeeper";
    }

    @Override
    public String example() {
        return ZooKeeperSettings.EXAMPLE;
    }

    @Override
    public void check(StoreSettings settings) {
        var unused = ZooKeeperSettings.of(settings);
    }

    @Override
    public Coordinator connect(StoreSettings settings) {
        return new ZooKeeperCoordinator(ZooKeeperSettings.of(settings));
    }
}
