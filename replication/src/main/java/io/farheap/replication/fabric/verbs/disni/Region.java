package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.IbvMr;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Memory that the device may reach. It is pinned; where the kernel refuses to pin it, as it does
 * for files of a DAX file system, it is registered for on-demand paging.
 */
final class Region {
    /** For this side's requests only. */
    static final int LOCAL = IbvMr.IBV_ACCESS_LOCAL_WRITE;

    /** The peer may write and read it. */
    static final int SHARED =
            IbvMr.IBV_ACCESS_LOCAL_WRITE
                    | IbvMr.IBV_ACCESS_REMOTE_WRITE
                    | IbvMr.IBV_ACCESS_REMOTE_READ;

    private final MemorySegment memory;
    private final IbvMr registration;

    /**
     * @param memory native, less than 2 GiB
     */
    Region(QueuePair pair, MemorySegment memory, int access) throws IOException {
        if (!memory.isNative() || memory.byteSize() > Integer.MAX_VALUE) {
            throw new IOException(
                    "a region of " + memory.byteSize() + " bytes; DiSNI registers less than 2 GiB");
        }
        this.memory = memory;
        this.registration = register(pair, memory, access);
        pair.owns(this);
    }

    private static IbvMr register(QueuePair pair, MemorySegment memory, int access)
            throws IOException {
        int length = (int) memory.byteSize();
        try {
            return pair.domain().regMr(memory.address(), length, access).execute().free().getMr();
        } catch (IOException pinned) {
            try {
                return pair.domain()
                        .regMr(memory.address(), length, access | IbvMr.IBV_ACCESS_ON_DEMAND)
                        .execute()
                        .free()
                        .getMr();
            } catch (IOException onDemand) {
                IOException both =
                        new IOException(
                                length
                                        + " bytes can be registered neither pinned ("
                                        + pinned.getMessage()
                                        + ") nor for on-demand paging ("
                                        + onDemand.getMessage()
                                        + "); the kernel does not pin files of a DAX or other file"
                                        + " system, and pins no more than ulimit -l allows",
                                pinned);
                both.addSuppressed(onDemand);
                throw both;
            }
        }
    }

    MemorySegment memory() {
        return memory;
    }

    long address() {
        return memory.address();
    }

    int localKey() {
        return registration.getLkey();
    }

    int remoteKey() {
        return registration.getRkey();
    }

    void deregister() throws IOException {
        registration.deregMr().execute().free();
    }
}
