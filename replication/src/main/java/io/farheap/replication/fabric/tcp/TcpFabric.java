package io.farheap.replication.fabric.tcp;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.MutualProof;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
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
        return connected(target, secret, local, into, bound);
    }

    @Override
    public Connection connectThrough(
            UnixDomainSocketAddress entrance, byte[] secret, MemorySegment local, Duration bound) {
        checkSecret(secret);
        return connected(entrance, secret, local, local, bound);
    }

    private Connection connected(
            SocketAddress target,
            byte[] secret,
            MemorySegment local,
            MemorySegment into,
            Duration bound) {
        SocketChannel channel = null;
        try {
            channel =
                    target instanceof UnixDomainSocketAddress
                            ? SocketChannel.open(StandardProtocolFamily.UNIX)
                            : SocketChannel.open();
            prepare(channel);
            ByteBuffer welcome;
            try (InitiatorsGreeting greeting =
                    new InitiatorsGreeting(channel, System.nanoTime() + bound.toNanos())) {
                greeting.connect(target);
                welcome = greeting.prove(new MutualProof(secret));
            }
            return new TcpConnection(
                    channel,
                    local,
                    into,
                    Greeting.regionBytes(welcome),
                    Greeting.publishedBytes(welcome),
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
        if (channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
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
