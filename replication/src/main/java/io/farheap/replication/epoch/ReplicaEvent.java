package io.farheap.replication.epoch;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A change in what the initiator knows of its remote replicas. */
@Name("io.farheap.Replicas")
@Label("Remote Replicas")
@Category("Farheap")
@Description("The remote replicas of a pool were attached, lost or let go")
@StackTrace(false)
final class ReplicaEvent extends Event {
    @Label("Poolset File")
    String poolset;

    @Label("Change")
    String change;

    @Label("Number of the Epoch")
    long epoch;

    @Label("Reason")
    String reason;

    static void report(String poolset, String change, long epoch, String reason) {
        ReplicaEvent event = new ReplicaEvent();
        if (event.isEnabled()) {
            event.poolset = poolset;
            event.change = change;
            event.epoch = epoch;
            event.reason = reason;
            event.commit();
        }
    }
}
