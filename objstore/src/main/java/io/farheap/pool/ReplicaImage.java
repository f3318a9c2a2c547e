package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import io.farheap.layout.PoolUuid;
import io.farheap.memory.PoolMemory;
import io.farheap.poolset.PoolSet;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * The part files of a replica that an agent on this machine applies to, to look at: mapped for
 * reading, past the locks, which the agent has. What is in them changes at any moment.
 */
public final class ReplicaImage implements AutoCloseable {
    private static final int HEADER_LOOKS = 5;
    private static final long PAUSE_NANOS = 20_000_000;

    private final ReplicaFiles files;
    private final PoolMemory memory;

    private ReplicaImage(PoolSet set, ReplicaFiles files) {
        this.files = files;
        this.memory = PoolFiles.imageOf(set, files);
    }

    /**
     * @throws FarheapException WRONG_USE for a pool of local replicas or of directories, which no
     *     agent has; else as opening a pool
     */
    public static ReplicaImage open(PoolSource source) {
        PoolSet set = setOf(source);
        ReplicaFiles files = ReplicaFiles.openToRead(set, set.master());
        try {
            validate(set, files);
            return new ReplicaImage(set, files);
        } catch (Throwable e) {
            files.closeAfter(e);
            throw e;
        }
    }

    private static PoolSet setOf(PoolSource source) {
        PoolSet set = source.existing();
        if (set.localReplicas().size() != 1 || set.isDirectorySet()) {
            throw FarheapException.wrongUse(
                    "%s is no set of a replica, which has one replica of part files and no"
                            + " directories: name the one that the agent uses",
                    source.path());
        }
        return set;
    }

    /** What lies beside the first part, as the poolset file says; no part is looked at. */
    public static SideFiles side(PoolSource source) {
        return SideFiles.of(setOf(source));
    }

    /** An agent that takes the files up stores to the headers: it may be at that. */
    private static void validate(PoolSet set, ReplicaFiles files) {
        for (int look = 1; ; look++) {
            try {
                HeaderValidation.ofReplica(set, files);
                return;
            } catch (FarheapException e) {
                if (look == HEADER_LOOKS || e.category() != Category.BAD_DATA) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    public PoolMemory memory() {
        return memory;
    }

    public PoolUuid poolsetUuid() {
        return files.headers().get(0).poolsetUuid();
    }

    /** The first part. */
    public Path path() {
        return files.path(0);
    }

    /** Unmaps and closes the files. */
    @Override
    public void close() {
        files.close();
    }
}
