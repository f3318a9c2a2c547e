package io.farheap.replication;

import io.farheap.replication.fabric.Connection;

/**
 * A member of an epoch as its commit stream sees it.
 *
 * @param name the replica as written in the poolset file, for messages
 * @param connection a fresh data connection, confirmed for the epoch, whose local memory is the
 *     staging memory
 * @param async commits don't wait for it
 */
public record ReplicaLink(String name, Connection connection, boolean async) {
    /** One that every commit waits for. */
    public ReplicaLink(String name, Connection connection) {
        this(name, connection, false);
    }
}
