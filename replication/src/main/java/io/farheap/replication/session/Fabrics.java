package io.farheap.replication.session;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.config.TlsAgents;
import io.farheap.replication.fabric.Fabric;
import io.farheap.replication.fabric.FabricKind;
import io.farheap.replication.fabric.FabricUse;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.fabric.tcp.TcpFabric;
import io.farheap.replication.fabric.tcp.TlsFabric;
import io.farheap.replication.fabric.verbs.RdmaDevices;
import io.farheap.replication.fabric.verbs.VerbsFabrics;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fabrics that this process can use for its data connections: found out, and told, when they
 * are asked for first. Thread-safe.
 */
public final class Fabrics {
    private static final Logger LOG = LoggerFactory.getLogger(Fabrics.class);

    private final FabricUse use;
    private final RdmaDevices devices;
    private final WaitStrategy wait;
    private final Function<WaitStrategy, Fabric> verbs;
    private final TlsAgents tls;
    private final Map<FabricKind, Fabric> usable = new EnumMap<>(FabricKind.class);
    private final Set<RemoteReplica> overTcp = ConcurrentHashMap.newKeySet();
    private boolean asked;

    /** Where all agents are started by the remote shell. */
    Fabrics(
            FabricUse use,
            RdmaDevices devices,
            WaitStrategy wait,
            Function<WaitStrategy, Fabric> verbs) {
        this(use, devices, wait, verbs, TlsAgents.NONE);
    }

    /**
     * @param verbs makes the fabric over verbs; throws where it can't be used here
     * @param tls which agents are not
     */
    Fabrics(
            FabricUse use,
            RdmaDevices devices,
            WaitStrategy wait,
            Function<WaitStrategy, Fabric> verbs,
            TlsAgents tls) {
        this.use = use;
        this.devices = devices;
        this.wait = wait;
        this.verbs = verbs;
        this.tls = tls;
    }

    /** What the settings allow of what this machine has. */
    public static Fabrics of(ReplicationSettings settings) {
        FabricUse use = settings.fabrics();
        if (settings.dataThroughSsh()) {
            if (use == FabricUse.VERBS) {
                throw FarheapException.wrongUse(
                        "FARHEAP_FABRIC is verbs and FARHEAP_DATA is ssh; what goes over verbs"
                                + " does not go through ssh: set one of them to another value");
            }
            use = FabricUse.TCP;
        }
        return new Fabrics(
                use, RdmaDevices.here(), settings.waiting(), VerbsFabrics::open, settings.tls());
    }

    /** This one only, over which {@link FabricKind#TCP} goes. */
    public static Fabrics only(Fabric tcp) {
        return only(Map.of(FabricKind.TCP, tcp));
    }

    /** These only. */
    public static Fabrics only(Map<FabricKind, Fabric> fabrics) {
        Fabrics only = new Fabrics(FabricUse.AUTO, null, WaitStrategy.DEFAULT, VerbsFabrics::open);
        only.usable.putAll(fabrics);
        only.asked = true;
        return only;
    }

    /**
     * What the replica's agent may choose from.
     *
     * @throws FarheapException category ENVIRONMENT when verbs is ordered and can't be used
     */
    public synchronized List<FabricKind> offeredTo(RemoteReplica replica) {
        if (tls.isFor(replica) && !tls.plainData()) {
            if (use == FabricUse.VERBS) {
                throw FarheapException.wrongUse(
                        "FARHEAP_FABRIC is verbs, which has no TLS, and the agent of %s is reached"
                                + " within TLS: set FARHEAP_DATA to plain if the network between is"
                                + " trusted",
                        replica);
            }
            return FabricKind.TLS_ONLY;
        }
        find();
        boolean tcpOnly = overTcp.contains(replica) || !usable.containsKey(FabricKind.VERBS);
        return tcpOnly ? FabricKind.TCP_ONLY : List.copyOf(usable.keySet());
    }

    public synchronized Fabric of(FabricKind kind) {
        if (kind == FabricKind.TLS) {
            return new TlsFabric(wait, tls.files());
        }
        find();
        Fabric fabric = usable.get(kind);
        if (fabric == null) {
            throw FarheapException.replica(
                    "its agent wants a connection over %s, as nobody asked", kind);
        }
        return fabric;
    }

    /** That replica was reached over tcp, and not over verbs. */
    void keepToTcp(RemoteReplica replica) {
        overTcp.add(replica);
    }

    private void find() {
        if (asked) {
            return;
        }
        if (use != FabricUse.TCP) {
            findVerbs();
        }
        if (use != FabricUse.VERBS) {
            usable.put(FabricKind.TCP, new TcpFabric(wait));
        }
        asked = true;
    }

    private void findVerbs() {
        if (use == FabricUse.AUTO && devices.all().isEmpty()) {
            LOG.debug("data connections go over tcp: this machine has no RDMA device");
            return;
        }
        try {
            usable.put(FabricKind.VERBS, verbs.apply(wait));
        } catch (FarheapException e) {
            if (use == FabricUse.VERBS) {
                throw e;
            }
            LOG.warn("data connections go over tcp: {}", e.getMessage());
        }
    }
}
