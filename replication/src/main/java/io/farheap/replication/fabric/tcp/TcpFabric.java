package io.farheap.replication.fabric.tcp;

import io.farheap.FarheapException;
import io.farheap.FarheapException.Category;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/**
 * The fabric where there is no RNIC: the operations of a reliable connection as frames on one TCP
 * socket, executed by the other side's poller. Data is plain, as RDMA's is.
 */
public final class TcpFabric implements Fabric {
    private final WaitStrategy wait;

    /**
     * @param wait how ends made here wait
     */
    public TcpFabric(WaitStrategy wait) {
        this.wait = wait;
    }

    @Override
    public Connection connect(
            InetSocketAddress target,
            byte[] secret,
            MemorySegment local,
            MemorySegment into,
            Duration bound) {
        checkSecret(secret);
        if (target.isUnresolved()) {
            throw new FarheapException(
                    Category.REPLICA, "the host " + target.getHostString() + " is not known");
        }
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open();
            prepare(channel);
            ByteBuffer answer = greet(channel, target, secret, System.nanoTime() + bound.toNanos());
            return new TcpConnection(
                    channel,
                    local,
                    into,
                    Greeting.regionBytes(answer),
                    Greeting.publishedBytes(answer),
                    wait);
        } catch (IOException e) {
            closeAfter(channel, e);
            throw new FarheapException(
                    Category.REPLICA,
                    "no data connection with " + target + ": " + e.getMessage(),
                    e);
        }
    }

    static void prepare(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    static void closeAfter(SocketChannel channel, IOException cause) {
        if (channel == null) {
            return;
        }
        try {
            channel.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    static void checkSecret(byte[] secret) {
        if (secret.length != SECRET_BYTES) {
            throw new FarheapException(
                    Category.WRONG_USE, "the secret has " + secret.length + " bytes, not 32");
        }
    }

    private static void checkPublished(MemorySegment published) {
        if (published.byteSize() > MAX_PUBLISHED_BYTES) {
            throw new FarheapException(
                    Category.WRONG_USE,
                    published.byteSize()
                            + " bytes can't be published, no more than "
                            + MAX_PUBLISHED_BYTES);
        }
    }

    private static ByteBuffer greet(
            SocketChannel channel, InetSocketAddress target, byte[] secret, long deadline)
            throws IOException {
        try (Selector selector = Selector.open()) {
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
            boolean connected = channel.connect(target);
            while (!connected) {
                select(selector, deadline, "nobody answers");
                connected = channel.finishConnect();
            }
            key.interestOps(SelectionKey.OP_WRITE);
            ByteBuffer request = Greeting.request(secret);
            while (channel.write(request) >= 0 && request.hasRemaining()) {
                select(selector, deadline, "it does not read");
            }
            key.interestOps(SelectionKey.OP_READ);
            ByteBuffer answer = ByteBuffer.allocate(Greeting.ANSWER_BYTES);
            while (answer.hasRemaining()) {
                if (channel.read(answer) < 0) {
                    throw new IOException("it does not accept this connection's secret");
                }
                if (answer.hasRemaining()) {
                    select(selector, deadline, "it does not answer the greeting");
                }
            }
            if (Greeting.regionBytes(answer) < 0 || Greeting.publishedBytes(answer) < 0) {
                throw new IOException("whoever answers there is no farheap agent");
            }
            return answer;
        }
    }

    private static void select(Selector selector, long deadline, String otherwise)
            throws IOException {
        long left = deadline - System.nanoTime();
        if (left <= 0 || Thread.currentThread().isInterrupted()) {
            throw new IOException(left <= 0 ? otherwise : "interrupted");
        }
        selector.select(Math.max(1, left / 1_000_000));
        selector.selectedKeys().clear();
    }

    @Override
    public TargetListener listen(
            InetAddress address,
            int port,
            byte[] secret,
            MemorySegment region,
            MemorySegment published) {
        checkSecret(secret);
        checkPublished(published);
        try {
            return new TcpListener(
                    new InetSocketAddress(address, port), secret, region, published, wait);
        } catch (IOException e) {
            throw new FarheapException(
                    Category.ENVIRONMENT,
                    "can't listen on "
                            + address.getHostAddress()
                            + " port "
                            + port
                            + ": "
                            + e.getMessage(),
                    e);
        }
    }
}
