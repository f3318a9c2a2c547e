package io.farheap.zookeeper;

import io.farheap.availability.coordinator.StoreUnavailableException;
import java.io.IOException;
import java.time.Duration;
import org.apache.zookeeper.ZooKeeper;

/**
 * A session for requests, which may end: the next request has a new one. Nothing is bound to it.
 * Thread-safe.
 */
final class ZooKeeperSession implements AutoCloseable {
    private final ZooKeeperSettings settings;
    private ZooKeeper handle;
    private boolean closed;

    ZooKeeperSession(ZooKeeperSettings settings) {
        this.settings = settings;
    }

    /** Connects in the background. */
    static ZooKeeper open(ZooKeeperSettings settings, Duration timeout) {
        try {
            ZooKeeper opened =
                    new ZooKeeper(
                            settings.connectString(),
                            Math.toIntExact(timeout.toMillis()),
                            event -> {},
                            false,
                            settings.config());
            settings.digest().ifPresent(digest -> opened.addAuthInfo("digest", digest));
            return opened;
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    "ZooKeeper's client does not start: " + e.getMessage() + ".", e);
        }
    }

    /** As it is now: the same one for as long as it lives. */
    synchronized ZooKeeper handle() {
        if (closed) {
            throw new StoreUnavailableException("This client of ZooKeeper is closed.");
        }
        if (handle == null || !handle.getState().isAlive()) {
            // A server that hangs is given up for another one after two thirds of this.
            handle = open(settings, settings.bound());
        }
        return handle;
    }

    /** It does not answer: what it has not sent yet is not sent any more. */
    void discard(ZooKeeper hung) {
        synchronized (this) {
            if (handle != hung) {
                return;
            }
            handle = null;
        }
        Thread unused = Thread.startVirtualThread(() -> close(hung));
    }

    static void close(ZooKeeper session) {
        try {
            session.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        ZooKeeper last;
        synchronized (this) {
            closed = true;
            last = handle;
            handle = null;
        }
        if (last != null) {
            close(last);
        }
    }
}
