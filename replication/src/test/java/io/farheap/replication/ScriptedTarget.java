package io.farheap.replication;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.ControlCodec;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.control.LineChannel;
import io.farheap.replication.control.Request;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.MutualProof;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.session.AgentConnector;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * An agent that says what it was told to, whatever it is asked: one line for each request, one
 * frame for each message on the data connection; what is no frame at once. The script's frames are
 * kind, length, offset and content; they leave with the checksums that a liar would make, too.
 */
public final class ScriptedTarget implements AgentConnector, Fabric, ControlTransport {
    private static final long MAGIC = 0x3250_4354_4852_4146L;

    /** Of the connection that is being made. */
    private volatile byte[] secret = new byte[0];

    private static final int SEND = 0x46485301;
    private static final int READ = 0x46485303;
    private static final int FRAME_BYTES = 16;
    private static final int SUMS_BYTES = 8;

    private final LineChannel channel = new LineChannel(new Lines(), new Requests());
    private final long ringBytes;
    private final byte[] data;
    private final ServerSocket server;

    // Guarded by this.
    private final Deque<byte[]> unsaid;
    private byte[] saying;
    private int said;
    private boolean ended;

    public ScriptedTarget(List<byte[]> lines, long ringBytes, byte[] data) throws IOException {
        this.unsaid = new ArrayDeque<>(lines);
        this.ringBytes = ringBytes;
        this.data = data;
        this.saying = next();
        this.server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("scripted-data").start(this::serveData);
    }

    private byte[] next() {
        byte[] line = unsaid.poll();
        if (line == null) {
            return new byte[0];
        }
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.writeBytes(line);
        whole.write('\n');
        return whole.toByteArray();
    }

    private synchronized void heard(Request request) {
        if (!(request instanceof Request.Heartbeat)) {
            ByteArrayOutputStream more = new ByteArrayOutputStream();
            more.write(saying, said, saying.length - said);
            more.writeBytes(next());
            saying = more.toByteArray();
            said = 0;
            notifyAll();
        }
    }

    private final class Lines extends InputStream {
        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] to, int at, int length) throws IOException {
            synchronized (ScriptedTarget.this) {
                while (said == saying.length) {
                    if (ended) {
                        return -1;
                    }
                    try {
                        ScriptedTarget.this.wait();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                }
                int count = Math.min(length, saying.length - said);
                System.arraycopy(saying, said, to, at, count);
                said += count;
                return count;
            }
        }
    }

    private final class Requests extends OutputStream {
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        @Override
        public synchronized void write(int b) {
            if (b != '\n') {
                line.write(b);
                return;
            }
            Request request = ControlCodec.decodeRequest(line.toByteArray());
            line.reset();
            heard(request);
        }
    }

    private void serveData() {
        try (Socket socket = server.accept()) {
            byte[] hello = socket.getInputStream().readNBytes(40);
            byte[] its = Arrays.copyOfRange(hello, 8, 40);
            byte[] nonce = MutualProof.nonce();
            ByteBuffer challenge = ByteBuffer.allocate(72).order(ByteOrder.LITTLE_ENDIAN);
            challenge.putLong(MAGIC).put(nonce).put(new MutualProof(secret).ofTarget(its, nonce));
            socket.getOutputStream().write(challenge.array());
            socket.getInputStream().readNBytes(32);
            ByteBuffer welcome = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
            welcome.putLong(MAGIC).putLong(ringBytes);
            socket.getOutputStream().write(welcome.array());
            answerMessages(new DataInputStream(socket.getInputStream()), socket.getOutputStream());
        } catch (IOException e) {
            // the initiator has heard enough
        }
    }

    private void answerMessages(DataInputStream in, OutputStream out) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
        while (true) {
            int kind = Integer.reverseBytes(in.readInt());
            int length = Integer.reverseBytes(in.readInt());
            in.skipNBytes(Long.BYTES + SUMS_BYTES + (kind == READ ? 0 : length));
            if (kind == SEND) {
                int size = nextFrame(left);
                out.write(withSums(data, left.position(), size));
                left.position(left.position() + size);
            }
        }
    }

    private static byte[] withSums(byte[] script, int at, int size) {
        if (size < FRAME_BYTES) {
            return Arrays.copyOfRange(script, at, at + size);
        }
        int content = size - FRAME_BYTES;
        ByteBuffer frame =
                ByteBuffer.allocate(size + SUMS_BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .put(script, at, FRAME_BYTES);
        frame.putInt(frame.getInt(0) == SEND ? sum(script, at + FRAME_BYTES, content) : 0);
        return frame.putInt(sum(frame.array(), 0, frame.position()))
                .put(script, at + FRAME_BYTES, content)
                .array();
    }

    private static int sum(byte[] bytes, int at, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, at, length);
        return (int) crc.getValue();
    }

    /** Bytes of the next frame; of what is none, all. */
    private static int nextFrame(ByteBuffer left) {
        int all = left.remaining();
        if (all < FRAME_BYTES) {
            return all;
        }
        int length = left.getInt(left.position() + Integer.BYTES);
        return length < 0 || length > all - FRAME_BYTES ? all : FRAME_BYTES + length;
    }

    @Override
    public Connection connect(
            InetSocketAddress target,
            byte[] known,
            MemorySegment local,
            MemorySegment into,
            Duration bound) {
        secret = known;
        InetSocketAddress here =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort());
        return new TcpFabric(WaitStrategy.BLOCKING).connect(here, known, local, into, bound);
    }

    @Override
    public TargetListener listen(
            InetAddress at,
            int port,
            byte[] secret,
            MemorySegment region,
            MemorySegment published) {
        throw new UnsupportedOperationException("an initiator does not listen");
    }

    @Override
    public ControlTransport start(RemoteReplica replica, int index) {
        return this;
    }

    @Override
    public ControlTransport startTunnel(
            RemoteReplica replica, Path entrance, String host, int port) {
        throw new FarheapException(FarheapException.Category.REPLICA, "no tunnel");
    }

    @Override
    public LineChannel channel() {
        return channel;
    }

    @Override
    public String lastWords() {
        return "";
    }

    @Override
    public void close() {
        kill();
    }

    @Override
    public void kill() {
        synchronized (this) {
            ended = true;
            notifyAll();
        }
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
