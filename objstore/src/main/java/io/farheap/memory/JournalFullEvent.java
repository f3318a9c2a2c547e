package io.farheap.memory;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A thread waited for a checkpoint, as the disk journal was full. */
@Name("io.farheap.DiskJournalFull")
@Label("Wait For Room In A Disk Journal")
@Category("Farheap")
@StackTrace(false)
final class JournalFullEvent extends Event {
    @Label("Journal")
    String journal;
}
