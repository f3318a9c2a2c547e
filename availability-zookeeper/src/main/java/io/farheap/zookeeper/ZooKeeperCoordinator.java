package io.farheap.zookeeper;

import io.farheap.availability.coordinator.Coordinator;
import io.farheap.availability.coordinator.Listed;
import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.availability.coordinator.Swap;
import io.farheap.availability.coordinator.Versioned;
import io.farheap.availability.coordinator.Watch;
import io.farheap.base.FarheapException;
import io.farheap.zookeeper.StoreNode.Found;
import io.farheap.zookeeper.StoreNode.Sight;
import io.farheap.zookeeper.ZooKeeperTry.Node;
import io.farheap.zookeeper.ZooKeeperTry.Reply;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.OpResult.SetDataResult;

/**
 * ZooKeeper, 3.6 or later. A request waits at most half the ttl, and at most a sixth of it for a
 * server that is connected; then, or when the connection is lost, it is tried again.
 *
 * <p>A compare-and-set whose answer is lost is tried again after a look: if the version is still
 * the same and the second one is applied, the first can't be any more. If the version is another
 * one by then, the first may be what moved it: unknown.
 */
final class ZooKeeperCoordinator implements Coordinator {
    /** A server refuses what has more than 1 MiB with all that is around it. */
    static final int MOST_BYTES = 512 << 10;

    private static final int MOST_ENDED = 1_000;

    private final ZooKeeperSettings settings;
    private final ZooKeeperSession session;
    private final ZooKeeperRequests requests;
    private final NodePaths paths;
    private final StoreNode store;

    private final EndedSessions endedSessions = new EndedSessions(MOST_ENDED);

    /** What has been put here after this was closed is closed by whoever has put it. */
    private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();

    private volatile boolean closed;

    ZooKeeperCoordinator(ZooKeeperSettings settings) {
        this.settings = settings;
        this.session = new ZooKeeperSession(settings);
        this.requests = new ZooKeeperRequests(settings, session);
        this.paths = new NodePaths(settings.base());
        this.store = new StoreNode(settings);
    }

    ZooKeeperSession session() {
        return session;
    }

    EndedSessions endedSessions() {
        return endedSessions;
    }

    @Override
    public Versioned read(String key) {
        String path = path(key);
        Found found = requests.ask(one -> store.find(one, path));
        return new Versioned(found.node().map(Node::data), found.version(), found.stamp());
    }

    @Override
    public List<Listed> list(String prefix) {
        if (prefix.isEmpty()) {
            throw FarheapException.wrongUse("Nobody lists the whole store: name a prefix.");
        }
        requireOpen();
        try (ZooKeeperSession own = new ZooKeeperSession(settings)) {
            return new TreeListing(new ZooKeeperRequests(settings, own), paths, prefix).read();
        }
    }

    @Override
    public Swap compareAndSet(String key, long version, byte[] value) {
        return swap(key, version, value, Optional.empty());
    }

    @Override
    public Swap compareAndSet(
            String key, long version, byte[] value, String beside, long besideVersion) {
        return swap(key, version, value, Optional.of(new Beside(path(beside), besideVersion)));
    }

    /** What else must be as it was. */
    private record Beside(String path, long version) {}

    private Swap swap(String key, long version, byte[] value, Optional<Beside> beside) {
        String path = path(key);
        byte[] sent = copy(key, value);
        Sending sending = new Sending();
        try {
            return requests.ask(one -> swap(one, path, version, sent, beside, sending));
        } catch (StoreUnavailableException e) {
            return Swap.unknown();
        } catch (FarheapException e) {
            if (sending.mayBeDone) {
                return Swap.unknown();
            }
            throw e;
        }
    }

    /** What has become of the tries so far. */
    private static final class Sending {
        /** One had no answer. */
        private boolean mayBeDone;
    }

