package io.farheap.replication.epoch;

import io.farheap.base.ScrubResult;

/** Compares the attached replicas with the pool while that is open, on a thread of its own. */
public interface Comparing {

    /** Compares all once; waits for that. */
    ScrubResult scrub();

    /** When the last comparison of all replicas ended, milliseconds since 1970; 0: none has. */
    long comparedMillis();

    /** No more pieces but the one under way. */
    void stop();

    /**
     * Waits until the pool's memory is not read any more.
     *
     * @return whether the caller was interrupted meanwhile
     */
    boolean awaitStopped();
}
