package io.farheap.availability.coordinator;

import java.util.Optional;

/**
 * What the store says of a key.
 *
 * @param value empty: there is no such key
 * @param version of the value; 0: there is no such key
 * @param stamp of the store when it answered
 */
public record Versioned(Optional<byte[]> value, long version, StoreStamp stamp) {}
