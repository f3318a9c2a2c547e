package io.farheap.tools.sync;

import io.farheap.poolset.RemoteReplica;
import io.farheap.replication.config.SyncProgress;
import io.farheap.tools.command.LongWork;
import io.farheap.tools.report.Progress;
import java.util.HashMap;
import java.util.Map;

/** One bar for all copies of a step, which may be several at once. */
final class CopyProgress implements SyncProgress, AutoCloseable {
    private final Progress bar;
    private final Map<RemoteReplica, Long> reached = new HashMap<>();

    /**
     * @param bytes of all copies together
     */
    CopyProgress(LongWork work, long bytes) {
        bar = work.begin("copying", bytes);
    }

    @Override
    public synchronized void copied(RemoteReplica replica, long done, long total) {
        Long before = reached.put(replica, done);
        copied(done - (before == null ? 0 : before));
    }

    /** So many more bytes. */
    void copied(long bytes) {
        bar.advanced(bytes);
    }

    void complete() {
        bar.complete();
    }

    @Override
    public void close() {
        bar.close();
    }
}
