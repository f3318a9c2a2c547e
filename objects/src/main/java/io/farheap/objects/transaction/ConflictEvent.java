package io.farheap.objects.transaction;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A transaction met what another one changed; the duration is what it waits before it goes on. */
@Name("io.farheap.TransactionConflict")
@Label("Transaction Conflict")
@Category("Farheap")
@StackTrace(false)
final class ConflictEvent extends Event {
    @Label("Pool")
    String pool;

    @Label("Attempt")
    int attempt;

    @Label("Object")
    long object;

    @Label("Type Number")
    long typeNumber;
}
