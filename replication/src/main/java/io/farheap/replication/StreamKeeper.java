package io.farheap.replication;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks after a stream while nobody commits: tells the members what was committed, so that they
 * apply it and their rings drain, and notices a connection that broke meanwhile; looks after those
 * that lag.
 */
final class StreamKeeper implements Runnable {
    private final CommitStream stream;
    private final long idleNanos;
    private final Thread thread;
    private volatile boolean stopped;

    StreamKeeper(CommitStream stream, Duration idle) {
        this.stream = stream;
        this.idleNanos = idle.toNanos();
        this.thread = Thread.ofPlatform().daemon().name("farheap-stream-keeper").unstarted(this);
    }

    void start() {
        thread.start();
    }

    @Override
    public void run() {
        long seen = -1;
        while (!stopped && !stream.isFrozen()) {
            LockSupport.parkNanos(this, idleNanos);
            if (!stopped) {
                stream.lookAfterLag();
            }
            long last = stream.lastSequence();
            if (last == seen && !stopped) {
                stream.tellCommitted();
                stream.learnProgress();
            }
            seen = last;
        }
    }

    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }
}
