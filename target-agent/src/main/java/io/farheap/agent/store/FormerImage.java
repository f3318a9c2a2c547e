package io.farheap.agent.store;

import io.farheap.engine.CopyRecovery;
import io.farheap.layout.LaneLayout;
import io.farheap.memory.PoolMemory;

/**
 * The image of a node whose turn to write is over, as its program left it
 * (docs/high-availability.md#former-writer). The only class of the agent that knows what is in a
 * heap.
 */
final class FormerImage {
    private FormerImage() {}

    /**
     * Rolls back what the program had not committed; durable on return. Afterwards no block of the
     * heap is a lane's.
     */
    static void rollBack(PoolMemory image) {
        CopyRecovery.recover(image);
        LaneLayout.format(image);
        image.fence();
    }
}
