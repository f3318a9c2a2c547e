package io.farheap.zookeeper;

import io.farheap.availability.coordinator.Presence;
import io.farheap.availability.coordinator.StoreUnavailableException;
import io.farheap.base.FarheapException;
import io.farheap.zookeeper.StoreNode.Sight;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;

/** A node that ends with the session that has made it, and a session for it alone. */
final class EphemeralPresence implements Presence {
    private final ZooKeeperRequests requests;
    private final StoreNode store;
    private final String path;
    private final Duration ttl;
    private final EndedSessions endedSessions;
    private final Consumer<AutoCloseable> ended;
    private final ZooKeeper handle;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Null: nothing is announced yet. */
    private volatile SessionContact contact;

    /**
     * Announces nothing yet.
     *
     * @param handle a session that begins, for this alone: closed with it
     * @param endedSessions of this process: who finds such a one's node may take it away
     * @param ended is told when it is closed
     */
    EphemeralPresence(
            ZooKeeper handle,
            ZooKeeperRequests requests,
            StoreNode store,
            String path,
            Duration ttl,
            EndedSessions endedSessions,
            Consumer<AutoCloseable> ended) {
        this.requests = requests;
        this.store = store;
        this.path = path;
        this.ttl = ttl;
        this.endedSessions = endedSessions;
        this.ended = ended;
        this.handle = handle;
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
            long sent = System.nanoTime();
            Sight there = store.look(one, path);
            // Where it is one's own already, an answer was lost.
            boolean free = there.node().isEmpty();
            if (free ? isSent(one, there, value) : isMine(one, there)) {
                contact = new SessionContact(handle, path, System::nanoTime, sent);
                return true;
            }
            if (!free && !isLeftHere(there)) {
                return false;
            }
            boolean unused = !free && isRemoved(one, store, path, there);
        }
    }

    /** False: what is there now is seen by the next look. */
    private boolean isSent(ZooKeeperTry one, Sight there, byte[] value)
            throws KeeperException, InterruptedException {
        try {
            var unused = one.transact(path, store.announcement(there, path, value)).get();
            return true;
        } catch (KeeperException.NodeExistsException e) {
            return false;
        } catch (KeeperException.NoNodeException e) {
            one.makeDirectoriesAbove(path); // or the whole store is gone
            return false;
        }
    }

    /** False: it is not the node any more that was seen, or the store is another one. */
    static boolean isRemoved(ZooKeeperTry one, StoreNode store, String path, Sight there)
            throws KeeperException, InterruptedException {
        try {
            var unused = one.transact(path, store.removal(there, path)).get();
            return true;
        } catch (KeeperException.NoNodeException | KeeperException.BadVersionException e) {
            return false;
        }
    }

    /** Of a session of this process that is over, which ZooKeeper has not heard of yet. */
    private boolean isLeftHere(Sight there) {
        return there.isAnnounced() && endedSessions.contains(owner(there));
    }

    private static boolean isMine(ZooKeeperTry one, Sight there) {
        return there.isAnnounced() && owner(there) == one.sessionId();
    }

    private static long owner(Sight there) {
        return there.node().orElseThrow().stat().getEphemeralOwner();
    }

    /** While it is not connected for a short time, too, its session lives. */
    @Override
    public boolean isLost() {
        SessionContact known = contact;
        return closed.get() || known == null || known.isLost();
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
            Sight there = store.look(one, path);
            if (!isMine(one, there)) {
                return false;
            }
            try {
                var unused = one.transact(path, store.replacement(there, path, value)).get();
                return true;
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
        SessionContact known = contact;
        if (known != null) {
            known.close();
        }
        endedSessions.add(handle.getSessionId());
        ZooKeeperSession.close(handle);
        ended.accept(this);
    }
}
