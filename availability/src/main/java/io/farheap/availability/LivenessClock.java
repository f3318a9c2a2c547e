package io.farheap.availability;

import java.time.Duration;

/** Time, for how long something has lasted; nothing that must be right rests on it. */
interface LivenessClock {
    /** As {@link System#nanoTime}. */
    long nanos();

    /** Waits, but not longer than until something may have changed. */
    void pause(Duration atMost) throws InterruptedException;
}
