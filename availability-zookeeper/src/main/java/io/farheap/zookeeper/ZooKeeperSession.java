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

    static StoreUnavailableException closed() {
        return new StoreUnavailableException("This client of ZooKeeper is closed.");
    }

    /** As it is now: the same one for as long as it lives. */
    synchronized ZooKeeper handle() {
        if (closed) {
            throw closed();
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

    /**
     * Waits for the server's answer, whatever interrupts this thread: an interrupt would keep the
     * request from being sent. The client has a bound for it.
     */
    static void close(ZooKeeper session) {
        Thread closing = Thread.startVirtualThread(() -> closeHere(session));
        boolean interrupted = false;
        while (closing.isAlive()) {
            try {
                closing.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void closeHere(ZooKeeper session) {
        try {
            session.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does: the session ends by itself
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
