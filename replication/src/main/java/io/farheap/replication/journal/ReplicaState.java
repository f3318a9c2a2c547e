package io.farheap.replication.journal;

/**
 * What a replica's slot says of its image (docs/protocol.md#states-of-a-replica). The code is what
 * is stored; 0 is never written, so that a zeroed slot is not mistaken for a state.
 */
public enum ReplicaState {
    /** No content yet. */
    NEW(1),
    /** Image and tail hold everything acknowledged while this replica was a member. */
    INSYNC(2),
    /** A full copy is under way or not yet confirmed: the image must not be used. */
    SYNCING(3),
    /** Taken over: a pool of its own, with its own numbers. */
    PROMOTED(4),
    /** No replica but a program's remote memory: image and tail hold every persist. */
    MEMORY(5);

    private final int code;

    ReplicaState(int code) {
        this.code = code;
    }

    /** The stored form. */
    int code() {
        return code;
    }

    /** The state with that code, or null when there is none. */
    static ReplicaState ofCode(int code) {
        for (ReplicaState state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        return null;
    }
}
