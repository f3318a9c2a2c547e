package io.farheap.replication.epoch;

import io.farheap.base.FarheapException;
import io.farheap.replication.control.SlotReport;
import io.farheap.replication.session.ReplicaSession;
import java.time.Duration;

/** What makes one switch of the epoch differ from another: who may take part, and how. */
interface SwitchMode {
    /**
     * Looks at the verdict of one that was reached.
     *
     * @throws FarheapException when it must not take part
     */
    void admit(ReplicaTracker copy, ReplicaSession member);

    /**
     * What was committed in the epoch of that number, if this run knows it.
     *
     * @return the last record, or {@link SlotReport#NOT_KNOWN}
     */
    long committedIn(long number);

    /** Brings its content to what it must be in the new epoch; then it is prepared. */
    void bringUp(ReplicaTracker copy, ReplicaSession member, long next);

    /** The pool has that number now, in which nothing was committed yet. */
    void switched(long number);

    /** Whether the switch goes on without one that failed. */
    boolean goesOnWithout(ReplicaTracker copy, FarheapException why);

    /** Whether the pool is open, whatever becomes of the switch: its replicas are looked at. */
    boolean poolIsOpen();

    /**
     * How long an agent that is started may take to show itself.
     *
     * @param usual the attach timeout
     */
    default Duration greeting(Duration usual) {
        return usual;
    }

    /** Whether one that lacks something is done without, and is told no number. */
    default boolean takesWholeOnly() {
        return false;
    }

    /**
     * How long all steps of one take together, if the switch goes on without it.
     *
     * @param usual the attach timeout
     */
    default Duration allSteps(ReplicaTracker copy, Duration usual) {
        return usual;
    }

    /** Whether a former writer's copy that the record names is to be one of the set again. */
    default boolean takesFormerWriters() {
        return false;
    }
}
