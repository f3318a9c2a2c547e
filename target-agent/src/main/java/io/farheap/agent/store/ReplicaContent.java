package io.farheap.agent.store;

import io.farheap.base.FarheapException;
import io.farheap.layout.Descriptor;
import io.farheap.memory.PoolMemory;
import io.farheap.replication.journal.ReplicaSlot;
import io.farheap.replication.journal.ReplicaState;
import io.farheap.replication.session.RunNumbers;
import java.util.concurrent.ThreadLocalRandom;

/** What a replica's image says of itself, in its pool descriptor. The store's lock guards it. */
final class ReplicaContent {
    private final Descriptor descriptor;
    private final String name;

    /**
     * @param name the replica's files, for messages
     */
    ReplicaContent(PoolMemory image, String name) {
        this.descriptor = new Descriptor(image);
        this.name = name;
    }

    /** Whether a replica in that state has content that can be looked at. */
    static boolean isIn(ReplicaState state) {
        return state == ReplicaState.INSYNC || state == ReplicaState.PROMOTED;
    }

    /**
     * @param layout the layout name that it must have, or null for any
     * @throws FarheapException category BAD_DATA when this is no pool that can be replicated
     */
    void validate(String layout) {
        descriptor.validate(name, layout);
        if (descriptor.lanesOffset() != Descriptor.DEFAULT_LANES_OFFSET
                || descriptor.laneCount() != Descriptor.DEFAULT_LANE_COUNT
                || descriptor.heapOffset() != Descriptor.DEFAULT_HEAP_OFFSET) {
            throw FarheapException.badData(
                    "%s has %s lanes and its heap at %s: such a pool can't be replicated.",
                    name, descriptor.laneCount(), descriptor.heapOffset());
        }
    }

    String layout() {
        return descriptor.layout();
    }

    long runId() {
        return descriptor.runId();
    }

    /** Gives the pool another number, durably. */
    void switchRunId(long runId) {
        descriptor.switchRunId(runId);
    }

    /** A number for a pool of its own, beyond all that this replica knows. */
    long freshNumber(ReplicaSlot slot) {
        long seen = Math.max(Math.max(slot.cur(), slot.next()), runId());
        return RunNumbers.fresh(seen, ThreadLocalRandom.current());
    }
}
