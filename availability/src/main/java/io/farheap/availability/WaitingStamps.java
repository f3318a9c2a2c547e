package io.farheap.availability;

import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.base.FarheapException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The newest stamp of the store as a process knows it that only waits. Beside the copy it keeps the
 * first one alone, where there is none yet: by that the node's next process knows another store.
 * More it does not write, for another process of this node may have the pool open, whose file that
 * is. What depends on a stamp is done in a node's turn, which keeps it.
 */
final class WaitingStamps implements SeenStamps {
    private final Path firstPart;
    private final boolean keepsFirst;
    private StoreStamp newest;

    private WaitingStamps(Path firstPart, boolean keepsFirst) {
        this.firstPart = firstPart;
        this.keepsFirst = keepsFirst;
        this.newest = TermFile.beside(firstPart).newest().orElse(null);
    }

    /**
     * @param firstPart of the node's copy
     * @throws FarheapException as {@link TermFile#beside}
     */
    static WaitingStamps of(Path firstPart) {
        return new WaitingStamps(firstPart, true);
    }

    /** The same for who may have named the wrong pool: nothing is written. */
    static WaitingStamps ofALook(Path firstPart) {
        return new WaitingStamps(firstPart, false);
    }

    @Override
    public Optional<StoreStamp> newest() {
        Optional<StoreStamp> kept = TermFile.beside(firstPart).newest();
        boolean mine = newest != null && (kept.isEmpty() || newest.follows(kept.get()));
        return mine ? Optional.of(newest) : kept;
    }

    @Override
    public void keep(StoreStamp stamp) {
        newest = stamp;
        if (keepsFirst) {
            TermFile.begin(firstPart, stamp);
        }
    }
}
