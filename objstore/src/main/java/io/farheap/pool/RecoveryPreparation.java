package io.farheap.pool;

import io.farheap.layout.Descriptor;
import io.farheap.layout.LaneLayout;
import io.farheap.memory.PoolMemory;
import io.farheap.poolset.PoolSet;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * What is done with the images of an opened pool before its logs are recovered: recovery works from
 * the master's logs alone and stores to all, so the others get what it relies on.
 */
final class RecoveryPreparation {
    private final PoolSet set;
    private final List<ReplicaFiles> replicas;
    private final PoolMemory memory;
    private final boolean journaled;

    /**
     * @param memory the master's image, whose persists reach all
     * @param journaled whether a disk journal brings what is stored to the files
     */
    RecoveryPreparation(
            PoolSet set, List<ReplicaFiles> replicas, PoolMemory memory, boolean journaled) {
        this.set = set;
        this.replicas = replicas;
        this.memory = memory;
        this.journaled = journaled;
    }

    /** Brings the local replicas together as far as recovery needs it. */
    void prepare() {
        // With a journal the others' images are never stored to: they show what their files have.
        for (ReplicaFiles replica : journaled ? replicas.subList(0, 1) : replicas) {
            MemorySegment image = replica.image().segment();
            image.asSlice(Descriptor.SCRATCH, Descriptor.END - Descriptor.SCRATCH).fill((byte) 0);
        }
        new ReplicaRuns(set, replicas).align(memory);
        prepareImage(memory);
        if (journaled && replicas.size() > 1) {
            persistLanes(memory);
        }
    }

    /** Stores what a creation that was cut left out, and the lanes to the other replicas. */
    static void prepareImage(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        if (descriptor.lacksHeapSize()) {
            descriptor.setHeapSize(descriptor.heapSize());
        }
        if (memory.isMirrored()) {
            persistLanes(memory);
        }
    }

    /**
     * A replica that missed stores in a crash is put right by recovery, which works from the
     * master's logs and stores to all.
     */
    private static void persistLanes(PoolMemory memory) {
        Descriptor descriptor = new Descriptor(memory);
        memory.persist(descriptor.lanesOffset(), descriptor.laneCount() * LaneLayout.SIZE);
    }
}
