package io.farheap.replication.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.DataEndpoint;
import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.replication.fabric.FabricKind;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DataHostTest {
    private static RemoteReplica on(String host) {
        return new RemoteReplica(null, host, 0, "bank.set");
    }

    private static DataEndpoint at(String host, FabricKind fabric) {
        return new DataEndpoint(
                host,
                4000,
                Blob.of(new byte[32]),
                64 << 10,
                DurabilityMethod.GPSPM,
                "",
                fabric,
                "");
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, 127.0.0.1",
        "127.0.0.1, 127.0.0.1",
        "fe80::1, fe80::1",
        "fe80::1, fe80::1%their0",
        "no-such-host.invalid, 10.0.0.5", // an alias: ssh's configuration knows it
    })
    void theReplicasOwnHostIsConnectedTo(String host, String named) {
        InetSocketAddress to = DataHost.of(on(host), at(named, FabricKind.TCP));
        assertThat(to.getPort()).isEqualTo(4000);
        assertThat(to.isUnresolved()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"localhost, 10.0.0.5", "127.0.0.1, 127.0.0.2", "10.0.0.1, ::1"})
    void anotherOneIsNot(String host, String named) {
        assertThatThrownBy(() -> DataHost.of(on(host), at(named, FabricKind.TCP)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("no address of " + host)
                .hasMessageContaining("REPLICA line");
    }

    @Test
    void rdmaMayHaveANetworkOfItsOwn() {
        assertThat(DataHost.of(on("localhost"), at("10.9.9.9", FabricKind.VERBS)).getHostString())
                .isEqualTo("10.9.9.9");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"elsewhere.example", "dead.beef", "-oProxyCommand=x", "a b", "1.2.3.4/x"})
    void aNameIsNeverLookedUpForAnAgent(String named) {
        assertThatThrownBy(() -> DataHost.of(on("localhost"), at(named, FabricKind.VERBS)))
                .hasMessageContaining("no address");
        assertThatThrownBy(() -> DataHost.requireTargetItself(at(named, FabricKind.TCP)))
                .hasMessageContaining("no address");
    }

    @Test
    void throughSshOnlyTheTargetItselfIsReached() {
        DataHost.requireTargetItself(at("127.0.0.1", FabricKind.TCP));
        assertThatThrownBy(() -> DataHost.requireTargetItself(at("10.0.0.5", FabricKind.TCP)))
                .hasMessageContaining("another machine");
    }
}
