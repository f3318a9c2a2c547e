package io.farheap.availability;

import io.farheap.availability.coordinator.StoreStamp;
import java.util.Optional;

/** The newest stamp of the store that a node has seen. */
interface SeenStamps {
    /** Empty: none was seen yet. */
    Optional<StoreStamp> newest();

    /** The highest term that this node has written in; 0: none. */
    long term();

    /** The term of the last record that was written over an older store; 0: none was seen. */
    long rebased();

    /** Durable on return: whatever is done on what the store said comes after. */
    void keep(StoreStamp stamp, long rebased);
}
