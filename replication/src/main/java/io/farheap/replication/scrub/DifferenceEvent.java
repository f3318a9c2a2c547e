package io.farheap.replication.scrub;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Bytes of a replica that are not the pool's. */
@Name("io.farheap.Difference")
@Label("Difference of a Replica")
@Category("Farheap")
@Description("A replica that has every commit holds bytes that are not the pool's")
@StackTrace(false)
final class DifferenceEvent extends Event {
    @Label("Poolset File")
    String poolset;

    @Label("Replica")
    String replica;

    @Label("Image Offset")
    long offset;

    @Label("Length")
    @DataAmount
    long length;

    static void report(String poolset, String replica, long offset, long length) {
        DifferenceEvent event = new DifferenceEvent();
        if (event.isEnabled()) {
            event.poolset = poolset;
            event.replica = replica;
            event.offset = offset;
            event.length = length;
            event.commit();
        }
    }
}
