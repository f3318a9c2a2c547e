package io.farheap.replication.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricContract;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.tls.Certificates;
import io.farheap.replication.tls.PemFiles;
import io.farheap.replication.tls.TlsChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsFabricTest extends FabricContract {
    @TempDir private static Path directory;
    private static PemFiles files;

    @BeforeAll
    static void makeCertificates() throws Exception {
        files = new Certificates(directory).sign("both", "CN=both");
    }

    @Override
    protected Fabric newFabric() {
        return new OnePort();
    }

    /** Many records in both directions, by threads of their own, in pieces of any size. */
    @Test
    void longWritesAndAnswersPassEachOther() {
        Random random = new Random(7);
        byte[] content = new byte[REGION];
        random.nextBytes(content);
        MemorySegment.copy(MemorySegment.ofArray(content), 0, local, 0, REGION);
        CompletableFuture<Void> served =
                serve(
                        100,
                        (memory, offset, length) -> {
                            target.send(memory, offset, length);
                            target.post();
                        });
        int at = 0;
        for (int i = 0; i < 100; i++) {
            int length = i == 99 ? REGION - at : Math.min(1 + random.nextInt(80_000), REGION - at);
            if (length > 0) {
                connection.write(at, length, at);
                at += length;
            }
            connection.send(message, 0, 1 + random.nextInt(2000));
            connection.post();
        }
        int answers = 0;
        while (answers < 100) {
            answers += connection.await((memory, offset, length) -> {}, BOUND.toNanos());
        }
        served.join();

        assertThat(region.mismatch(local)).isEqualTo(-1);
    }

    @Test
    void anotherSecretFindsNoDoor() {
        TargetListener other = listen();
        byte[] wrong = SECRET.clone();
        wrong[0] ^= 1;
        assertThatThrownBy(
                        () ->
                                fabric.connect(
                                        address(other), wrong, local, into, Duration.ofSeconds(5)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("no data connection with");
        other.close();
    }

    @Test
    void aCertificateOfAnotherAuthorityIsNamed(@TempDir Path elsewhere) throws Exception {
        PemFiles strange = new Certificates(elsewhere).sign("both", "CN=both");
        PemFiles distrusting =
                new PemFiles(strange.authorities(), files.certificate(), files.key());
        TargetListener other = listen();
        Fabric ours = new TlsFabric(WaitStrategy.DEFAULT, distrusting);
        assertThatThrownBy(
                        () ->
                                ours.connect(
                                        address(other), SECRET, local, into, Duration.ofSeconds(5)))
                .isInstanceOf(FarheapException.class)
                .hasMessageContaining("is of none of the authorities in tls-ca");
        other.close();
    }

    /** An agent's port with one door. */
    private static final class OnePort implements Fabric {
        private final TlsFabric dials = new TlsFabric(WaitStrategy.DEFAULT, files);

        @Override
        public Connection connect(
                InetSocketAddress target,
                byte[] secret,
                MemorySegment local,
                MemorySegment into,
                Duration bound) {
            return dials.connect(target, secret, local, into, bound);
        }

        @Override
        public TargetListener listen(
                InetAddress address,
                int port,
                byte[] secret,
                MemorySegment region,
                MemorySegment published) {
            try {
                ServerSocketChannel server =
                        ServerSocketChannel.open().bind(new InetSocketAddress(address, port));
                DataDoors doors = new DataDoors();
                TargetListener door =
                        doors.open(
                                "both",
                                server.socket().getLocalPort(),
                                secret,
                                region,
                                published,
                                WaitStrategy.DEFAULT);
                Thread unused = Thread.ofPlatform().daemon().start(() -> bring(server, doors));
                return new Listening(door, server);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void bring(ServerSocketChannel server, DataDoors doors) {
            try {
                while (true) {
                    bring(server.accept(), doors);
                }
            } catch (IOException e) {
                // the test is over
                System.getLogger("test").log(System.Logger.Level.DEBUG, "not listening", e);
            }
        }

        private static void bring(SocketChannel socket, DataDoors doors) throws IOException {
            try (Selector selector = Selector.open()) {
                socket.configureBlocking(false);
                SelectionKey key = socket.register(selector, 0);
                TlsChannel channel =
                        TlsChannel.accepted(socket, files.context(), TlsFabric.PROTOCOL);
                for (int wanted = channel.handshake(); wanted != 0; wanted = channel.handshake()) {
                    key.interestOps(wanted);
                    int unused = selector.select();
                    selector.selectedKeys().clear();
                }
                key.interestOps(SelectionKey.OP_READ);
                ByteBuffer label = ByteBuffer.allocate(DataDoors.LABEL_BYTES);
                while (label.hasRemaining()) {
                    if (channel.read(label) == 0) {
                        int unused = selector.select();
                        selector.selectedKeys().clear();
                    }
                }
                key.cancel();
                int unused = selector.selectNow();
                if (!doors.bring(label.array(), "both", channel)) {
                    channel.close();
                }
            } catch (IOException e) {
                socket.close(); // as the test wants it
            }
        }
    }

    private record Listening(TargetListener door, ServerSocketChannel server)
            implements TargetListener {
        @Override
        public int port() {
            return door.port();
        }

        @Override
        public Endpoint accept(Duration bound) {
            return door.accept(bound);
        }

        @Override
        public void close() {
            door.close();
            try {
                server.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
