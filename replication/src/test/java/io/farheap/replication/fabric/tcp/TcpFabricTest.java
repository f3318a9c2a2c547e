package io.farheap.replication.fabric.tcp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricContract;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TcpFabricTest extends FabricContract {
    @Override
    protected Fabric newFabric() {
        return new TcpFabric(WaitStrategy.DEFAULT);
    }

    @ParameterizedTest
    @CsvSource({
        "0x46485302, 64, 4194300, a write of 64 bytes at 4194300 of a region of 4194304",
        "0x46485302, 64, -8, a write of 64 bytes at -8",
        "0x46485302, -1, 0, a write of -1 bytes",
        "0x46485302, 0, 0, a write of 0 bytes",
        "0x46485302, 2147483647, 0, a write of 2147483647 bytes",
        "0x46485302, 64, 9223372036854775807, a write of 64 bytes at 9223372036854775807",
        "0x46485303, 64, 4194300, a read of 64 bytes at 4194300",
        "0x46485303, -64, 0, a read of -64 bytes",
        "0x46485302, 64, 4194304, a write of 64 bytes at 4194304 of a region of 4194304",
        "0x46485303, 64, 4198390, a read of 64 bytes at 4086 of a region of 4096",
        "0x46485303, 64, 9223372036854775807, a read of 64 bytes",
        "0x46485304, 64, 0, a read that nobody asked for",
        "0x46485301, 1048609, 0, a message of 1048609 bytes",
        "0x46485301, -5, 0, a message of -5 bytes",
        "0x46485301, 0, 0, a message of 0 bytes",
        "0x0, 0, 0, unknown frame 0x0",
        "0x53534820, 5, 0, unknown frame 0x53534820",
    })
    void garbledFrameBreaksTheConnectionBeforeAByteIsStored(
            String kind, int length, long offset, String what) throws IOException {
        region.fill((byte) 7);
        try (RawPeer peer = RawPeer.connectTo(this)) {
            peer.write(frame(Integer.decode(kind), length, offset, new byte[64]));
            assertThat(brokenBy(() -> peer.end.await((m, at, n) -> {}, BOUND.toNanos())))
                    .hasMessageContaining(what);
        }
        assertThat(untouched()).isTrue();
    }

    private static byte[] frame(int kind, int length, long offset, byte[] body) {
        ByteBuffer frame =
                ByteBuffer.allocate(Frame.HEADER_BYTES + body.length)
                        .order(ByteOrder.LITTLE_ENDIAN);
        frame.put(Frame.HEADER_BYTES, body);
        Frame.Sum sum = new Frame.Sum(frame);
        int messageSum = kind == Frame.SEND ? sum.of(Frame.HEADER_BYTES, body.length) : 0;
        Frame.put(frame, 0, kind, length, offset, messageSum, sum);
        return frame.array();
    }

    /** A garbled header would store where others lie, a garbled answer would promise too much. */
    @Test
    void noBitOfAHeaderOrAMessageChangesUnnoticed() throws IOException {
        region.fill((byte) 7);
        byte[] message = frame(Frame.SEND, 12, 0, new byte[12]);
        byte[] write = Arrays.copyOf(frame(Frame.WRITE, 64, 128, new byte[64]), Frame.HEADER_BYTES);
        for (byte[] sent : List.of(message, write)) {
            for (int bit = 0; bit < 8 * sent.length; bit += 3) {
                byte[] garbled = sent.clone();
                garbled[bit / 8] ^= (byte) (1 << bit % 8);
                try (RawPeer peer = RawPeer.connectTo(this)) {
                    peer.write(garbled);
                    assertThat(brokenBy(() -> peer.end.await((m, at, n) -> {}, BOUND.toNanos())))
                            .as("bit %d", bit)
                            .hasMessageContaining("garbled on its way");
                }
            }
        }
        assertThat(untouched()).isTrue();
    }

    /** Whatever comes instead of frames: a verdict, and nothing outside of the region. */
    @Test
    void randomBytesGiveNothingButABrokenConnection() throws IOException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 40; round++) {
            try (RawPeer peer = RawPeer.connectTo(this)) {
                ByteBuffer bytes = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
                random.nextBytes(bytes.array());
                for (int at = 0; at < 256; at += Frame.HEADER_BYTES + random.nextInt(40)) {
                    int kind = 0x46485301 + random.nextInt(4);
                    int length = random.nextInt(100) - 5;
                    int sum = random.nextInt();
                    long offset = random.nextInt(REGION + 50);
                    Frame.put(bytes, at, kind, length, offset, sum, new Frame.Sum(bytes));
                }
                peer.write(bytes.array());
                peer.socket.shutdownOutput();
                assertThat(brokenBy(() -> peer.end.await((m, at, n) -> {}, BOUND.toNanos())))
                        .as("seed %d round %d", seed, round)
                        .hasMessageContaining("the data connection with");
            }
        }
    }

    @Test
    void frameInSinglePiecesIsTheSame() throws IOException {
        try (RawPeer peer = RawPeer.connectTo(this)) {
            byte[] write = frame(Frame.WRITE, 8, 128, new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
            byte[] message = frame(Frame.SEND, 8, 0, new byte[8]);
            CompletableFuture<Integer> received =
                    CompletableFuture.supplyAsync(
                            () -> peer.end.await((m, at, n) -> {}, BOUND.toNanos()));
            for (byte b : write) {
                peer.write(new byte[] {b});
            }
            for (byte b : message) {
                peer.write(new byte[] {b});
            }
            assertThat(received.join()).isEqualTo(1);
            assertThat(region.get(ValueLayout.JAVA_BYTE, 128)).isEqualTo((byte) 1);
        }
    }

    @Test
    void strangersWhoSayNothingDoNotKeepTheInitiatorWaiting() throws IOException {
        try (TargetListener busy = listen()) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> busy.accept(BOUND));
            List<Socket> strangers = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                strangers.add(new Socket(InetAddress.getLoopbackAddress(), busy.port()));
            }
            try (Connection initiator = fabric.connect(address(busy), SECRET, local, BOUND);
                    Endpoint end = accepted.join()) {
                assertThat(initiator.remoteBytes()).isEqualTo(REGION);
                assertThat(end.peer()).contains("127.0.0.1");
            }
            for (Socket stranger : strangers) {
                stranger.close();
            }
        }
    }

    @Test
    void whoAcceptsButNeverAnswersCostsNoMoreThanTheBound() throws IOException {
        try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            InetSocketAddress there =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), mute.getLocalPort());
            assertThatThrownBy(() -> fabric.connect(there, SECRET, local, Duration.ofMillis(50)))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("does not answer the greeting");
        }
    }

    @Test
    void whoAnswersSomethingElseIsNoAgent() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> answered =
                    CompletableFuture.runAsync(
                            () -> {
                                try (Socket socket = other.accept()) {
                                    socket.getOutputStream()
                                            .write("SSH-2.0-OpenSSH_9.2p1 Debian\r\n".getBytes());
                                    socket.getInputStream().readNBytes(Greeting.HELLO_BYTES);
                                } catch (IOException e) {
                                    throw new java.io.UncheckedIOException(e);
                                }
                            });
            InetSocketAddress there =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), other.getLocalPort());
            assertThatThrownBy(() -> fabric.connect(there, SECRET, local, BOUND))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("is no farheap agent");
            answered.join();
        }
    }

    /** A port that another one took is told nothing by which the agent would let it in. */
    @Test
    void whoDoesNotKnowTheSecretLearnsNothingAndGetsNoFrame() throws Exception {
        try (TargetListener real = listen();
                ServerSocket rogue = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> real.accept(BOUND));
            CompletableFuture<byte[]> heard =
                    CompletableFuture.supplyAsync(
                            () -> Greetings.answeredBy(rogue, new byte[32]),
                            task -> Thread.ofPlatform().daemon().start(task));
            InetSocketAddress there =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), rogue.getLocalPort());
            assertThatThrownBy(() -> fabric.connect(there, SECRET, local, BOUND))
                    .isInstanceOf(FarheapException.class)
                    .hasMessageContaining("does not know this connection's secret");
            byte[] all = heard.join();
            assertThat(all).as("all that it was told").hasSize(Greeting.HELLO_BYTES);
            assertThat(new String(all, ISO_8859_1)).doesNotContain(new String(SECRET, ISO_8859_1));
            try (Socket replay = new Socket(InetAddress.getLoopbackAddress(), real.port())) {
                replay.getOutputStream().write(all);
                byte[] challenge = replay.getInputStream().readNBytes(Greeting.CHALLENGE_BYTES);
                replay.getOutputStream()
                        .write(Arrays.copyOfRange(challenge, 40, 72)); // its own proof, reflected
                assertThat(replay.getInputStream().read()).as("turned away").isEqualTo(-1);
            }
            try (Connection initiator = fabric.connect(address(real), SECRET, local, BOUND);
                    Endpoint end = accepted.join()) {
                assertThat(initiator.remoteBytes()).isEqualTo(REGION);
                assertThat(end.peer()).isNotEmpty();
            }
        }
    }

    @Test
    void unknownHostIsNamed() {
        InetSocketAddress nowhere = InetSocketAddress.createUnresolved("no-such-host.invalid", 7);
        assertThatThrownBy(() -> fabric.connect(nowhere, SECRET, local, BOUND))
                .hasMessage("the host no-such-host.invalid is not known");
    }

    private boolean untouched() {
        MemorySegment before = MemorySegment.ofArray(new byte[REGION]).fill((byte) 7);
        MemorySegment zeros = MemorySegment.ofArray(new byte[PUBLISHED]);
        return region.mismatch(before) == -1 && published.mismatch(zeros) == -1;
    }

    /** A target's end whose other end is a bare socket. */
    private static final class RawPeer implements AutoCloseable {
        final Socket socket;
        final Endpoint end;

        private RawPeer(Socket socket, Endpoint end) {
            this.socket = socket;
            this.end = end;
        }

        static RawPeer connectTo(TcpFabricTest test) throws IOException {
            TargetListener open = test.listen();
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> open.accept(BOUND));
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), open.port());
            socket.setTcpNoDelay(true);
            assertThat(Greetings.asInitiator(socket, SECRET)).hasSize(16);
            return new RawPeer(socket, accepted.join());
        }

        void write(byte[] bytes) throws IOException {
            socket.getOutputStream().write(bytes);
        }

        @Override
        public void close() throws IOException {
            socket.close();
            end.close();
        }
    }
}
