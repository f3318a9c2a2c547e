package io.farheap.replication.fabric.verbs.disni;

import io.farheap.replication.fabric.Connection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** An initiator that writes to the target's memory with a key that nobody gave it. */
public final class WriteWithWrongKey implements Consumer<Connection> {
    private static final int NOBODYS = 0x7ead_beef;
    private static final long ANYWHERE = 0x10000;

    /** Made by the class loader that knows DiSNI. */
    public WriteWithWrongKey() {}

    @Override
    public void accept(Connection connection) {
        VerbsConnection initiator = (VerbsConnection) connection;
        MemorySegment memory = Arena.ofAuto().allocate(64, 64).fill((byte) 1);
        try {
            Region from = new Region(initiator.pair(), memory, Region.LOCAL);
            initiator.prepareWrite(from.address(), from.localKey(), 64, ANYWHERE, NOBODYS);
            initiator.post();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
