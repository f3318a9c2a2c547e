package io.farheap.availability.coordinator;

import java.util.List;

/**
 * All keys with a prefix as they were at one moment.
 *
 * @param keys in no certain order
 * @param stamp of the store at that moment
 */
public record Listing(List<Listed> keys, StoreStamp stamp) {
    /** Copies what may change. */
    public Listing {
        keys = List.copyOf(keys);
    }
}
