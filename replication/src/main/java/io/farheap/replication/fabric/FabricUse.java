package io.farheap.replication.fabric;

/**
 * Which fabrics one side allows for its data connections: {@code FARHEAP_FABRIC}, and the agent's
 * {@code fabric}.
 */
public enum FabricUse {
    /** Verbs where both sides can, else tcp. */
    AUTO,
    /** Tcp only. */
    TCP,
    /** Verbs only. */
    VERBS
}
