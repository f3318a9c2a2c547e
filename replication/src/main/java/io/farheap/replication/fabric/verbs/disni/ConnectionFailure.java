package io.farheap.replication.fabric.verbs.disni;

import io.farheap.base.FarheapException;
import io.farheap.base.FarheapException.Category;
import java.io.IOException;

/** What broke a connection: for good, and the first cause is the one told. Thread-safe. */
final class ConnectionFailure {
    private final QueuePair pair;
    private volatile String peer = "an unknown peer";
    private volatile FarheapException cause;

    ConnectionFailure(QueuePair pair) {
        this.pair = pair;
    }

    /** Who is at the other end, once that is known. */
    void peer(String address) {
        peer = address;
    }

    String peer() {
        return peer;
    }

    boolean isThere() {
        return cause != null;
    }

    /** Throws what broke the connection, if anything did. */
    void check() {
        FarheapException first = cause;
        if (first != null) {
            throw new FarheapException(Category.REPLICA, first.getMessage(), first);
        }
    }

    /**
     * Breaks the connection. Needs one of the owner's locks, so that the queue pair is still there
     * to be ended: nothing of the peer is carried out any more.
     *
     * @return the first cause
     */
    synchronized FarheapException by(String what, Throwable why) {
        if (cause == null) {
            cause = failure(" broke: " + what, why);
            try {
                pair.disconnect();
            } catch (IOException e) {
                cause.addSuppressed(e);
            }
        }
        return cause;
    }

    /** This side does not want it any more. */
    synchronized void closed() {
        if (cause == null) {
            cause = failure(" was closed on this side", null);
        }
    }

    private FarheapException failure(String what, Throwable why) {
        return FarheapException.replica(why, "the data connection with %s%s", peer, what);
    }

    /** What {@link #alsoFailed} took left the other side its right to read and write. */
    FarheapException notEnded() {
        return FarheapException.environment(
                cause,
                "the queue pair of the data connection with %s can't be destroyed; end"
                        + " this process",
                peer);
    }

    /** Giving back what the connection had failed, too. */
    void alsoFailed(Exception e) {
        cause.addSuppressed(e);
    }
}
