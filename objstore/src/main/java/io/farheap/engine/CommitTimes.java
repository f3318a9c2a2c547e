package io.farheap.engine;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How long commits of a pool take, and how long those of them wait for the replicas: measured while
 * somebody watches, so that a pool that nobody watches looks at no clock. Thread-safe.
 */
public final class CommitTimes {
    private static final long NOT_MEASURED = 0;

    private final Durations commits = new Durations("commitNanos");
    private final Durations replicaWaits = new Durations("replicaWaitNanos");
    private int watchers;
    private volatile boolean watched;

    CommitTimes() {}

    /** Somebody begins to watch, and tells the end by {@link #unwatch}. */
    public synchronized void watch() {
        commits.allocate();
        replicaWaits.allocate();
        watchers++;
        watched = true;
    }

    public synchronized void unwatch() {
        watchers--;
        watched = watchers > 0;
    }

    /**
     * What was measured since the pool was opened: under {@code commitNanosBelow4352} how many
     * commits took less than 4352 ns, and not less than the bound before; under {@code
     * replicaWaitNanosBelow…} the waits.
     */
    public Map<String, Long> byName() {
        Map<String, Long> figures = new LinkedHashMap<>();
        commits.addTo(figures);
        replicaWaits.addTo(figures);
        return figures;
    }

    boolean isWatched() {
        return watched;
    }

    /** What {@link #committed} wants to know. */
    long begin() {
        return watched ? System.nanoTime() | 1 : NOT_MEASURED;
    }

    void committed(int lane, long begun) {
        if (begun != NOT_MEASURED) {
            commits.add(lane, System.nanoTime() - begun);
        }
    }

    void waited(int lane, long nanos) {
        replicaWaits.add(lane, nanos);
    }
}
