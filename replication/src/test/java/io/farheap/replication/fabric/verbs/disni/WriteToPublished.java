package io.farheap.replication.fabric.verbs.disni;

import io.farheap.replication.fabric.Connection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** An initiator that writes to what the target publishes, with the key that it got for reading. */
public final class WriteToPublished implements Consumer<Connection> {

    /** Made by the class loader that knows DiSNI. */
    public WriteToPublished() {}

    @Override
    public void accept(Connection connection) {
        VerbsConnection initiator = (VerbsConnection) connection;
        MemorySegment memory = Arena.ofAuto().allocate(64, 64).fill((byte) 1);
        RemoteRegion to = initiator.published();
        try {
            Region from = new Region(initiator.pair(), memory, Region.LOCAL);
            initiator.prepareWrite(from.address(), from.localKey(), 64, to.address(), to.key());
            initiator.post();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
