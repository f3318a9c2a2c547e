package io.farheap.tools.sync;

import io.farheap.replication.ReplicaReport;
import io.farheap.replication.ReplicationSettings;
import io.farheap.replication.control.Limits;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Who has a replica may be gone already: its right ends when it was not heard of for a while. */
public final class Holders {
    private static final long PAUSE_MILLIS = 200;

    private Holders() {}

    /**
     * Looks at a replica, again and again while somebody has it, until the right of one who is gone
     * must have ended.
     */
    public static ReplicaReport whenFree(Supplier<ReplicaReport> look, ReplicationSettings settings)
            throws InterruptedException {
        long patience = settings.heartbeat().multipliedBy(Limits.MISSED_HEARTBEATS + 1).toNanos();
        long deadline = System.nanoTime() + patience;
        ReplicaReport report = look.get();
        while (!report.holder().isEmpty() && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            report = look.get();
        }
        return report;
    }
}
