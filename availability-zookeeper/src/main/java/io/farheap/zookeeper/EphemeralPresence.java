package io.farheap.zookeeper;

import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.base.FarheapException;
import io.farheap.zookeeper.ZooKeeperTry.Node;
import io.farheap.zookeeper.ZooKeeperTry.Reply;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.ZooKeeper.States;

/** A node that ends with the session that has made it, and a session for it alone. */
final class EphemeralPresence implements Presence {
    private final ZooKeeperRequests requests;
    private final String path;
    private final Duration ttl;
    private final Set<Long> endedSessions;
    private final Consumer<AutoCloseable> ended;
    private final ZooKeeper handle;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Begins a session; announces nothing yet.
     *
     * @param endedSessions of this process: who finds such a one's node may take it away
     * @param ended is told when it is closed
     */
    EphemeralPresence(
            ZooKeeperSettings settings,
            ZooKeeperRequests requests,
            String path,
            Duration ttl,
            Set<Long> endedSessions,
            Consumer<AutoCloseable> ended) {
        this.requests = requests;
        this.path = path;
        this.ttl = ttl;
        this.endedSessions = endedSessions;
        this.ended = ended;
        this.handle = ZooKeeperSession.open(settings, ttl);
    }

    ZooKeeper handle() {
        return handle;
    }

    /**
     * Once.
     *
     * @return false: somebody else is there
     * @throws StoreUnavailableException there is no answer; closing it takes away what may be there
     */
    boolean announce(byte[] value) {
        boolean made = requests.ask(handle, one -> isMade(one, value));
        Duration given = Duration.ofMillis(handle.getSessionTimeout());
        if (made && given.compareTo(ttl) > 0) {
            throw FarheapException.wrongUse(
                    "ZooKeeper gives no session of less than %d s, and a ttl of %d s was asked for:"
                            + " use a longer ttl, or a smaller minSessionTimeout.",
                    given.toSeconds(), ttl.toSeconds());
        }
        return made;
    }

    private boolean isMade(ZooKeeperTry one, byte[] value)
            throws KeeperException, InterruptedException {
        while (true) {
            one.requireTime();
            try {
                return one.createEphemeral(path, value).get();
            } catch (KeeperException.NoNodeException e) {
                one.makeDirectoriesAbove(path);
            } catch (KeeperException.NodeExistsException e) {
                Optional<Node> there = there(one);
                if (there.isPresent() && isMine(one, there.get())) {
                    return true; // an answer was lost
                }
                boolean gone =
                        there.isEmpty()
                                || isLeftHere(there.get())
                                        && ZooKeeperCoordinator.isDeleted(one, path, there.get());
                if (!gone) {
                    return false;
                }
            }
        }
    }

    /** Of a session of this process that is over, which ZooKeeper has not heard of yet. */
    private boolean isLeftHere(Node node) {
        long owner = node.stat().getEphemeralOwner();
        return owner != 0 && endedSessions.contains(owner);
    }

    private Optional<Node> there(ZooKeeperTry one) throws KeeperException, InterruptedException {
        Reply<Boolean> synced = one.sync(path);
        Reply<Optional<Node>> node = one.node(path);
        var unused = synced.get();
        return node.get();
    }

    private static boolean isMine(ZooKeeperTry one, Node node) {
        return node.stat().getEphemeralOwner() == one.sessionId();
    }

    /** Also while it is not connected: nobody tells then whether the session has ended. */
    @Override
    public boolean isLost() {
        return closed.get() || handle.getState() != States.CONNECTED;
    }

    /** Made twice, it is as if made once: no other session changes this node. */
    @Override
    public boolean replace(byte[] value) {
        byte[] sent = value.clone();
        try {
            return !closed.get() && requests.ask(handle, one -> isReplaced(one, sent));
        } catch (StoreUnavailableException e) {
            if (handle.getState().isAlive()) {
                throw e;
            }
            return false; // the session is over, and its node with it
        }
    }

    private boolean isReplaced(ZooKeeperTry one, byte[] value)
            throws KeeperException, InterruptedException {
        while (true) {
            one.requireTime();
            Optional<Node> there = there(one);
            if (there.isEmpty() || !isMine(one, there.get())) {
                return false;
            }
            try {
                return one.set(path, value, there.get().stat().getVersion()).get();
            } catch (KeeperException.BadVersionException | KeeperException.NoNodeException e) {
                continue; // what is there now is read again
            }
        }
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        boolean unused = endedSessions.add(handle.getSessionId());
        ZooKeeperSession.close(handle);
        ended.accept(this);
    }
}
