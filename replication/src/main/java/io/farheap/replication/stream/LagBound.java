package io.farheap.replication.stream;

import java.time.Duration;

/**
 * How far a replica may lag that commits don't wait for; they wait when it is farther behind.
 *
 * @param bytes of records that it has not; one record may be larger, alone
 * @param time since when the oldest of them is there
 */
public record LagBound(long bytes, Duration time) {
    public static final LagBound DEFAULT = new LagBound(16L << 20, Duration.ofSeconds(5));
}
