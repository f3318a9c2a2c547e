package io.farheap.tools.survey;

import io.farheap.layout.PoolHeader;
import io.farheap.memory.NativeFile;
import io.farheap.pool.DiskJournalRecovery;
import io.farheap.pool.PoolInspection;
import io.farheap.pool.SideFiles;
import io.farheap.poolset.PoolSet;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;

/**
 * A pool that nobody has open and that nobody closed. Whoever judges a pool has to say so, or a
 * copy of the files of an open one passes for a pool that has all its commits.
 */
public final class NotClosed {
    /** What it means, in a clause. */
    public static final String WHAT =
            "a crash leaves it so, and the next opening recovers it; so does copying its files with"
                    + " cp while it is open, and then nothing tells whether they fit together:"
                    + " farheap backup makes a copy of an open pool";

    private NotClosed() {}

    /**
     * Whether a pool is one whose local replicas are all sound. Of a pool without a shutdown state,
     * and of one that needs no disk journal, nobody knows: it is none.
     *
     * @throws io.farheap.base.FarheapException ENVIRONMENT where its first part can't be read
     */
    public static boolean isIn(PoolSet set) {
        return DiskJournalRecovery.isNeeded(set) || isDirty(set, 0);
    }

    /**
     * The same of a pool that may be damaged, and that another process may have open: then it is
     * none. No lock is taken; only sound local replicas tell.
     *
     * @throws io.farheap.base.FarheapException as {@link #isIn(PoolSet)}
     */
    public static boolean isIn(PoolInspection found) {
        int sound = found.firstHealthy();
        return sound >= 0
                && (found.needsDiskJournal() || isDirty(found.poolSet(), sound))
                && !isOpen(found.poolSet());
    }

    private static boolean isDirty(PoolSet set, int replica) {
        byte[] page = new byte[(int) PoolHeader.SIZE];
        try (NativeFile first =
                NativeFile.openReadOnly(set.localReplicas().get(replica).parts().get(0).path())) {
            long unused = first.read(MemorySegment.ofArray(page), 0);
        }
        PoolHeader header = new PoolHeader(MemorySegment.ofArray(page));
        return header.features().hasShutdownState() && header.shutdownState().isDirty();
    }

    private static boolean isOpen(PoolSet set) {
        try {
            OptionalLong pid = NativeFile.lockedBy(SideFiles.of(set).beside());
            return pid.isPresent() && pid.getAsLong() != ProcessHandle.current().pid();
        } catch (IOException e) {
            return false; // the system does not tell; who asks has looked before
        }
    }
}
