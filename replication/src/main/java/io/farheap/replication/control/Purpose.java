package io.farheap.replication.control;

/** What an initiator, or a tool in its place, comes for. */
public enum Purpose {
    /**
     * Attach for replication: the switch of the protocol. Creates the replica's files where there
     * are none; exclusive.
     */
    ATTACH,
    /** Connect again to the running epoch after a lost connection; exclusive. */
    RESUME,
    /**
     * Make the copy of a node whose turn to write is over one of the set again; exclusive, and only
     * of a writer of a later term.
     */
    RETURN,
    /** Rebuild the local pool from the replica: promote, read the image, go back; exclusive. */
    RESTORE,
    /** Read image and checksums, change nothing; exclusive, since the image must stand still. */
    VERIFY,
    /** Say what is there; changes nothing, needs nobody's leave, gives no data connection. */
    INSPECT,
    /** Remove the replica's files; exclusive. */
    REMOVE,
    /** Make a program's remote memory, and attach to it; exclusive. No replica may be there. */
    CREATE_MEMORY,
    /** Attach to a program's remote memory; exclusive. Never to a pool's replica. */
    OPEN_MEMORY;

    /** Whether it is about a program's remote memory, and not about a replica. */
    public boolean isMemory() {
        return this == CREATE_MEMORY || this == OPEN_MEMORY;
    }
}
