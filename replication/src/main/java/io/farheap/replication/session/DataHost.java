package io.farheap.replication.session;

import io.farheap.base.FarheapException;
import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.control.DataEndpoint;
import io.farheap.replication.fabric.FabricKind;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/**
 * Where a data connection may go: an agent can't have its initiator connect to anybody it likes.
 * Over tcp that is the replica's own host. A name that only the remote shell knows can't be held
 * against an address, and RDMA may have a network of its own: there only an address is asked for.
 * Whoever is there, nothing is told to it before it has proven to be the agent.
 */
final class DataHost {
    private DataHost() {}

    /**
     * @throws FarheapException category REPLICA when the agent names another host
     */
    static InetSocketAddress of(RemoteReplica replica, DataEndpoint data) {
        String host = data.host();
        if (host.isEmpty() || host.equals(replica.host())) {
            return new InetSocketAddress(replica.host(), data.port());
        }
        InetAddress named = address(host);
        List<InetAddress> known =
                data.fabric() == FabricKind.TCP ? addressesOf(replica) : List.of();
        if (known.isEmpty()) {
            return new InetSocketAddress(named, data.port());
        }
        for (InetAddress each : known) {
            if (Arrays.equals(each.getAddress(), named.getAddress())) {
                return new InetSocketAddress(each, data.port()); // with the zone it has here
            }
        }
        throw FarheapException.replica(
                "its agent names %s for the data connection, which is no address of"
                        + " %s, %s; name that address in the REPLICA line if it is the target's,"
                        + " or set FARHEAP_DATA to ssh",
                host,
                replica.host(),
                String.join(", ", known.stream().map(InetAddress::getHostAddress).toList()));
    }

    /**
     * For a way through the remote shell, at whose end only the target itself is to be.
     *
     * @throws FarheapException category REPLICA when the agent names another machine
     */
    static void requireTargetItself(DataEndpoint data) {
        if (!address(data.host()).isLoopbackAddress()) {
            throw FarheapException.replica(
                    "its agent names %s for the data connection through ssh, which is"
                            + " another machine",
                    data.host());
        }
    }

    /** Of digits, never of a name, which would ask a name server; the zone is the target's own. */
    private static InetAddress address(String host) {
        int zone = host.indexOf('%');
        try {
            return InetAddress.ofLiteral(zone < 0 ? host : host.substring(0, zone));
        } catch (IllegalArgumentException e) {
            throw FarheapException.replica(
                    e, "its agent names no address for the data connection: \"%s\"", host);
        }
    }

    private static List<InetAddress> addressesOf(RemoteReplica replica) {
        try {
            return List.of(InetAddress.getAllByName(replica.host()));
        } catch (UnknownHostException e) {
            return List.of(); // an alias of the remote shell's configuration
        }
    }
}
