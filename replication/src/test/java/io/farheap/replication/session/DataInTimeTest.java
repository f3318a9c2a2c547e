package io.farheap.replication.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
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
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.journal.ReplicaState;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An agent that is there, and a network that breaks data connections before they are any. */
@Timeout(60)
class DataInTimeTest {
    private static final RemoteReplica REPLICA = new RemoteReplica("", "far", 0, "r.set");
    private static final long RING = 1 << 16;
    private static final Duration BOUND = Duration.ofSeconds(20);

    private final byte[] secret = new byte[Fabric.SECRET_BYTES];
    private final MemorySegment memory = Arena.ofAuto().allocate(RING, 64);
    private ScriptedTarget target;

    @AfterEach
    void end() {
        target.kill();
    }

    @Test
    void itIsConnectedAgainWhileTheAttachHasTime() throws Exception {
        try (TargetListener listener =
                new TcpFabric(WaitStrategy.BLOCKING)
                        .listen(InetAddress.getLoopbackAddress(), 0, secret, memory)) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> listener.accept(BOUND));
            Breaking network = new Breaking(3, new SocketException("Connection reset"));
            ReplicaSession member = greet(listener.port(), "30s");
            member.connectData(target, Fabrics.only(network), memory);
            accepted.get().close();
            assertThat(network.attempts).isEqualTo(4);
            member.abandon();
        }
    }

    @Test
    void thatIsNotForLongerThanTheAttachTimeout() throws Exception {
        Breaking network = new Breaking(1 << 30, new SocketException("Connection reset"));
        ReplicaSession member = greet(9, "1s");
        long begin = System.nanoTime();
        assertThatThrownBy(() -> member.connectData(target, Fabrics.only(network), memory))
                .hasMessageContaining("far r.set: no data connection: Connection reset");
        assertThat(System.nanoTime() - begin)
                .isBetween(TimeUnit.MILLISECONDS.toNanos(800), TimeUnit.SECONDS.toNanos(10));
        assertThat(network.attempts).isGreaterThan(1);
        member.abandon();
    }

    /** Whoever shall look at it is not kept waiting. */
    @Test
    void whoIsThereAndIsNotTheAgentIsToldOfAtOnce() throws Exception {
        for (IOException why :
                List.of(
                        new ProtocolException("no secret"),
                        new SSLHandshakeException("expired"),
                        new ConnectException("Connection refused"))) {
            Breaking network = new Breaking(1 << 30, why);
            ReplicaSession member = greet(9, "30s");
            assertThatThrownBy(() -> member.connectData(target, Fabrics.only(network), memory))
                    .hasMessageContaining(why.getMessage());
            assertThat(network.attempts).isEqualTo(1);
            member.abandon();
            target.kill();
        }
    }

    @Test
    void anAgentThatEndsIsNotConnectedAgain() throws Exception {
        Breaking network = new Breaking(1 << 30, new SocketException("Connection reset"));
        ReplicaSession member = greet(9, "30s");
        network.meanwhile = target::kill;
        long begin = System.nanoTime();
        assertThatThrownBy(() -> member.connectData(target, Fabrics.only(network), memory))
                .hasMessageContaining("Connection reset");
        assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(15));
        member.abandon();
    }

    private ReplicaSession greet(int port, String attachTimeout) throws Exception {
        target =
                new ScriptedTarget(
                        List.of(
                                ControlCodec.encode(
                                        new Reply.Greeting(
                                                Reply.PROTOCOL, Reply.VERSION, 1, "far")),
                                ControlCodec.encode(verdict(port))),
                        RING,
                        new byte[0]);
        ReplicationSettings settings =
                ReplicationSettings.from(Map.of("FARHEAP_ATTACH_TIMEOUT", attachTimeout));
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
                        FabricKind.TCP_ONLY,
                        settings),
                settings);
    }

    private Reply.Verdict verdict(int port) {
        return new Reply.Verdict(
                AttachDecision.CURRENT,
                new SlotReport(ReplicaState.INSYNC, 2, 0, 2, 0, 1, 2, false, false),
                false,
                Blob.EMPTY,
                RING,
                List.of(),
                "",
                new DataEndpoint(
                        "127.0.0.1",
                        port,
                        Blob.of(secret),
                        RING,
                        DurabilityMethod.GPSPM,
                        "",
                        FabricKind.TCP,
                        ""));
    }

    /** Breaks so many connections, then carries the next. */
    private static final class Breaking implements Fabric {
        private final Fabric tcp = new TcpFabric(WaitStrategy.BLOCKING);
        private final int broken;
        private final IOException why;
        private Runnable meanwhile = () -> {};
        private int attempts;

        Breaking(int broken, IOException why) {
            this.broken = broken;
            this.why = why;
        }

        @Override
        public Connection connect(
                InetSocketAddress to,
                byte[] shown,
                MemorySegment local,
                MemorySegment into,
                Duration bound) {
            attempts++;
            if (attempts > broken) {
                return tcp.connect(to, shown, local, into, bound);
            }
            meanwhile.run();
            throw FarheapException.replica(why, "no data connection: %s", why.getMessage());
        }

        @Override
        public TargetListener listen(
                InetAddress address,
                int port,
                byte[] shown,
                MemorySegment region,
                MemorySegment published) {
            throw new AssertionError("an initiator does not listen");
        }
    }
}
