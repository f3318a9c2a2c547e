package io.farheap.pool;

import io.farheap.base.FarheapException;
import io.farheap.memory.PoolMemory;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Mends in memory what is wrong with the parts of files that are open copy on write, and tells what
 * the files lack of it. One thread at a time.
 */
public final class PartRepair {
    private final PoolFiles files;

    /**
     * Of such files, which stay the caller's to close.
     *
     * @throws FarheapException WRONG_USE when stores would reach the files
     */
    public PartRepair(PoolFiles files) {
        if (files.isShared()) {
            throw FarheapException.wrongUse("these files are open for changes");
        }
        this.files = files;
    }

    /**
     * Restores damaged headers, as far as others, the format and their own checksums tell what they
     * were.
     *
     * @param assume also where nothing proves it
     * @return what the files lack of it
     */
    public List<PartPatch> repairHeaders(boolean assume) {
        return new HeaderRepair(files.poolSet(), files.replicas(), assume).run();
    }

    /** The local replicas whose devices lost data while the pool was open. */
    public Set<Integer> replicasThatLostData() {
        return IntStream.range(0, files.replicas().size())
                .filter(r -> ShutdownStates.lostData(files.replicas().get(r)))
                .boxed()
                .collect(Collectors.toSet());
    }

    /**
     * Forgets that a local replica's devices lost data.
     *
     * @param why for a person
     * @return what its file lacks of it
     */
    public PartPatch forgetShutdowns(int replica, String why) {
        return ShutdownStates.forgotten(files.replicas().get(replica), why);
    }

    /** The image of each local replica, to be changed in memory alone. */
    public List<PoolMemory> images() {
        return files.replicas().stream()
                .map(replica -> PoolFiles.imageOf(files.poolSet(), replica))
                .toList();
    }
}
