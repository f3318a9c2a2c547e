package io.farheap.availability;

import io.farheap.availability.coordinator.StoreStamp;
import io.farheap.availability.coordinator.Versioned;
import java.util.Optional;

/**
 * Whether a store may be what it was, as far as one node has seen it
 * (docs/high-availability.md#store-went-back). An older one counts again when a person has written
 * a record over it that says so, and that this node has not counted before.
 */
final class StoreTrust {
    private final String node;
    private final SeenStamps seen;

    StoreTrust(String node, SeenStamps seen) {
        this.node = node;
        this.seen = seen;
    }

    /**
     * @param now what the store has of the pool's record
     * @param there the same, understood
     */
    boolean isTrusted(Versioned now, Optional<ClusterRecord> there) {
        long rebased =
                there.filter(record -> record.term() >= seen.term())
                        .map(ClusterRecord::rebased)
                        .orElse(0L);
        if (rebased <= seen.rebased()) {
            return isTrusted(now.stamp());
        }
        seen.keep(now.stamp(), rebased);
        return true;
    }

    boolean isTrusted(StoreStamp stamp) {
        Optional<StoreStamp> newest = seen.newest();
        if (newest.isPresent() && !stamp.follows(newest.get())) {
            return false;
        }
        if (newest.isEmpty() || !newest.get().equals(stamp)) {
            seen.keep(stamp, seen.rebased());
        }
        return true;
    }

    /** A sentence about a store that is not trusted. */
    String wentBack(StoreStamp stamp) {
        return String.format(
                "The store is %s at revision %d, and %s has seen %s at revision %d: it was restored"
                        + " or is another one. Nobody takes over and nobody changes the record until"
                        + " a person has looked at it (farheap ha rebase); commits go on.",
                stamp.identity(),
                stamp.revision(),
                node,
                seen.newest().map(StoreStamp::identity).orElse("none"),
                seen.newest().map(StoreStamp::revision).orElse(0L));
    }
}
