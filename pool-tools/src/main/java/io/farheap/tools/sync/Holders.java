package io.farheap.tools.sync;

import io.farheap.replication.config.ReplicationSettings;
import io.farheap.replication.control.Limits;
import io.farheap.replication.session.ReplicaReport;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Who has a replica may be gone already: its right ends when it was not heard of for a while. */
public final class Holders {
    private static final long PAUSE_MILLIS = 200;

    private Holders() {}

    /**
     * Looks at a replica, again and again while somebody has it, until the right of one who is gone
     * must have ended.
     *
     * @param replica how it is called
     * @param say is told for whom it waits, and how long at most
     */
    public static ReplicaReport whenFree(
            String replica,
            Supplier<ReplicaReport> look,
            ReplicationSettings settings,
            Consumer<String> say)
            throws InterruptedException {
        Duration patience = settings.heartbeat().multipliedBy(Limits.MISSED_HEARTBEATS + 1);
        long deadline = System.nanoTime() + patience.toNanos();
        ReplicaReport report = look.get();
        if (!report.holder().isEmpty()) {
            say.accept(
                    "wait for %s, which %s has: up to %.1f s, when the right of one that is gone ends"
                            .formatted(replica, report.holder(), patience.toMillis() / 1000.0));
        }
        while (!report.holder().isEmpty() && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            report = look.get();
        }
        return report;
    }
}
