package io.farheap.replication.fabric;

import java.util.List;
import java.util.Locale;

/** Which fabric carries a data connection, as initiator and target name it to each other. */
public enum FabricKind {
    /** Frames over a socket, executed by the target's agent. */
    TCP,
    /** RDMA: the target's network card executes them. */
    VERBS,
    /** The frames of tcp within TLS, to an agent that listens; not offered to others. */
    TLS;

    /** What everybody can use. */
    public static final List<FabricKind> TCP_ONLY = List.of(TCP);

    /** What an agent that listens is offered, where nothing may travel plain. */
    public static final List<FabricKind> TLS_ONLY = List.of(TLS);

    /** As settings and messages have it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
