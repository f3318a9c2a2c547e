package io.farheap.it.failover;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.zookeeper.ZooKeeperServers;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** ZooKeeper as the store. */
public final class ThreeZooKeepers implements StoreServers {
    private static final Duration TTL = Duration.ofSeconds(6);

    private final ZooKeeperServers servers;

    private ThreeZooKeepers(ZooKeeperServers servers) {
        this.servers = servers;
    }

    /** Out of the jars that tests have. */
    public static ThreeZooKeepers start(Path directory) throws Exception {
        return new ThreeZooKeepers(ZooKeeperServers.start(directory));
    }

    @Override
    public String through(List<Integer> ports) {
        return ZooKeeperServers.addressOf(ports);
    }

    @Override
    public List<Integer> clientPorts() {
        return servers.clientPorts();
    }

    @Override
    public Coordinator connect() {
        return servers.connect(TTL);
    }

    @Override
    public int leader() {
        return servers.leader();
    }

    @Override
    public ProcessHandle process(int server) {
        return servers.process(server);
    }

    @Override
    public void kill(int server) throws InterruptedException {
        servers.kill(server);
    }

    @Override
    public void start(int server) throws IOException {
        servers.start(server);
    }

    @Override
    public void close() throws InterruptedException {
        servers.close();
    }
}
