package io.farheap.replication.fabric.verbs.disni;

import io.farheap.replication.fabric.Connection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** An initiator that does not count how many messages the target can take. */
public final class MoreMessagesThanReceives implements Consumer<Connection> {
    /** Made by the class loader that knows DiSNI. */
    public MoreMessagesThanReceives() {}

    @Override
    public void accept(Connection connection) {
        VerbsConnection initiator = (VerbsConnection) connection;
        MemorySegment message = Arena.ofAuto().allocate(64, 64);
        try {
            for (int i = 0; i <= QueuePair.RECEIVE_DEPTH; i++) {
                initiator.sendGreeting(message, 64); // the only one that nobody counts
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
