package io.farheap.replication.fabric.tcp;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.MutualProof;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.tls.PemFiles;
import io.farheap.replication.tls.TlsChannel;
import io.farheap.replication.tls.TlsDialler;
import io.farheap.replication.tls.TlsFaults;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;

/**
 * The fabric over tcp, within TLS: to the one port of an agent that listens ({@link DataDoors}).
 * Each call reads the certificates anew.
 */
public final class TlsFabric implements Fabric {
    /** What is spoken within TLS. */
    public static final String PROTOCOL = "farheap-data/1";

    private static final String NO_DOOR =
            "whoever answers there does not know this connection's secret, or waits for it no more";

    private final WaitStrategy wait;
    private final PemFiles files;

    /**
     * @param wait how ends made here wait
     * @param files what this side shows, and whom it trusts
     */
    public TlsFabric(WaitStrategy wait, PemFiles files) {
        this.wait = wait;
        this.files = files;
    }

    @Override
    public Connection connect(
            InetSocketAddress target,
            byte[] secret,
            MemorySegment local,
            MemorySegment into,
            Duration bound) {
        TcpFabric.checkSecret(secret);
        long deadline = System.nanoTime() + bound.toNanos();
        TlsChannel channel = null;
        try {
            channel = new TlsDialler(target, files.context(), PROTOCOL).dial(deadline);
            channel.widen();
            return greeted(new TlsWire(channel), secret, local, into, deadline);
        } catch (IOException | UnresolvedAddressException e) {
            FarheapException failed =
                    FarheapException.replica(
                            e, "no data connection with %s: %s", target, TlsFaults.clause(e));
            closeAfter(channel, failed);
            throw failed;
        }
    }

    private static void closeAfter(TlsChannel channel, FarheapException failed) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            failed.addSuppressed(e);
        }
    }

    private Connection greeted(
            Wire wire, byte[] secret, MemorySegment local, MemorySegment into, long deadline)
            throws IOException {
        MutualProof proof = new MutualProof(secret);
        ByteBuffer welcome;
        try (InitiatorsGreeting greeting = new InitiatorsGreeting(wire, deadline)) {
            greeting.write(ByteBuffer.wrap(proof.label()));
            welcome = greeting.prove(proof, NO_DOOR);
        }
        return new TcpConnection(
                wire,
                local,
                into,
                Greeting.regionBytes(welcome),
                Greeting.publishedBytes(welcome),
                wait);
    }

    /** Nobody listens for itself: all come to the agent's one port. */
    @Override
    public TargetListener listen(
            InetAddress address,
            int port,
            byte[] secret,
            MemorySegment region,
            MemorySegment published) {
        throw FarheapException.wrongUse("data connections within TLS come to the agent's port");
    }
}
