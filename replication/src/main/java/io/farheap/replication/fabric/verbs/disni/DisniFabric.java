package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.util.MemoryUtils;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaVerbs;
import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.MutualProof;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Reliable connections over verbs: a queue pair, a completion queue, a protection domain and an
 * event channel for each end. DiSNI's endpoint groups are not used: they wait without a limit and
 * lose completions that tell of errors.
 */
public final class DisniFabric implements Fabric {
    private final WaitStrategy wait;

    /**
     * Public for who finds it by name, from another class loader.
     *
     * @param wait how ends made here wait
     * @throws IOException when the native half does not fit
     * @throws LinkageError when there is none, or the JVM keeps DiSNI out
     */
    public DisniFabric(WaitStrategy wait) throws IOException {
        this.wait = wait;
        RdmaVerbs unused = RdmaVerbs.open();
        // fails here, where it is told with the remedy, if the JVM lacks DiSNI's option
        long unusedToo = MemoryUtils.getAddress(ByteBuffer.allocateDirect(Long.BYTES));
    }

    @Override
    public Connection connect(
            InetSocketAddress target,
            byte[] secret,
            MemorySegment local,
            MemorySegment into,
            Duration bound) {
        checkSecret(secret);
        checkAddress(target.getAddress(), target.getHostString());
        Deadline deadline = Deadline.in(bound);
        try {
            return connected(target, secret, local, into, deadline);
        } catch (IOException e) {
            throw FarheapException.replica(
                    e, "no data connection with %s: %s", target, e.getMessage());
        }
    }

    private Connection connected(
            InetSocketAddress target,
            byte[] secret,
            MemorySegment local,
            MemorySegment into,
            Deadline deadline)
            throws IOException {
        ConnectionEvents events = new ConnectionEvents();
        QueuePair pair = null;
        VerbsConnection connection;
        try {
            pair = route(events, target, deadline);
            connection = new VerbsConnection(pair, events, local, into, wait);
        } catch (IOException e) {
            closeAfter(pair, events, e);
            throw e;
        }
        try {
            connection.establish(new MutualProof(secret), deadline);
            return connection;
        } catch (IOException | FarheapException e) {
            connection.close();
            throw e;
        }
    }

    private static QueuePair route(
            ConnectionEvents events, InetSocketAddress target, Deadline deadline)
            throws IOException {
        QueuePair pair = new QueuePair(events.newConnection());
        try {
            pair.id().resolveAddr(null, target, deadline.leftMillis());
            events.await(EventType.RDMA_CM_EVENT_ADDR_RESOLVED, deadline);
            pair.id().resolveRoute(deadline.leftMillis());
            events.await(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED, deadline);
            pair.create();
            return pair;
        } catch (IOException e) {
            closeAfter(pair, null, e);
            throw e;
        }
    }

    /** Closes what was made before {@code cause} came. */
    static void closeAfter(QueuePair pair, ConnectionEvents events, IOException cause) {
        try {
            if (pair != null) {
                pair.close();
            }
            if (events != null) {
                events.close();
            }
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    private static void checkSecret(byte[] secret) {
        if (secret.length != SECRET_BYTES) {
            throw FarheapException.wrongUse("the secret has %s bytes, not 32", secret.length);
        }
    }

    private static void checkAddress(InetAddress address, String host) {
        if (address == null) {
            throw FarheapException.replica("the host %s is not known", host);
        }
        if (!(address instanceof Inet4Address)) {
            throw FarheapException.replica(
                    "DiSNI knows addresses of IPv4 only, and %s is none; name the host by"
                            + " such an address",
                    host);
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
        checkAddress(address, address.getHostAddress());
        InetSocketAddress socket = new InetSocketAddress(address, port);
        try {
            return new VerbsListener(socket, secret, region, published, wait);
        } catch (IOException e) {
            throw FarheapException.environment(
                    e,
                    "can't listen for RDMA connections on %s port %s: %s",
                    address.getHostAddress(),
                    port,
                    e.getMessage());
        }
    }
}
