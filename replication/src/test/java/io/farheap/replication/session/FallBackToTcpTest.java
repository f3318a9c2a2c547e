package io.farheap.replication.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.ScriptedTarget;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.AttachDecision;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ControlCodec;
import io.farheap.replication.control.DataEndpoint;
import io.farheap.replication.control.Purpose;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.SessionOwner;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.fabric.FabricUse;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.fabric.verbs.RdmaDevices;
import io.farheap.replication.journal.ReplicaState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An agent that offers verbs, and a network between that carries tcp only. */
@Timeout(60)
class FallBackToTcpTest {
    private static final RemoteReplica REPLICA = new RemoteReplica("", "far", 0, "r.set");
    private static final long RING = 1 << 16;
    private static final Duration BOUND = Duration.ofSeconds(20);

    @TempDir Path sysfs;
    private final byte[] secret = new byte[Fabric.SECRET_BYTES];
    private final MemorySegment memory = Arena.ofAuto().allocate(RING, 64);

    private Fabrics fabrics(FabricUse use) throws Exception {
        Files.createDirectories(sysfs.resolve("class/infiniband/rdma0"));
        RdmaDevices devices = RdmaDevices.in(sysfs, name -> List.of());
        return new Fabrics(use, devices, WaitStrategy.BLOCKING, wait -> new Unreachable());
    }

    private static ReplicaSession greet(ScriptedTarget target, Fabrics fabrics)
            throws InterruptedException {
        ReplicationSettings settings = ReplicationSettings.DEFAULTS;
        return ReplicaSession.greet(
                target,
                REPLICA,
                0,
                PoolIdentity.UNKNOWN.hello(
                        Purpose.VERIFY,
                        "r.set",
                        2,
                        0,
                        List.of(),
                        SlotReport.NOT_KNOWN,
                        false,
                        false,
                        SessionOwner.NONE,
                        fabrics.offeredTo(REPLICA),
                        settings),
                settings);
    }

    private ScriptedTarget target(int tcpPort) throws Exception {
        return new ScriptedTarget(
                List.of(
                        ControlCodec.encode(
                                new Reply.Greeting(Reply.PROTOCOL, Reply.VERSION, 1, "far")),
                        ControlCodec.encode(
                                new Reply.Verdict(
                                        AttachDecision.CURRENT,
                                        new SlotReport(
                                                ReplicaState.INSYNC,
                                                2,
                                                0,
                                                2,
                                                0,
                                                1,
                                                2,
                                                false,
                                                false),
                                        false,
                                        Blob.EMPTY,
                                        RING,
                                        List.of(),
                                        "",
                                        at(9, FabricKind.VERBS))),
                        ControlCodec.encode(new Reply.Data(at(tcpPort, FabricKind.TCP)))),
                RING,
                new byte[0]);
    }

    private DataEndpoint at(int port, FabricKind fabric) {
        return new DataEndpoint(
                "127.0.0.1", port, Blob.of(secret), RING, DurabilityMethod.GPSPM, "", fabric, "");
    }

    @Test
    void itIsAskedForAndKeptTo() throws Exception {
        try (TargetListener listener =
                new TcpFabric(WaitStrategy.BLOCKING)
                        .listen(InetAddress.getLoopbackAddress(), 0, secret, memory)) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> listener.accept(BOUND));
            ScriptedTarget target = target(listener.port());
            Fabrics fabrics = fabrics(FabricUse.AUTO);
            ReplicaSession member = greet(target, fabrics);
            member.connectData(target, fabrics, memory);
            accepted.get().close();
            assertThat(member.fabric()).isEqualTo(FabricKind.TCP);
            assertThat(fabrics.offeredTo(REPLICA)).containsExactly(FabricKind.TCP);
            member.abandon();
            target.kill();
        }
    }

    @Test
    void itIsNotWhereVerbsIsOrdered() throws Exception {
        ScriptedTarget target = target(9);
        Fabrics fabrics = fabrics(FabricUse.VERBS);
        ReplicaSession member = greet(target, fabrics);
        assertThatThrownBy(() -> member.connectData(target, fabrics, memory))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("far r.set: no route for RDMA");
        member.abandon();
        target.kill();
    }

    private static final class Unreachable implements Fabric {
        @Override
        public Connection connect(
                InetSocketAddress target,
                byte[] secret,
                MemorySegment local,
                MemorySegment into,
                Duration bound) {
            throw new FarheapException(Category.REPLICA, "no route for RDMA");
        }

        @Override
        public TargetListener listen(
                InetAddress address,
                int port,
                byte[] secret,
                MemorySegment region,
                MemorySegment published) {
            throw new AssertionError("an initiator does not listen");
        }
    }
}
