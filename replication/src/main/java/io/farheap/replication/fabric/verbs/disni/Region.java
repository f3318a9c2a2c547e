package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Memory that the device may reach; the kernel pins it. Files of a DAX file system are not pinned
 * by any kernel, those of others by old ones only. On-demand paging would do without, but is not
 * used: rxe of Linux 6.18 takes such a registration and then stores what does not begin with a page
 * at the page's beginning.
 */
final class Region {
    /** For this side's requests only. */
    static final int LOCAL = IbvMr.IBV_ACCESS_LOCAL_WRITE;

    /** The peer may write and read it. */
    static final int SHARED =
            IbvMr.IBV_ACCESS_LOCAL_WRITE
                    | IbvMr.IBV_ACCESS_REMOTE_WRITE
                    | IbvMr.IBV_ACCESS_REMOTE_READ;

    /** The peer may read it, and by no means write. */
    static final int PUBLISHED = IbvMr.IBV_ACCESS_REMOTE_READ;

    private final MemorySegment memory;
    private final IbvMr registration;

    /**
     * @param memory native, less than 2 GiB
     */
    Region(QueuePair pair, MemorySegment memory, int access) throws IOException {
        this.memory = memory;
        this.registration = register(pair.domain(), memory, access);
        pair.owns(this);
    }

    private static IbvMr register(IbvPd domain, MemorySegment memory, int access)
            throws IOException {
        if (!memory.isNative() || memory.byteSize() > Integer.MAX_VALUE) {
            throw new IOException(
                    "a region of " + memory.byteSize() + " bytes; DiSNI registers less than 2 GiB");
        }
        int length = (int) memory.byteSize();
        try {
            return domain.regMr(memory.address(), length, access).execute().free().getMr();
        } catch (IOException e) {
            throw new IOException(
                    length
                            + " bytes can't be registered: "
                            + e.getMessage()
                            + "; the kernel pins no more than ulimit -l allows, and no files of a"
                            + " DAX file system, nor, as a rule, of another that is not tmpfs",
                    e);
        }
    }

    /** Finds out at once whether memory can be shared, and says so if not. */
    static void checkShareable(IbvContext device, MemorySegment memory) throws IOException {
        IbvPd domain = device.allocPd();
        try {
            register(domain, memory, SHARED).deregMr().execute().free();
        } finally {
            dealloc(domain);
        }
    }

    private static void dealloc(IbvPd domain) throws IOException {
        try {
            int unused = domain.deallocPd();
        } catch (IOException e) {
            throw e;
        } catch (Exception e) { // what DiSNI declares
            throw new IOException(e);
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
