package io.farheap.zookeeper;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;

/**
 * Since when a session may have ended. The client's pings keep it alive, but the client does not
 * say which were answered; so a sync is asked for now and then, which the leader answers and which
 * costs no write. A session lives for its timeout from when a request was sent that was answered: a
 * short loss of the connection ends nothing, and a process that stood still for longer knows that
 * at once, before its client does. Where the server has died that the request went through, or the
 * leader has lost the others, it may have ended sooner, and the client hears it when it is
 * connected again.
 */
final class SessionContact implements AutoCloseable {
    private final ZooKeeper handle;
    private final String path;
    private final LongSupplier nanos;
    private final CountDownLatch closing = new CountDownLatch(1);

    /** When the last request was sent that was answered. */
    private volatile long heardNanos;

    /**
     * @param handle of a session
     * @param path which is asked for
     * @param sentNanos when a request was sent that was answered
     */
    SessionContact(ZooKeeper handle, String path, LongSupplier nanos, long sentNanos) {
        this.handle = handle;
        this.path = path;
        this.nanos = nanos;
        this.heardNanos = sentNanos;
        Thread unused = Thread.ofVirtual().name("farheap-session").start(this::keep);
    }

    private void keep() {
        try {
            Duration interval = timeout().multipliedBy(3).dividedBy(10);
            while (handle.getState().isAlive()
                    && !closing.await(interval.toMillis(), TimeUnit.MILLISECONDS)) {
                ask();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does
        }
    }

    /** Answers come in order. */
    void ask() {
        long sent = nanos.getAsLong();
        handle.sync(
                path,
                (code, p, context) -> {
                    if (code == Code.OK.intValue()) {
                        heardNanos = sent;
                    }
                },
                null);
    }

    /** As it was agreed on with the server. */
    private Duration timeout() {
        return Duration.ofMillis(handle.getSessionTimeout());
    }

    boolean isLost() {
        return !handle.getState().isAlive()
                || nanos.getAsLong() - heardNanos >= timeout().toNanos();
    }

    @Override
    public void close() {
        closing.countDown();
    }
}
