package io.farheap.replication.epoch;

import io.farheap.replication.fabric.Deadline;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * What the steps of each replica may take yet in one attempt of a switch that commits wait for.
 * Only its own count: who waits for a slow one is not slow. Thread-safe.
 */
final class StepTimes {
    private final Deadline end;
    private final Map<ReplicaTracker, AtomicLong> leftNanos = new HashMap<>();

    /**
     * @param copies all replicas
     * @param each what one of them may take that the pool can do without
     * @param end of the switch, whoever took the time
     */
    StepTimes(List<ReplicaTracker> copies, Function<ReplicaTracker, Duration> each, Deadline end) {
        this.end = end;
        copies.forEach(copy -> leftNanos.put(copy, new AtomicLong(each.apply(copy).toNanos())));
    }

    /** The limit of a step that begins now. */
    Deadline limit(ReplicaTracker copy) {
        return copy.isOptional()
                ? end.orIn(Duration.ofNanos(Math.max(0, leftNanos.get(copy).get())))
                : Deadline.NONE;
    }

    /** A step has ended. */
    void took(ReplicaTracker copy, long nanos) {
        long unused = leftNanos.get(copy).addAndGet(-nanos);
    }
}
