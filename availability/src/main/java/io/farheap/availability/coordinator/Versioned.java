package io.farheap.availability.coordinator;

import java.util.Optional;

/**
 * What the store says of a key.
 *
 * @param value empty: there is no such key
 * @param version of the value; 0: there is no such key
 * @param stamp of the store when it answered
 */
public record Versioned(Optional<byte[]> value, long version, StoreStamp stamp) {
    /**
     * Whether the store's identity, which is there before any value, was taken away: as it has to
     * be when a backup is put back. Nobody knows how old the value is.
     */
    public boolean hasLostItsStore() {
        return value.isPresent() && stamp.isNone();
    }
}
