package io.farheap.poolset;

import java.util.Objects;
import java.util.Optional;

/**
 * A {@code REPLICA [user@]host[:port] descriptor} line.
 *
 * @param user the user, or null where the line names none
 * @param host host name or address, IPv6 without its brackets
 * @param port the port, or 0 where the line names none
 * @param descriptor relative path of the poolset file under the target's poolset directory
 */
public record RemoteReplica(String user, String host, int port, String descriptor)
        implements Replica {
    public RemoteReplica {
        Objects.requireNonNull(host);
        Objects.requireNonNull(descriptor);
    }

    /**
     * The replica at an address as poolset files have it; empty when it is none.
     *
     * @param node {@code [user@]host[:port]}, an IPv6 host in brackets when a port follows
     */
    public static Optional<RemoteReplica> at(String node, String descriptor) {
        return Optional.ofNullable(NodeAddress.parse(node, descriptor));
    }

    /** {@code [user@]host[:port]} as it stands in a poolset file. */
    public String node() {
        String bracketed = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return (user == null ? "" : user + "@") + bracketed + (port == 0 ? "" : ":" + port);
    }

    @Override
    public String toString() {
        return node() + " " + descriptor;
    }
}
