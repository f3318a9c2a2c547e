package io.farheap.replication.fabric.tcp;

import io.farheap.base.FarheapException;
import io.farheap.replication.fabric.MutualProof;
import io.farheap.replication.fabric.TargetListener;
import io.farheap.replication.fabric.WaitStrategy;
import io.farheap.replication.tls.TlsChannel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where data connections within TLS arrive: all come to one port, and the first bytes of each name
 * the door that it is for, which only who has that connection's secret can. Thread-safe.
 */
public final class DataDoors {
    /** What a data connection begins with. */
    public static final int LABEL_BYTES = MutualProof.PROOF_BYTES;

    private final Map<ByteBuffer, TlsDoor> open = new ConcurrentHashMap<>();

    /**
     * Opens one, for one connection.
     *
     * @param visitor who alone may come, by the name that its certificate gives it
     * @param port the one that all come to
     * @param secret what the initiator must prove to know
     * @param region native memory of less than 2 GiB that it may write and read
     * @param published native memory that it may read and by no means write
     * @param wait how the connection's end waits
     */
    public TargetListener open(
            String visitor,
            int port,
            byte[] secret,
            MemorySegment region,
            MemorySegment published,
            WaitStrategy wait) {
        TcpFabric.checkSecret(secret);
        TcpFabric.checkPublished(published);
        MutualProof proof = new MutualProof(secret);
        ByteBuffer label = ByteBuffer.wrap(proof.label());
        try {
            TlsDoor door =
                    new TlsDoor(
                            visitor,
                            port,
                            proof,
                            region,
                            published,
                            wait,
                            () -> {
                                TlsDoor unused = open.remove(label);
                            });
            open.put(label, door);
            return door;
        } catch (IOException e) {
            throw FarheapException.environment(
                    e, "no data connection can be waited for: %s", e.getMessage());
        }
    }

    /**
     * Brings a connection to its door.
     *
     * @param label its first {@link #LABEL_BYTES}
     * @param visitor the name that its certificate gives it
     * @param channel not blocking, on no selector
     * @return whether somebody takes it; else it is the caller's to close
     */
    public boolean bring(byte[] label, String visitor, TlsChannel channel) {
        TlsDoor door = open.get(ByteBuffer.wrap(label));
        return door != null && door.isFor(visitor) && door.enter(channel);
    }
}
