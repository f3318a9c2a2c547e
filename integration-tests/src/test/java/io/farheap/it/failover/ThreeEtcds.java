package io.farheap.it.failover;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.etcd.EtcdProcesses;
import io.farheap.it.support.Network;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** etcd as the store. */
public final class ThreeEtcds implements StoreServers {
    /** Requests have a sixth of it: beside other tests one may take long. */
    private static final Duration TTL = Duration.ofSeconds(24);

    private final EtcdProcesses members;

    private ThreeEtcds(EtcdProcesses members) {
        this.members = members;
    }

    /** Skips the calling test where etcd is not installed; with {@code CI} set that fails. */
    public static ThreeEtcds start(Path directory) throws IOException {
        return new ThreeEtcds(EtcdProcesses.start(directory));
    }

    /**
     * The same.
     *
     * @param flags more options of each etcd
     */
    static ThreeEtcds start(Path directory, String... flags) throws IOException {
        return new ThreeEtcds(EtcdProcesses.start(directory, List.of(flags)));
    }

    /** The same, each on a host of a network. */
    static ThreeEtcds startOn(Network network, List<String> hosts, Path directory)
            throws IOException {
        return new ThreeEtcds(
                EtcdProcesses.startOn(
                        hosts.stream()
                                .map(
                                        host ->
                                                new EtcdProcesses.Host(
                                                        network.address(host), network.on(host)))
                                .toList(),
                        directory));
    }

    EtcdProcesses members() {
        return members;
    }

    @Override
    public String address() {
        return "etcd:"
                + members.endpoints().stream().map(URI::toString).collect(Collectors.joining(","));
    }

    @Override
    public String through(List<Integer> ports) {
        return "etcd:"
                + ports.stream()
                        .map(port -> "http://127.0.0.1:" + port)
                        .collect(Collectors.joining(","));
    }

    @Override
    public List<Integer> clientPorts() {
        return members.clientPorts();
    }

    @Override
    public Coordinator connect() {
        return members.connect(TTL);
    }

    @Override
    public int leader() throws IOException {
        return members.leader();
    }

    @Override
    public ProcessHandle process(int member) {
        return members.process(member);
    }

    @Override
    public void kill(int member) throws InterruptedException {
        members.kill(member);
    }

    @Override
    public void start(int member) throws IOException {
        members.start(member);
    }

    @Override
    public void close() throws InterruptedException {
        members.close();
    }
}
