package io.farheap.replication.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.Blob;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.control.DataEndpoint;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DataTunnelTest {
    private static final RemoteReplica REPLICA = new RemoteReplica(null, "target", 0, "bank.set");
    private static final Duration BOUND = Duration.ofSeconds(20);

    @TempDir private Path directory;

    private final byte[] secret = new byte[Fabric.SECRET_BYTES];
    private final MemorySegment memory = Arena.ofAuto().allocate(4096, 64);
    private final TcpFabric tcp = new TcpFabric(WaitStrategy.BLOCKING);

    private DataEndpoint endpoint(int port) {
        return new DataEndpoint(
                "127.0.0.1",
                port,
                Blob.of(secret),
                64 << 10,
                DurabilityMethod.GPSPM,
                "",
                FabricKind.TCP,
                "");
    }

    /** A remote shell of that script: its last words are the forwarding and the host. */
    private AgentConnector shell(String body) throws IOException {
        Path script = directory.resolve("fake-ssh");
        Files.writeString(script, "#!/bin/sh\n" + body + "\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return AgentConnector.of(ReplicationSettings.from(Map.of("RPMEM_SSH", script.toString())));
    }

    private static void run(Runnable task) {
        Thread.ofPlatform().daemon().start(task);
    }

    @Test
    void theEntranceIsInADirectoryThatNobodyElseCanEnterAndIsGoneOnceItWasUsed() throws Exception {
        AtomicReference<Path> entrance = new AtomicReference<>();
        AgentConnector real = shell("cat"); // it lasts until it is killed
        AgentConnector connector =
                new AgentConnector() {
                    @Override
                    public ControlTransport start(RemoteReplica replica, int index) {
                        throw new UnsupportedOperationException();
                    }

                    @Override
                    public ControlTransport startTunnel(
                            RemoteReplica replica, Path socket, String host, int port) {
                        entrance.set(socket);
                        run(() -> forward(socket, port));
                        return real.startTunnel(replica, socket, host, port);
                    }
                };
        try (TargetListener listener =
                tcp.listen(InetAddress.getLoopbackAddress(), 0, secret, memory)) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(
                            () -> listener.accept(BOUND), DataTunnelTest::run);
            try (DataTunnel tunnel =
                    DataTunnel.open(connector, REPLICA, endpoint(listener.port()))) {
                Path apart = entrance.get().getParent();
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(apart)))
                        .isEqualTo("rwx------");
                MemorySegment local = Arena.ofAuto().allocate(4096, 64);
                try (Connection connection = tunnel.connect(tcp, secret, local, BOUND);
                        Endpoint end = accepted.join()) {
                    assertThat(connection.remoteBytes()).isEqualTo(4096);
                    assertThat(end.peer()).isNotEmpty();
                    assertThat(apart).doesNotExist();
                }
            }
        }
    }

    /** As ssh does it. */
    private static void forward(Path socket, int port) {
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            SocketChannel guest = server.accept();
            SocketChannel target =
                    SocketChannel.open(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            run(() -> pump(guest, target));
            pump(target, guest);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void pump(SocketChannel from, SocketChannel to) {
        ByteBuffer buffer = ByteBuffer.allocate(4096);
        try (from;
                to) {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    int unused = to.write(buffer);
                }
                buffer.clear();
            }
        } catch (IOException gone) {
            return; // one end is; the other finds that out by the end of this connection
        }
    }

    /** With ExitOnForwardFailure it ends, and nobody who takes its place is spoken to. */
    @Test
    void aShellThatCannotForwardEndsTheAttemptWithWhatItSaid() throws Exception {
        long begin = System.nanoTime();
        try (DataTunnel tunnel =
                DataTunnel.open(
                        shell("echo 'unix_listener: cannot bind to path' >&2; exit 255"),
                        REPLICA,
                        endpoint(4000))) {
            assertThatThrownBy(() -> tunnel.connect(tcp, secret, memory, BOUND))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("cannot bind to path")
                    .hasMessageContaining("status 255");
        }
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(BOUND.dividedBy(2));
    }

    @Test
    void whatIsAskedOfTheShellIsASocketAndNoPort() throws Exception {
        Path words = directory.resolve("words");
        try (DataTunnel tunnel =
                DataTunnel.open(
                        shell("for w; do echo \"$w\"; done >" + words + "; exit 1"),
                        REPLICA,
                        endpoint(4000))) {
            assertThatThrownBy(() -> tunnel.connect(tcp, secret, memory, BOUND))
                    .isInstanceOf(FarheapException.class);
        }
        List<String> said = Files.readAllLines(words);
        assertThat(said.get(said.indexOf("-L") + 1))
                .startsWith("/")
                .endsWith("/data:127.0.0.1:4000");
    }
}
