package io.farheap.engine;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * One commit or roll-back, from the first undo entry to what makes it durable; locks are still held
 * then. One object serves a whole lane: {@link #end} it before {@link #shouldCommit}, or it has the
 * duration of the one before.
 */
@Name("io.farheap.Commit")
@Label("Pool Commit")
@Category("Farheap")
@StackTrace(false)
final class CommitEvent extends Event {
    @Label("Pool")
    String pool;

    @Label("Ranges Changed In Place")
    int ranges;

    @Label("Bytes Changed In Place")
    @DataAmount
    long bytes;

    @Label("Allocator Words")
    int words;

    @Label("Durability Wait")
    @Timespan
    long durabilityWait;

    @Label("Committed")
    boolean committed;
}
