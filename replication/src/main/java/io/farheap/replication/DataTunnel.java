package io.farheap.replication;

import io.farheap.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.control.DataEndpoint;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Fabric;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;

/**
 * A data connection that runs through a second remote shell, which forwards a local port to the
 * agent's data port: for networks that are not trusted.
 */
final class DataTunnel implements AutoCloseable {
    private static final long RETRY_MILLIS = 50;

    private final ControlTransport shell;
    private final InetSocketAddress entrance;

    private DataTunnel(ControlTransport shell, InetSocketAddress entrance) {
        this.shell = shell;
        this.entrance = entrance;
    }

    static DataTunnel open(AgentConnector connector, RemoteReplica replica, DataEndpoint data) {
        InetSocketAddress entrance = freePort();
        return new DataTunnel(
                connector.startTunnel(replica, entrance.getPort(), data.host(), data.port()),
                entrance);
    }

    private static InetSocketAddress freePort() {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket socket = new ServerSocket(0, 1, loopback)) {
            return new InetSocketAddress(loopback, socket.getLocalPort());
        } catch (IOException e) {
            throw new FarheapException(
                    FarheapException.Category.ENVIRONMENT,
                    "no free port on the loopback address for the data connection through ssh: "
                            + e.getMessage(),
                    e);
        }
    }

    /** Connects as soon as the shell forwards. */
    Connection connect(Fabric fabric, byte[] secret, MemorySegment local, Duration bound)
            throws InterruptedException {
        long deadline = System.nanoTime() + bound.toNanos();
        while (true) {
            Duration left = Duration.ofNanos(deadline - System.nanoTime());
            try {
                return fabric.connect(entrance, secret, local, left);
            } catch (FarheapException e) {
                if (left.toMillis() <= RETRY_MILLIS) {
                    throw new FarheapException(
                            e.category(), e.getMessage() + "; " + shell.lastWords(), e);
                }
                Thread.sleep(RETRY_MILLIS);
            }
        }
    }

    @Override
    public void close() {
        shell.kill();
    }
}
