package io.farheap.zookeeper;

import io.farheap.availability.coordinator.Hints;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Watch;
import java.time.Duration;
import java.util.function.Consumer;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.WatcherType;
import org.apache.zookeeper.ZooKeeper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls when something in or below a directory changes, and every so often whatever ZooKeeper says.
 * A new session is watched from the next interval on.
 */
final class TreeWatch implements Watch {
    private static final Logger LOG = LoggerFactory.getLogger(TreeWatch.class);

    private final ZooKeeperSession session;
    private final String directory;
    private final Consumer<AutoCloseable> ended;
    private final Hints hints;
    private final Watcher watcher;

    /** What is watched; null: nothing. */
    private ZooKeeper watched;

    private boolean closed;

    /** A server refuses to watch, and the log says so. */
    private boolean told;

    TreeWatch(
            ZooKeeperSession session,
            String directory,
            Duration interval,
            Runnable changed,
            Consumer<AutoCloseable> ended) {
        this.session = session;
        this.directory = directory;
        this.ended = ended;
        this.watcher = event -> hint();
        synchronized (this) { // its thread begins at once, and waits until all is there
            this.hints =
                    new Hints(
                            interval,
                            () -> {
                                try {
                                    keepWatching();
                                } finally {
                                    changed.run();
                                }
                            });
        }
    }

    private void hint() {
        hints.hint();
    }

    private synchronized void keepWatching() {
        if (closed) {
            return;
        }
        ZooKeeper now;
        try {
            now = session.handle();
        } catch (StoreUnavailableException e) {
            return; // the next interval tries it again
        }
        if (now == watched) {
            return;
        }
        now.addWatch(
                directory,
                watcher,
                AddWatchMode.PERSISTENT_RECURSIVE,
                (code, path, context) -> answered(now, code),
                null);
        watched = now;
    }

    /** What changed before it was there is read then. */
    private void answered(ZooKeeper handle, int code) {
        if (code == Code.OK.intValue()) {
            hints.hint();
            return;
        }
        KeeperException failure = ZooKeeperFailures.of(code, directory);
        boolean first;
        synchronized (this) {
            watched = watched == handle ? null : watched;
            first = !closed && !told && !ZooKeeperFailures.isUnanswered(failure);
            told |= first;
        }
        if (first) {
            LOG.warn(
                    "ZooKeeper tells of no change below {} ({}): what is there is read every third"
                            + " of the ttl only",
                    directory,
                    failure.code());
        }
    }

    @Override
    public void close() {
        ZooKeeper last;
        synchronized (this) {
            closed = true;
            last = watched;
            watched = null;
        }
        if (last != null) {
            last.removeWatches(
                    directory, watcher, WatcherType.Any, true, (code, path, context) -> {}, null);
        }
        hints.close();
        ended.accept(this);
    }
}
