package io.farheap.tx;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** One commit, from the first undo entry to the released locks. One object serves a whole lane. */
@Name("io.farheap.Commit")
@Label("Pool Commit")
@Category("Farheap")
@StackTrace(false)
final class CommitEvent extends Event {
    @Label("Ranges Changed In Place")
    int ranges;

    @Label("Allocator Words")
    int words;

    @Label("Durability Wait")
    @Timespan
    long durabilityWait;

    @Label("Committed")
    boolean committed;
}
