package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.replication.session.ReplicaSession;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The memory that records are posted from: as large as the members' rings, the same for all of them
 * and for every epoch of a run. A position of the stream has one place in it, here and there.
 * Thread-safe.
 */
public final class StagingMemory implements AutoCloseable {
    private static final long ALIGNMENT = 4096;

    private final Arena arena = Arena.ofShared();
    private MemorySegment memory;

    /**
     * @throws FarheapException category REPLICA when the members' rings differ in size
     */
    public synchronized void fit(ReplicaSession member) {
        long bytes = member.endpoint().ringBytes();
        if (memory == null) {
            memory = arena.allocate(bytes, ALIGNMENT);
        } else if (memory.byteSize() != bytes) {
            throw member.fault(
                    "its journal has "
                            + bytes
                            + " bytes, that of another replica, or its own before, "
                            + memory.byteSize()
                            + "; give all the same journal-size and create the odd one anew");
        }
    }

    public synchronized MemorySegment memory() {
        return memory;
    }

    /** All connections that post from here are closed. */
    @Override
    public void close() {
        arena.close();
    }
}
