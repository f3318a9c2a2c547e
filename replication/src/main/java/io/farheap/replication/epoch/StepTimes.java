package io.farheap.replication.epoch;

import io.farheap.replication.fabric.Deadline;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What the steps of each replica may take yet in one attempt of a switch that commits wait for.
 * Only its own count: who waits for a slow one is not slow. Thread-safe.
 */
final class StepTimes {
    private final Deadline end;
    private final AtomicLongArray leftNanos;

    /**
     * @param copies how many replicas there are
     * @param each what one of them may take that the pool can do without
     * @param end of the switch, whoever took the time
     */
    StepTimes(int copies, Duration each, Deadline end) {
        this.end = end;
        this.leftNanos = new AtomicLongArray(copies);
        for (int i = 0; i < copies; i++) {
            leftNanos.set(i, each.toNanos());
        }
    }

    /** The limit of a step that begins now. */
    Deadline limit(ReplicaTracker copy) {
        return copy.isOptional()
                ? end.orIn(Duration.ofNanos(Math.max(0, leftNanos.get(copy.index()))))
                : Deadline.NONE;
    }

    /** A step has ended. */
    void took(ReplicaTracker copy, long nanos) {
        long unused = leftNanos.addAndGet(copy.index(), -nanos);
    }
}
