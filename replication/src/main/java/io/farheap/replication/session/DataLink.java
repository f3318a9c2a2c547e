package io.farheap.replication.session;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.ControlClient;
import io.farheap.replication.control.DataEndpoint;
import io.farheap.replication.control.Reply;
import io.farheap.replication.control.Request;
import io.farheap.replication.fabric.Connection;
import io.farheap.replication.fabric.Deadline;
import io.farheap.replication.fabric.DurabilityMethod;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.stream.ApmPoint;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The data connection of one session: as the agent offered it, or by the way that is left, and
 * never by one that the settings forbid. For one thread at a time; what it tells, and its end, are
 * for any.
 */
final class DataLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DataLink.class);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final RemoteReplica replica;
    private final ControlClient control;
    private final ReplicationSettings settings;
    private final Supplier<Duration> timeout;
    private volatile DataTunnel tunnel;
    private volatile Connection connection;
    private volatile MemorySegment into = MemorySegment.NULL;
    private volatile DataEndpoint endpoint;

    /**
     * @param control asked for another way where the offered one fails
     * @param timeout what may be waited from now on
     */
    DataLink(
            RemoteReplica replica,
            ControlClient control,
            ReplicationSettings settings,
            Supplier<Duration> timeout) {
        this.replica = replica;
        this.control = control;
        this.settings = settings;
        this.timeout = timeout;
    }

    /** The connection; null before {@link #open}. */
    Connection connection() {
        return connection;
    }

    /** What it was made over; null before {@link #open}. */
    DataEndpoint endpoint() {
        return endpoint;
    }

    /** Where what the target sends arrives. */
    MemorySegment into() {
        return into;
    }

    /**
     * Makes it: as the agent offered it, or else over tcp, if both may.
     *
     * @param local the memory that records will be posted from
     */
    void open(AgentConnector connector, Fabrics fabrics, DataEndpoint offered, MemorySegment local)
            throws InterruptedException {
        try {
            try {
                connection = connect(connector, fabrics, offered, local);
                endpoint = offered;
            } catch (FarheapException e) {
                if (!fabrics.offeredTo(replica).contains(FabricKind.TCP)
                        || offered.fabric() == FabricKind.TCP) {
                    throw e;
                }
                endpoint =
                        control.call(new Request.DataOver(FabricKind.TCP), Reply.Data.class).data();
                connection = connect(connector, fabrics, endpoint, local);
                fabrics.keepToTcp(replica);
                LOG.warn(
                        "replica {}: from now on over tcp: over {} it was not reached: {}",
                        replica,
                        offered.fabric(),
                        e.getMessage());
            }
        } catch (FarheapException e) {
            throw new FarheapException(
                    e.category(), "replica " + replica + ": " + e.getMessage(), e);
        }
        LOG.debug(
                "replica {}: data over {} ({}), {} ({})",
                replica,
                endpoint.fabric(),
                endpoint.fabricReason(),
                endpoint.method(),
                endpoint.methodReason());
    }

    private Connection connect(
            AgentConnector connector, Fabrics fabrics, DataEndpoint to, MemorySegment local)
            throws InterruptedException {
        requireWithinTls(to);
        Fabric fabric = fabrics.of(to.fabric());
        byte[] secret = to.secret().toByteArray();
        if (settings.dataThroughSsh()) {
            DataHost.requireTargetItself(to);
            tunnel = DataTunnel.open(connector, replica, to);
            return tunnel.connect(fabric, secret, local, timeout.get());
        }
        into = to.method() == DurabilityMethod.APM ? ApmPoint.memory() : local;
        InetSocketAddress place =
                to.fabric() == FabricKind.TLS
                        ? new InetSocketAddress(replica.host(), settings.tls().portOf(replica))
                        : DataHost.of(replica, to);
        return to.fabric() == FabricKind.VERBS // there is tcp, which need not wait
                ? fabric.connect(place, secret, local, into, timeout.get())
                : connectInTime(fabric, place, secret, local);
    }

    /**
     * A network that breaks one connection may carry the next, and the agent listens on: as long as
     * it is there, all the time is used that an attach has.
     */
    private Connection connectInTime(
            Fabric fabric, InetSocketAddress place, byte[] secret, MemorySegment local)
            throws InterruptedException {
        Deadline end = Deadline.in(timeout.get());
        while (true) {
            try {
                return fabric.connect(place, secret, local, into, end.left(timeout.get()));
            } catch (FarheapException e) {
                if (!isBroken(e) || control.failure() != null || end.leftNanos() < PAUSE_NANOS) {
                    throw e;
                }
                LOG.debug("replica {}: connected again: {}", replica, e.getMessage());
            }
            TimeUnit.NANOSECONDS.sleep(PAUSE_NANOS);
        }
    }

    /** By the network, and not by who is there, nor because nobody is. */
    private static boolean isBroken(FarheapException e) {
        return e.getCause() instanceof IOException why
                && !(why instanceof ConnectException)
                && !(why instanceof ProtocolException)
                && !(why instanceof SSLException);
    }

    /** The agent does not decide that what is wanted within TLS travels plain. */
    private void requireWithinTls(DataEndpoint to) {
        boolean plain = !settings.tls().isFor(replica) || settings.tls().plainData();
        if (!plain && to.fabric() != FabricKind.TLS) {
            throw FarheapException.replica(
                    "its agent wants the data connection over %s, and not within TLS; set data to"
                            + " plain if that is wanted",
                    to.fabric());
        }
    }

    @Override
    public void close() {
        if (connection != null) {
            connection.close();
        }
        if (tunnel != null) {
            tunnel.close();
        }
    }
}
