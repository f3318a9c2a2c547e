package io.farheap.availability;

import io.farheap.availability.coordinator.StoreStamp;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The newest stamp of the store as a process knows it that only waits: it writes nothing beside the
 * copy, for another process of this node may have the pool open, whose file that is. What depends
 * on a stamp is done in a node's turn, which keeps it.
 */
final class WaitingStamps implements SeenStamps {
    private final Path firstPart;
    private StoreStamp newest;
    private long rebased;

    /**
     * @param firstPart of the node's copy
     */
    WaitingStamps(Path firstPart) {
        this.firstPart = firstPart;
    }

    @Override
    public Optional<StoreStamp> newest() {
        TermFile file = TermFile.beside(firstPart);
        Optional<StoreStamp> kept = file.newest();
        boolean mine =
                newest != null
                        && (kept.isEmpty()
                                || rebased > file.rebased()
                                || rebased == file.rebased() && newest.follows(kept.get()));
        return mine ? Optional.of(newest) : kept;
    }

    @Override
    public long term() {
        return TermFile.beside(firstPart).term();
    }

    @Override
    public long rebased() {
        return Math.max(rebased, TermFile.beside(firstPart).rebased());
    }

    @Override
    public void keep(StoreStamp stamp, long lastRebased) {
        newest = stamp;
        rebased = lastRebased;
    }
}
