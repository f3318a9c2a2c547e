package io.farheap.replication.fabric;

import java.util.List;

/** Which fabric carries a data connection, as initiator and target name it to each other. */
public enum FabricKind {
    /** Frames over a socket, executed by the target's agent. */
    TCP,
    /** RDMA: the target's network card executes them. */
    VERBS;

    /** What everybody can use. */
    public static final List<FabricKind> TCP_ONLY = List.of(TCP);

    /** As settings and messages have it. */
    @Override
    public String toString() {
        return this == TCP ? "tcp" : "verbs";
    }
}
