package io.farheap.replication.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.farheap.base.FarheapException;
import io.farheap.fuzz.Give;
import io.farheap.fuzz.Inputs;
import io.farheap.fuzz.Take;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Endpoint;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.MutualProof;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.journal.JournalMessages;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Any bytes on the data port of an agent. Before the proof of who knows the secret they change
 * nothing and keep nobody out; after it they change what the frames among them name, byte for byte
 * what a second reading of the same bytes says, and not a byte beside the region.
 */
class TargetFramesFuzzTest {
    private static final int REGION = 64 << 10;
    private static final int GUARD = 4096;
    private static final long SECONDS = 10;
    private static final long FREE_BYTES = 16 << 20;
    private static final byte[] SECRET = new byte[Fabric.SECRET_BYTES];
    private static final MemorySegment LOCAL = Arena.ofAuto().allocate(4096, 64);
    private static final Duration BOUND = Duration.ofSeconds(5);

    /** Before the proof, or after it. */
    private static final int STRANGER = 0;

    private static final int INITIATOR = 1;

    /** Frames that lack their checksums get them, or nothing would come behind these. */
    private static final int AS_THEY_ARE = 2;

    /** The header in an input: without checksums. */
    private static final int UNSUMMED = 16;

    @Test
    void inputs() throws Exception {
        Inputs.replay(getClass(), "anything", seeds(), TargetFramesFuzzTest::take);
    }

    @Tag("fuzz")
    @MethodSource("seeds")
    @FuzzTest
    void anything(byte[] input) throws Exception {
        Inputs.again(TargetFramesFuzzTest::take, input);
    }

