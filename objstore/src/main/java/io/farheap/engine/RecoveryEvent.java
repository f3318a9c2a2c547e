package io.farheap.engine;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Recovery at open: logs of all lanes, heap boot, and the replicas' attachment. */
@Name("io.farheap.Recovery")
@Label("Pool Recovery")
@Category("Farheap")
@StackTrace(false)
final class RecoveryEvent extends Event {
    @Label("Pool")
    String pool;

    @Label("Lanes")
    int lanes;

    @Label("Redo Logs Completed")
    int completed;

    @Label("Transactions Rolled Back")
    int rolledBack;

    @Label("Run Id")
    long runId;

    @Label("Replicated")
    boolean replicated;
}
