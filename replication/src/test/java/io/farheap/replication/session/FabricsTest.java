package io.farheap.replication.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.fabric.FabricUse;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.fabric.verbs.RdmaDevices;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FabricsTest {
    private static final RemoteReplica REPLICA = new RemoteReplica("ada", "far", 0, "bank.set");
    private static final RemoteReplica OTHER = new RemoteReplica("ada", "near", 0, "bank.set");

    @TempDir Path sysfs;
    private boolean opened;

    private Fabric open(WaitStrategy wait) {
        opened = true;
        return new TcpFabric(wait);
    }

    private static Fabric fail(WaitStrategy wait) {
        throw new FarheapException(Category.ENVIRONMENT, "there is no libdisni");
    }

    private void addDevice() throws IOException {
        Path port = Files.createDirectories(sysfs.resolve("class/infiniband/mlx5_0/ports/1"));
        Files.writeString(port.resolve("state"), "4: ACTIVE\n");
        Files.createDirectories(sysfs.resolve("class/infiniband/mlx5_0/device/net/ib0"));
    }

    private Fabrics fabrics(FabricUse use, Function<WaitStrategy, Fabric> verbs) {
        RdmaDevices devices =
                RdmaDevices.in(sysfs, name -> List.of(InetAddress.getLoopbackAddress()));
        return new Fabrics(use, devices, WaitStrategy.BLOCKING, verbs);
    }

    @Test
    void verbsIsOfferedFirstWhereThereIsADevice() throws IOException {
        addDevice();
        assertThat(fabrics(FabricUse.AUTO, this::open).offeredTo(REPLICA))
                .containsExactlyInAnyOrder(FabricKind.VERBS, FabricKind.TCP);
        assertThat(opened).isTrue();
    }

    @Test
    void withoutADeviceNothingIsLoaded() {
        assertThat(fabrics(FabricUse.AUTO, this::open).offeredTo(REPLICA))
                .containsExactly(FabricKind.TCP);
        assertThat(opened).isFalse();
    }

    @Test
    void withoutTheLibraryItIsTcp() throws IOException {
        addDevice();
        Fabrics fabrics = fabrics(FabricUse.AUTO, FabricsTest::fail);
        assertThat(fabrics.offeredTo(REPLICA)).containsExactly(FabricKind.TCP);
        assertThatThrownBy(() -> fabrics.of(FabricKind.VERBS))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("as nobody asked");
    }

    @Test
    void aSettingForcesOneOrForbidsIt() throws IOException {
        addDevice();
        assertThat(fabrics(FabricUse.VERBS, this::open).offeredTo(REPLICA))
                .containsExactly(FabricKind.VERBS);
        opened = false;
        assertThat(fabrics(FabricUse.TCP, this::open).offeredTo(REPLICA))
                .containsExactly(FabricKind.TCP);
        assertThat(opened).isFalse();
        Fabrics forced = fabrics(FabricUse.VERBS, FabricsTest::fail);
        assertThatThrownBy(() -> forced.offeredTo(REPLICA))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("no libdisni");
    }

    @Test
    void aReplicaThatWasReachedOverTcpOnlyIsNotTriedOverVerbsAgain() throws IOException {
        addDevice();
        Fabrics fabrics = fabrics(FabricUse.AUTO, this::open);
        fabrics.keepToTcp(REPLICA);
        assertThat(fabrics.offeredTo(REPLICA)).containsExactly(FabricKind.TCP);
        assertThat(fabrics.offeredTo(OTHER)).hasSize(2);
    }

    @Test
    void whatGoesThroughSshIsTcp() {
        assertThat(
                        Fabrics.of(ReplicationSettings.from(Map.of("FARHEAP_DATA", "ssh")))
                                .offeredTo(REPLICA))
                .containsExactly(FabricKind.TCP);
        ReplicationSettings both =
                ReplicationSettings.from(Map.of("FARHEAP_DATA", "ssh", "FARHEAP_FABRIC", "verbs"));
        assertThatThrownBy(() -> Fabrics.of(both))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("FARHEAP_FABRIC is verbs");
    }

    @Test
    void theInterfaceOfAnInfinibandCardIsFound() throws IOException {
        addDevice();
        RdmaDevices devices =
                RdmaDevices.in(
                        sysfs,
                        name ->
                                name.equals("ib0")
                                        ? List.of(InetAddress.getLoopbackAddress())
                                        : List.of());
        assertThat(devices.having(InetAddress.getLoopbackAddress()))
                .hasValueSatisfying(device -> assertThat(device.name()).isEqualTo("mlx5_0"));
        assertThat(devices.toString()).isEqualTo("mlx5_0 (127.0.0.1)");
    }
}
