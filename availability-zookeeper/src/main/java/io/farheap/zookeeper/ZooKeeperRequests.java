package io.farheap.zookeeper;

import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.base.FarheapException;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;

/** Tries a request until it is answered, or its bound has passed. */
final class ZooKeeperRequests {
    private static final long PAUSE_MILLIS = 20;

    private final ZooKeeperSettings settings;
    private final ZooKeeperSession session;
    private final ZooKeeperFailures failures;

    ZooKeeperRequests(ZooKeeperSettings settings, ZooKeeperSession session) {
        this.settings = settings;
        this.session = session;
        this.failures = new ZooKeeperFailures(settings);
    }

    /** One try, which begins from nothing. */
    @FunctionalInterface
    interface Request<T> {
        T make(ZooKeeperTry one) throws KeeperException, InterruptedException;
    }

    /**
     * What the first try answers that is answered.
     *
     * @throws StoreUnavailableException none was: each may have been carried out, or may be later
     * @throws FarheapException it is refused for good
     */
    <T> T ask(Request<T> request) {
        long deadline = System.nanoTime() + settings.bound().toNanos();
        while (true) {
            try {
                ZooKeeper handle = session.handle();
                return request.make(
                        new ZooKeeperTry(
                                handle, settings, deadline, () -> session.discard(handle)));
            } catch (KeeperException e) {
                pauseAfter(e, deadline);
            } catch (InterruptedException e) {
                throw failures.interrupted(e);
            }
        }
    }

    /** The same over one session, which does not change. */
    <T> T ask(ZooKeeper handle, Request<T> request) {
        long deadline = System.nanoTime() + settings.bound().toNanos();
        while (true) {
            try {
                return request.make(new ZooKeeperTry(handle, settings, deadline, () -> {}));
            } catch (KeeperException e) {
                if (!handle.getState().isAlive()) {
                    throw ZooKeeperFailures.isUnanswered(e)
                            ? failures.unavailable(e)
                            : failures.refused(e);
                }
                pauseAfter(e, deadline);
            } catch (InterruptedException e) {
                throw failures.interrupted(e);
            }
        }
    }

    private void pauseAfter(KeeperException failure, long deadline) {
        if (!ZooKeeperFailures.isUnanswered(failure)) {
            throw failures.refused(failure);
        }
        if (System.nanoTime() - deadline >= 0) {
            throw failures.unavailable(failure);
        }
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            throw failures.interrupted(e);
        }
    }
}
