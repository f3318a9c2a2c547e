package io.farheap.availability;

import io.farheap.availability.coordinator.StoreStamp;
import java.util.Optional;

/** The newest stamp of the store that a node has seen. */
interface SeenStamps {
    /** Empty: none was seen yet. */
    Optional<StoreStamp> newest();

    /** Durable on return: whatever is done on what the store said comes after. */
    void keep(StoreStamp stamp);
}
