package io.farheap.metrics;

import io.farheap.ObjectPool;
import io.farheap.PoolCounters;
import io.farheap.base.FarheapException;
import io.farheap.base.HeapSpace;
import io.farheap.base.PoolPosition;
import io.farheap.base.ReplicaStatus;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A pool as somebody reads it who does not know when it is closed: afterwards it shows the counters
 * that were seen last, no replica, and no space.
 */
final class LivePool {
    private static final PoolCounters NOTHING =
            new PoolCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    private final ObjectPool pool;
    private volatile PoolCounters last = NOTHING;

    LivePool(ObjectPool pool) {
        this.pool = Objects.requireNonNull(pool, "pool");
    }

    PoolCounters counters() {
        try {
            PoolCounters now = pool.counters();
            last = now;
            return now;
        } catch (FarheapException | IllegalStateException closed) {
            return last;
        }
    }

    /** Empty when the pool is closed, or its heap is damaged where it was not read yet. */
    Optional<HeapSpace> space() {
        try {
            return Optional.of(pool.heap().space());
        } catch (FarheapException | IllegalStateException closed) {
            return Optional.empty();
        }
    }

    /** When all replicas were compared last; empty when that was never, or the pool is closed. */
    Optional<Instant> compared() {
        try {
            return pool.compared();
        } catch (FarheapException | IllegalStateException closed) {
            return Optional.empty();
        }
    }

    /** Empty when the pool is closed. */
    Optional<PoolPosition> position() {
        try {
            return Optional.of(pool.position());
        } catch (FarheapException | IllegalStateException closed) {
            return Optional.empty();
        }
    }

    boolean isOpen() {
        try {
            return pool.heap().size() > 0;
        } catch (FarheapException | IllegalStateException closed) {
            return false;
        }
    }

    List<ReplicaStatus> replicas() {
        try {
            return pool.replicas();
        } catch (FarheapException closed) {
            return List.of();
        }
    }
}
