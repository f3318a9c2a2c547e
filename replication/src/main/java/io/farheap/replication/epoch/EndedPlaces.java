package io.farheap.replication.epoch;

import io.farheap.replication.dirty.RecordMarker;
import io.farheap.replication.dirty.RegionSet;
import io.farheap.spi.RecordSource;
import java.util.Arrays;

/**
 * Where the places of records are marked as they end, beside the maps of those that are absent: for
 * replicas that are being copied, which get them once more, and for a comparison, which does not
 * count them. Thread-safe; a commit that nobody watches takes no lock.
 */
final class EndedPlaces {
    private final ThreadLocal<RecordMarker> markers;

    /** All of the others together. */
    private volatile RegionSet[] marked = {};

    // Guarded by lock.
    private RegionSet[] copying = {};
    private RegionSet watching;

    private final Object lock = new Object();

    EndedPlaces(ThreadLocal<RecordMarker> markers) {
        this.markers = markers;
    }

    /**
     * A record has ended: committed, or put back, in the pool's memory, and its locks are held
     * still. A mark that is made before could be taken by a round that copies the old content
     * (docs/protocol.md#mark-after-commit).
     */
    void mark(RecordSource source) {
        RegionSet[] sets = marked;
        if (sets.length > 0) {
            markers.get().mark(source, sets);
        }
    }

    /** From now on whatever ends marks its places in these. */
    void setCopying(RegionSet[] sets) {
        synchronized (lock) {
            copying = sets;
            setMarked();
        }
    }

    /** From now on whatever ends marks its places in this one, too; null: in no further one. */
    void setWatching(RegionSet set) {
        synchronized (lock) {
            watching = set;
            setMarked();
        }
    }

    private void setMarked() {
        RegionSet[] sets = copying;
        if (watching != null) {
            sets = Arrays.copyOf(copying, copying.length + 1);
            sets[copying.length] = watching;
        }
        marked = sets;
    }
}
