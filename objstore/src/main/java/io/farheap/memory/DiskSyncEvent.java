package io.farheap.memory;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * One write of a disk journal, until it was durable, for all threads that waited. One object serves
 * a whole journal: {@link #end} it before {@link #shouldCommit}.
 */
@Name("io.farheap.DiskSync")
@Label("Disk Journal Sync")
@Category("Farheap")
@StackTrace(false)
final class DiskSyncEvent extends Event {
    @Label("Journal")
    String journal;

    @Label("Bytes")
    @DataAmount
    long bytes;

    @Label("Past The Page Cache")
    boolean direct;
}
