package io.farheap.replication.stream;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** How far a member is behind that commits don't wait for. */
@Name("io.farheap.ReplicaLag")
@Label("Lag of a Replica")
@Category("Farheap")
@Description("How far an asynchronous replica is behind")
@StackTrace(false)
final class LagEvent extends Event {
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

    static void report(String poolset, AsyncFeed feed) {
        LagEvent event = new LagEvent();
        if (event.isEnabled()) {
            event.poolset = poolset;
            event.replica = feed.replica().name();
            event.lagBytes = feed.lagBytes();
            event.lagNanos = feed.lagNanos();
            event.commit();
        }
    }
}
