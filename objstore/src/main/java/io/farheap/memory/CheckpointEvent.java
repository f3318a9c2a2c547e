package io.farheap.memory;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** What a disk journal had was brought to the pool files, so that its place is free. */
@Name("io.farheap.Checkpoint")
@Label("Disk Journal Checkpoint")
@Category("Farheap")
@StackTrace(false)
final class CheckpointEvent extends Event {
    @Label("Journal")
    String journal;

    @Label("Pages")
    long pages;
}
