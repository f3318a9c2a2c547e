package io.farheap.replication.stream;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A commit waited because a replica that commits don't wait for was too far behind. */
@Name("io.farheap.BackPressure")
@Label("Back-pressure of a Replica")
@Category("Farheap")
@Description("A commit waited because an asynchronous replica lagged as far as it may")
@StackTrace(false)
final class BackPressureEvent extends Event {
    @Label("Poolset File")
    String poolset;

    @Label("Replica")
    String replica;

    @Label("Lag")
    @DataAmount
    long lagBytes;

    @Label("Lag in Time")
    @Timespan(Timespan.NANOSECONDS)
    long lagNanos;

    /**
     * @param feed who held the commit back; null: nobody
     */
    void report(String pool, AsyncFeed feed) {
        if (feed != null) {
            fill(pool, feed);
            commit();
        }
    }

    private void fill(String pool, AsyncFeed feed) {
        poolset = pool;
        replica = feed.replica().name();
        lagBytes = feed.lagBytes();
        lagNanos = feed.lagNanos();
    }
}
