package io.farheap.replication.stream;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after a stream while nobody commits: tells the members what was committed, so that they
 * apply it and their rings drain (docs/protocol.md#watermark-when-idle), and notices a connection
 * that broke meanwhile; looks after those that lag.
 */
final class StreamHousekeeper implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamHousekeeper.class);

    private final CommitStream stream;
    private final long idleNanos;
    private final Thread thread;
    private volatile boolean stopped;

    /** What failed last: it is said once. */
    private String failure = "";

    StreamHousekeeper(CommitStream stream, Duration idle) {
        this.stream = stream;
        this.idleNanos = idle.toNanos();
        this.thread =
                Thread.ofPlatform().daemon().name("farheap-stream-housekeeper").unstarted(this);
    }

    void start() {
        thread.start();
    }

    @Override
    public void run() {
        long seen = -1;
        while (!stopped && !stream.isFrozen()) {
            LockSupport.parkNanos(this, idleNanos);
            attempt(stream::clearNotes);
            attempt(stream::lookAfterLag);
            long last = stream.lastSequence();
            if (last == seen) {
                attempt(this::tellIdle);
            }
            seen = last;
        }
    }

    private void tellIdle() {
        stream.sendCommitWatermark();
        stream.learnProgress();
    }

    /** Each has nothing to do with the others, and is tried again the next time. */
    private void attempt(Runnable chore) {
        if (stopped) {
            return;
        }
        try {
            chore.run();
        } catch (RuntimeException | Error e) {
            String what = String.valueOf(e.getMessage());
            if (what.equals(failure)) {
                LOG.debug("the housekeeper of a commit stream failed again", e);
            } else {
                LOG.warn("the housekeeper of a commit stream failed, and goes on", e);
            }
            failure = what;
        }
    }

    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }
}
