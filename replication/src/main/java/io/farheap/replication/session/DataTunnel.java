package io.farheap.replication.session;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.ControlTransport;
import io.farheap.replication.control.DataEndpoint;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Fabric;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A data connection that runs through a second remote shell, which forwards a socket of this
 * machine to the agent's data port: for networks that are not trusted. The socket lies in a
 * directory of its own that nobody else can enter: no other user can take its place, or use it.
 */
final class DataTunnel implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DataTunnel.class);
    private static final long RETRY_MILLIS = 50;

    /** What fits into the system's address of a socket, and what the name takes of it. */
    private static final int LONGEST_PATH = 107;

    private static final String SOCKET = "data";

    private final ControlTransport shell;
    private final Path directory;

    private DataTunnel(ControlTransport shell, Path directory) {
        this.shell = shell;
        this.directory = directory;
    }

    static DataTunnel open(AgentConnector connector, RemoteReplica replica, DataEndpoint data) {
        Path directory = privateDirectory();
        boolean started = false;
        try {
            ControlTransport shell =
                    connector.startTunnel(
                            replica, directory.resolve(SOCKET), data.host(), data.port());
            started = true;
            return new DataTunnel(shell, directory);
        } finally {
            if (!started) {
                remove(directory);
            }
        }
    }

    private static Path privateDirectory() {
        try {
            Path directory =
                    Files.createTempDirectory(
                            "farheap-",
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rwx------")));
            if (directory.resolve(SOCKET).toString().length() > LONGEST_PATH) {
                remove(directory);
                throw FarheapException.environment(
                        "the directory for temporary files, %s, has too long a name for the"
                                + " socket of a data connection through ssh; name a shorter one"
                                + " (-Djava.io.tmpdir=)",
                        directory.getParent());
            }
            return directory;
        } catch (IOException e) {
            throw FarheapException.environment(
                    e,
                    "no directory can be made for the socket of the data connection"
                            + " through ssh: %s",
                    e.getMessage());
        }
    }

    /** Connects as soon as the shell forwards; nobody can come this way any more then. */
    Connection connect(Fabric fabric, byte[] secret, MemorySegment local, Duration bound)
            throws InterruptedException {
        UnixDomainSocketAddress entrance = UnixDomainSocketAddress.of(directory.resolve(SOCKET));
        long deadline = System.nanoTime() + bound.toNanos();
        try {
            while (true) {
                boolean last = shell.hasEnded();
                Duration left = Duration.ofNanos(deadline - System.nanoTime());
                try {
                    return fabric.connectThrough(entrance, secret, local, left);
                } catch (FarheapException e) {
                    if (last || left.toMillis() <= RETRY_MILLIS) {
                        throw new FarheapException(
                                e.category(), e.getMessage() + "; " + shell.lastWords(), e);
                    }
                    Thread.sleep(RETRY_MILLIS);
                }
            }
        } finally {
            remove(directory);
        }
    }

    private static void remove(Path directory) {
        try {
            boolean unused = Files.deleteIfExists(directory.resolve(SOCKET));
            unused = Files.deleteIfExists(directory);
        } catch (IOException e) {
            LOG.warn("the empty directory {} is left behind: {}", directory, e.getMessage());
        }
    }

    @Override
    public void close() {
        shell.kill();
        remove(directory); // where it was never connected
    }
}
