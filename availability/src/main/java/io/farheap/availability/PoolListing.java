package io.farheap.availability;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Listed;
import io.farheap.availability.coordinator.Listing;
import io.farheap.availability.coordinator.StoreStamp;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** All that the store has of one pool, as it was at one moment: one request. */
final class PoolListing {
    private final Map<String, Listed> keys = new HashMap<>();
    private final StoreStamp stamp;

    private PoolListing(Listing listing) {
        listing.keys().forEach(one -> keys.put(one.key(), one));
        stamp = listing.stamp();
    }

    /**
     * @throws io.farheap.availability.coordinator.StoreUnavailableException the store does not
     *     answer
     */
    static PoolListing of(Coordinator store, PoolKeys pool) {
        return new PoolListing(store.list(pool.all()));
    }

    StoreStamp stamp() {
        return stamp;
    }

    /** Of a key, whoever set it. */
    Optional<byte[]> value(String key) {
        return Optional.ofNullable(keys.get(key)).map(Listed::value);
    }

    /** Who has announced itself under it, as long as it is alive. */
    Optional<byte[]> present(String key) {
        return Optional.ofNullable(keys.get(key)).filter(Listed::announced).map(Listed::value);
    }
}
