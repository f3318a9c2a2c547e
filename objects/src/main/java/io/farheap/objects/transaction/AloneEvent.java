package io.farheap.objects.transaction;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A transaction ran while no other could commit, because it had met too many conflicts. */
@Name("io.farheap.TransactionAlone")
@Label("Transaction Alone")
@Category("Farheap")
@StackTrace(false)
final class AloneEvent extends Event {
    @Label("Pool")
    String pool;

    @Label("Conflicts Before")
    int conflicts;
}