    static Stream<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        byte[] greeting = Greeting.hello(new byte[MutualProof.NONCE_BYTES]).array();
        byte[] wrong = Arrays.copyOf(greeting, greeting.length + MutualProof.PROOF_BYTES);
        byte[] frames =
                new Give()
                        .bytes(frame(Frame.WRITE, 4, 100, new byte[] {1, 2, 3, 4}))
                        .bytes(frame(Frame.SEND, 32, 0, new byte[32]))
                        .bytes(frame(Frame.READ, 5000, 96, new byte[0]))
                        .bytes(frame(Frame.WRITE, 40_000, 0, new byte[40_000]))
                        .toBytes();
        for (byte[] begin : List.of(wrong, Arrays.copyOf(greeting, 39), new byte[41])) {
            seeds.add(new Give().octet(STRANGER).bytes(begin).bytes(frames).toBytes());
        }
        seeds.add(new Give().octet(INITIATOR).bytes(frames).toBytes());
        byte[] summed = Summing.of(frames);
        for (int at = 0; at < 120; at += 7) {
            byte[] garbled = summed.clone();
            garbled[at] ^= 4;
            seeds.add(new Give().octet(INITIATOR | AS_THEY_ARE).bytes(garbled).toBytes());
        }
        for (int kind : new int[] {Frame.WRITE, Frame.READ, Frame.SEND, Frame.READ_DATA, 0}) {
            for (int length : new int[] {0, -1, 17, REGION + 1, Integer.MIN_VALUE}) {
                for (long offset : new long[] {0, REGION - 16, -1, Long.MAX_VALUE}) {
                    byte[] odd = frame(kind, length, offset, new byte[20]);
                    seeds.add(
                            new Give()
                                    .octet(INITIATOR)
                                    .bytes(frames)
                                    .bytes(odd)
                                    .bytes(odd)
                                    .toBytes());
                }
            }
        }
        Give reads = new Give().octet(INITIATOR);
        for (int i = 0; i < 2000; i++) {
            reads.bytes(frame(Frame.READ, REGION, 0, new byte[0]));
        }
        seeds.add(reads.toBytes());
        return seeds.stream();
    }

    private static byte[] frame(int kind, int length, long offset, byte[] body) {
        ByteBuffer header = ByteBuffer.allocate(UNSUMMED).order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(kind).putInt(length).putLong(offset);
        return new Give().bytes(header.array()).bytes(body).toBytes();
    }

    private static void take(byte[] input) throws Exception {
        Take from = new Take(input);
        int first = from.octet();
        boolean stranger = first % 2 == STRANGER;
        byte[] rest = from.rest();
        boolean summed = !stranger && (first & AS_THEY_ARE) == 0;
        byte[] said = summed ? Summing.of(rest) : rest;
        MemorySegment memory = Arena.ofAuto().allocate(REGION + 2L * GUARD, 64).fill((byte) 7);
        MemorySegment region = memory.asSlice(GUARD, REGION);
        long bytes = FREE_BYTES + 40L * said.length;
        Inputs.bounded(
                SECONDS,
                bytes,
                () -> {
                    if (stranger) {
                        knock(region, said);
                    } else {
                        serve(region, said);
                    }
                });
        byte[] expected = new byte[REGION];
        Arrays.fill(expected, (byte) 7);
        if (!stranger) {
            new Reading(expected).of(said);
        }
        assertThat(region.mismatch(MemorySegment.ofArray(expected))).as("the region").isEqualTo(-1);
        for (long at : new long[] {0, GUARD + REGION}) {
            byte[] guard = memory.asSlice(at, GUARD).toArray(ValueLayout.JAVA_BYTE);
            for (byte each : guard) {
                assertThat(each).as("beside the region").isEqualTo((byte) 7);
            }
        }
    }

    private static TargetListener listen(MemorySegment region) {
        return new TcpFabric(WaitStrategy.BLOCKING)
                .listen(InetAddress.getLoopbackAddress(), 0, SECRET, region);
    }

    /** Strangers say what they like, then the initiator comes. */
    private static void knock(MemorySegment region, byte[] said) throws Exception {
        TargetListener listener = listen(region);
        CompletableFuture<Endpoint> accepted =
                CompletableFuture.supplyAsync(
                        () -> listener.accept(BOUND), TargetFramesFuzzTest::run);
        try (Socket first = connect(listener, said);
                Socket second = connect(listener, Arrays.copyOf(said, said.length / 2))) {
            assertThat(first.isConnected() && second.isConnected()).isTrue();
            try (Connection initiator =
                            new TcpFabric(WaitStrategy.BLOCKING)
                                    .connect(address(listener), SECRET, LOCAL, BOUND);
                    Endpoint endpoint = accepted.get()) {
                assertThat(initiator.remoteBytes()).isEqualTo(REGION);
                assertThat(endpoint.peer()).isNotEmpty();
            }
        } finally {
            listener.close();
        }
    }

    private static Socket connect(TargetListener listener, byte[] said) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), listener.port());
        try {
            socket.getOutputStream().write(said);
        } catch (IOException e) {
            // it was turned away before it had said everything
        }
        return socket;
    }

    private static void run(Runnable task) {
        Thread.ofPlatform().daemon().start(task);
    }

    /** Takes everything that was said, until it is refused or the other side is gone. */
    private static void serve(MemorySegment region, byte[] said) throws Exception {
        try (TargetListener listener = listen(region);
                Socket socket = connect(listener, new byte[0]);
                Endpoint endpoint = greeted(listener, socket)) {
            run(() -> write(socket, said));
            run(() -> read(socket));
            while (true) {
                int unused = endpoint.await(TargetFramesFuzzTest::ignore, BOUND.toNanos());
            }
        } catch (FarheapException e) {
            assertThat(e).hasMessageContaining("broke:");
        }
    }

    private static Endpoint greeted(TargetListener listener, Socket socket) throws Exception {
        CompletableFuture<Endpoint> accepted =
                CompletableFuture.supplyAsync(
                        () -> listener.accept(BOUND), TargetFramesFuzzTest::run);
        byte[] nonce = MutualProof.nonce();
        socket.getOutputStream().write(Greeting.hello(nonce).array());
        byte[] challenge = socket.getInputStream().readNBytes(Greeting.CHALLENGE_BYTES);
        byte[] its = Greeting.nonce(ByteBuffer.wrap(challenge));
        socket.getOutputStream().write(new MutualProof(SECRET).ofInitiator(nonce, its));
        assertThat(socket.getInputStream().readNBytes(Greeting.WELCOME_BYTES)).hasSize(16);
        return accepted.get();
    }

    private static InetSocketAddress address(TargetListener listener) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.port());
    }

    private static void ignore(MemorySegment memory, long offset, int length) {
        assertThat(length).isBetween(1, JournalMessages.MAX_BYTES);
    }

    private static void write(Socket socket, byte[] said) {
        try {
            socket.getOutputStream().write(said);
            socket.shutdownOutput();
        } catch (IOException e) {
            // the target has heard enough
        }
    }

    private static void read(Socket socket) {
        try (InputStream in = socket.getInputStream()) {
            byte[] unread = new byte[1 << 16];
            while (in.read(unread) >= 0) {
                // a peer that reads, so that all answers leave
            }
        } catch (IOException e) {
            // the target has said enough
        }
    }

    private static ByteBuffer buffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static int sum(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        return (int) crc.getValue();
    }

    /** Gives frames their checksums. */
    private static final class Summing {
        private Summing() {}

        static byte[] of(byte[] input) {
            ByteBuffer bytes = buffer(input);
            Give frames = new Give();
            while (bytes.remaining() >= UNSUMMED) {
                byte[] header = new byte[UNSUMMED + 8];
                bytes.get(header, 0, UNSUMMED);
                int kind = buffer(header).getInt(0);
                int length = buffer(header).getInt(4);
                boolean hasBody = kind == Frame.SEND || kind == Frame.WRITE;
                int here = hasBody ? Math.min(Math.max(length, 0), bytes.remaining()) : 0;
                byte[] body = new byte[here];
                bytes.get(body);
                int messageSum = kind == Frame.SEND ? sum(body, 0, here) : 0;
                var unused = buffer(header).putInt(UNSUMMED, messageSum);
                unused = buffer(header).putInt(UNSUMMED + 4, sum(header, 0, UNSUMMED + 4));
                frames.bytes(header).bytes(body);
            }
            byte[] left = new byte[bytes.remaining()];
            bytes.get(left);
            return frames.bytes(left).toBytes();
        }
    }

    /** The frames as their format says, read without the product's code. */
    private static final class Reading {
        private final byte[] region;

        Reading(byte[] region) {
            this.region = region;
        }

        void of(byte[] said) {
            ByteBuffer bytes = buffer(said);
            while (bytes.remaining() >= 24) {
                int begin = bytes.position();
                int kind = bytes.getInt();
                int length = bytes.getInt();
                long offset = bytes.getLong();
                int messageSum = bytes.getInt();
                int headerSum = bytes.getInt();
                if (headerSum != sum(said, begin, begin + 20)) {
                    return;
                }
                boolean inside = length > 0 && offset >= 0 && offset <= REGION - (long) length;
                boolean message = kind == 0x46485301 && length > 0 && length <= (1 << 20) + 32;
                if (message && bytes.remaining() >= length) {
                    int at = bytes.position();
                    if (messageSum != sum(said, at, at + length)) {
                        return;
                    }
                    bytes.position(at + length);
                } else if (kind == 0x46485302 && inside) {
                    bytes.get(region, (int) offset, Math.min(length, bytes.remaining()));
                } else if (kind != 0x46485303 || !inside) {
                    return;
                }
            }
        }
    }
}
