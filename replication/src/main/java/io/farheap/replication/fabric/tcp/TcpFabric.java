package io.farheap.replication.fabric.tcp;

import io.farheap.base.FarheapException;
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
    private static final String NO_AGENT =
            "it ended the connection and did not prove that it is the agent; are both sides of one"
                    + " version?";

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
            throw FarheapException.replica("the host %s is not known", target.getHostString());
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
            Wire wire = new PlainWire(channel);
            ByteBuffer welcome;
            try (InitiatorsGreeting greeting =
                    new InitiatorsGreeting(wire, System.nanoTime() + bound.toNanos())) {
                greeting.connect(target);
                welcome = greeting.prove(new MutualProof(secret), NO_AGENT);
            }
            return new TcpConnection(
                    wire,
                    local,
                    into,
                    Greeting.regionBytes(welcome),
                    Greeting.publishedBytes(welcome),
                    wait);
        } catch (IOException e) {
            closeAfter(channel, e);
            throw FarheapException.replica(
                    e, "no data connection with %s: %s", target, e.getMessage());
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
            throw FarheapException.wrongUse("the secret has %s bytes, not 32", secret.length);
        }
    }

    static void checkPublished(MemorySegment published) {
        if (published.byteSize() > MAX_PUBLISHED_BYTES) {
            throw FarheapException.wrongUse(
                    "%s bytes can't be published, no more than %s",
                    published.byteSize(), MAX_PUBLISHED_BYTES);
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
            throw FarheapException.environment(
                    e,
                    "can't listen on %s port %s: %s",
                    address.getHostAddress(),
                    port,
                    e.getMessage());
        }
    }
}