    private Swap swap(
            ZooKeeperTry one,
            String path,
            long version,
            byte[] value,
            Optional<Beside> beside,
            Sending sending)
            throws KeeperException, InterruptedException {
        while (true) {
            one.requireTime();
            List<Found> all =
                    store.findToChange(
                            one,
                            beside.map(other -> List.of(path, other.path()))
                                    .orElseGet(() -> List.of(path)));
            Found found = all.get(0);
            boolean isOther = beside.isPresent() && all.get(1).version() != beside.get().version();
            if (found.version() != version || isOther) {
                return sending.mayBeDone ? Swap.unknown() : Swap.lost();
            }
            List<Op> change = store.change(found, path, value);
            if (beside.isPresent()) {
                change = store.onlyIf(change, all.get(1), beside.get().path());
            }
            boolean answered = false;
            try {
                List<OpResult> results = one.transact(path, change).get();
                answered = true;
                SetDataResult counted = (SetDataResult) results.get(results.size() - 1);
                // All that a transaction sets has its number.
                return Swap.applied(
                        counted.getStat().getMzxid(), store.stamp(found, counted.getStat()));
            } catch (KeeperException.BadVersionException | KeeperException.NodeExistsException e) {
                answered = true; // somebody was faster, at this value or at another one
            } catch (KeeperException.NoNodeException e) {
                answered = true; // a directory, or the whole store
                one.makeDirectoriesAbove(path);
            } catch (KeeperException e) {
                answered = !ZooKeeperFailures.mayBeDone(e);
                throw e;
            } finally {
                sending.mayBeDone |= !answered;
            }
        }
    }

    @Override
    public Optional<Presence> announce(String key, byte[] value, Duration ttl) {
        ZooKeeperSettings.requireTtl(ttl);
        String path = path(key);
        byte[] sent = copy(key, value);
        requireOpen();
        EphemeralPresence presence =
                new EphemeralPresence(
                        ZooKeeperSession.open(settings, ttl),
                        requests,
                        store,
                        path,
                        ttl,
                        endedSessions,
                        open::remove);
        open.add(presence);
        boolean announced = false;
        try {
            requireOpen();
            announced = presence.announce(sent);
        } finally {
            if (!announced) {
                presence.close();
            }
        }
        return announced ? Optional.of(presence) : Optional.empty();
    }

    private void requireOpen() {
        if (closed) {
            throw ZooKeeperSession.closed();
        }
    }

    @Override
    public Optional<byte[]> present(String key) {
        return requests.ask(one -> announced(one, path(key))).map(Node::data);
    }

    /** Of a session, whichever it is; makes nothing. */
    private static Optional<Node> announced(ZooKeeperTry one, String path)
            throws KeeperException, InterruptedException {
        Reply<Boolean> synced = one.sync(path);
        Reply<Optional<Node>> node = one.node(path);
        var unused = synced.get();
        return node.get().filter(found -> found.stat().getEphemeralOwner() != 0);
    }

    @Override
    public void remove(String key, byte[] value) {
        String path = path(key);
        boolean unused = requests.ask(one -> isRemoved(one, path, value));
    }

    private boolean isRemoved(ZooKeeperTry one, String path, byte[] value)
            throws KeeperException, InterruptedException {
        while (has(announced(one, path), value)) {
            one.requireTime();
            Sight there = store.look(one, path);
            if (there.isAnnounced()
                    && has(there.node(), value)
                    && EphemeralPresence.isRemoved(one, store, path, there)) {
                return true;
            }
        }
        return false;
    }

    private static boolean has(Optional<Node> node, byte[] value) {
        return node.filter(found -> Arrays.equals(found.data(), value)).isPresent();
    }

    @Override
    public Watch watch(String prefix, Runnable changed) {
        if (prefix.isEmpty()) {
            throw FarheapException.wrongUse("Nobody watches the whole store: name a prefix.");
        }
        requireOpen();
        TreeWatch watch =
                new TreeWatch(
                        session,
                        paths.directoryOf(prefix),
                        settings.ttl().dividedBy(3),
                        changed,
                        open::remove);
        open.add(watch);
        if (closed) {
            watch.close();
            throw ZooKeeperSession.closed();
        }
        return watch;
    }

    private String path(String key) {
        if (key.isEmpty()) {
            throw FarheapException.wrongUse("A key of the store must not be empty.");
        }
        return paths.of(key);
    }

    private static byte[] copy(String key, byte[] value) {
        if (value.length > MOST_BYTES) {
            throw FarheapException.wrongUse(
                    "%s has %d bytes, and ZooKeeper has room for %d in a value.",
                    key, value.length, MOST_BYTES);
        }
        return value.clone();
    }

    @Override
    public void close() {
        closed = true;
        for (AutoCloseable one : open) {
            closeQuietly(one);
        }
        session.close();
    }

    private static void closeQuietly(AutoCloseable one) {
        try {
            one.close();
        } catch (Exception e) {
            throw new IllegalStateException(e); // neither presences nor watches throw
        }
    }
}
